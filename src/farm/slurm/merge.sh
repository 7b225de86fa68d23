#!/usr/bin/env bash
#SBATCH --cpus-per-task=2
# Makes of all shards the run folder that a single run would have made, byte for byte. Afterwards shards/ may go.
set -euo pipefail
. ./settings.sh
exec "$PARTSIM" merge "$SCENE" "$RUN"/shards/*/ --out "$RUN" --threads "${SLURM_CPUS_PER_TASK:-2}"
