#!/usr/bin/env bash
# Hands in everything that is not done yet. When the queue is empty and something has failed, call it again: what was
# lost is found and handed in alone, and so is what waits for it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./settings.sh
mkdir -p logs

submit() { # WHAT AFTER [OPTION..]: hands in WHAT.sh, to start when the job AFTER has succeeded; prints its number
    local what=$1 after=$2 job
    shift 2
    job=$(sbatch --parsable --job-name="$NAME-$what" --chdir="$PWD" --output="logs/$what-%A_%a.log" \
        ${after:+--dependency=afterok:$after --kill-on-invalid-dep=yes} \
        ${OPTIONS[@]+"${OPTIONS[@]}"} "$@" "$what.sh")
    job=${job%%;*}
    echo "$what: job $job $*" >&2
    echo "$job"
}

is_whole() { "$PARTSIM" verify "$1" >/dev/null 2>&1; } # all frames of a folder are there and have their hashes

list() { # NUMBER..: as --array takes them
    local IFS=,
    echo "$*"
}

after='' simulated=no
if ! is_whole "$RUN"; then
    simulated=yes
    if ((SHARDS > 1)); then
        lost=()
        for ((i = 1; i <= SHARDS; i++)); do
            is_whole "$RUN/shards/$i" || lost+=("$i")
        done
        ((${#lost[@]} == 0)) || after=$(submit shards '' --array="$(list "${lost[@]}")")
        after=$(submit merge "$after")
    else
        after=$(submit simulate '')
    fi
fi

lost=()
for ((task = 1; task <= TASKS; task++)); do
    for ((n = (task - 1) * FRAMES / TASKS + 1; n <= task * FRAMES / TASKS; n++)); do
        if [[ $simulated == yes || ! -s $(printf '%s/img/frame_%06d.png' "$RUN" "$n") ]]; then
            lost+=("$task")
            break
        fi
    done
done
((${#lost[@]} == 0)) || after=$(submit pictures "$after" --array="$(list "${lost[@]}")")

if [[ $FILM == yes && (-n $after || ! -s $RUN/film.mp4) ]]; then
    after=$(submit film "$after")
fi
[[ -n $after ]] || echo "everything is done: $RUN" >&2
