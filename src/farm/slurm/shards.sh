#!/usr/bin/env bash
#SBATCH --cpus-per-task=1
# An array job: task I simulates shard I, every SHARDS-th particle. One that is started again goes on where it stopped.
set -euo pipefail
. ./settings.sh
exec "$PARTSIM" run "$SCENE" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" --out "$RUN/shards/$SLURM_ARRAY_TASK_ID" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --resume ${RUN_OPTIONS[@]+"${RUN_OPTIONS[@]}"}
