#!/usr/bin/env bash
#SBATCH --cpus-per-task=1
# Makes film.mp4 of the pictures.
set -euo pipefail
. ./settings.sh
exec ./render.sh --film --size "$SIZE" --quality "$QUALITY" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$RUN"
