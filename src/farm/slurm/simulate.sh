#!/usr/bin/env bash
#SBATCH --cpus-per-task=4
# Simulates the whole scene in one job. One that is started again goes on where it stopped.
set -euo pipefail
. ./settings.sh
exec "$PARTSIM" run "$SCENE" --out "$RUN" --threads "${SLURM_CPUS_PER_TASK:-4}" --resume \
    ${RUN_OPTIONS[@]+"${RUN_OPTIONS[@]}"}
