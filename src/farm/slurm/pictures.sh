#!/usr/bin/env bash
#SBATCH --cpus-per-task=1
# An array job: task I of TASKS renders its range of frames. Pictures that are current are kept.
set -euo pipefail
. ./settings.sh
first=$(((SLURM_ARRAY_TASK_ID - 1) * FRAMES / TASKS + 1)) last=$((SLURM_ARRAY_TASK_ID * FRAMES / TASKS))
exec ./render.sh --frames "$first-$last" --size "$SIZE" --quality "$QUALITY" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$RUN"
