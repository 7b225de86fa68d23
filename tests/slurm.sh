#!/usr/bin/env bash
# A real Slurm on this machine, from `partsim farm slurm` to the film, with one task killed on purpose and recovered.
# Installs slurm-wlm, munge, POV-Ray and ffmpeg with apt when they are missing; without apt it says so and skips.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'slurm test: %s\n' "$*"; }
fail() {
    printf 'slurm test failed: %s\n' "$*" >&2
    for log in "$work"/*.log "$work"/farm/runs/film/farm/logs/*.log; do
        [ ! -s "$log" ] || { printf -- '--- %s\n' "$log" && tail -n 20 "$log"; } >&2
    done
    exit 1
}

missing=()
for need in slurmctld:slurm-wlm munged:munge povray:povray ffmpeg:ffmpeg; do
    PATH=$PATH:/usr/sbin command -v "${need%:*}" >/dev/null || missing+=("${need#*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
        say "SKIPPED: ${missing[*]} missing, and this is not a machine where apt-get may install them"
        exit 0
    fi
    say "installing ${missing[*]}"
    apt-get update -q >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null
fi
PATH=$PATH:/usr/sbin

program=${PARTSIM:-${CARGO_TARGET_DIR:-target}/debug/partsim}
[ -x "$program" ] || cargo build --locked --quiet
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")

work=$(mktemp -d)
pids=()
stop() {
    for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap stop EXIT

# --- a scheduler of its own: keys, sockets, ports and state are in the temporary folder ---------------
start_slurm() {
    local host port=$((20000 + $$ % 20000))
    host=$(uname -n)
    host=${host%%.*}
    mkdir -p "$work"/{state,spool,munge}
    chmod 755 "$work"
    chmod 700 "$work/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$work/munge/key")
    munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
        --log-file="$work/munged.log" --seed-file="$work/munge/seed" >"$work/munged.out.log" 2>&1 &
    pids+=($!)
    cat >"$work/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=2
MinJobAge=600
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$work/slurm.conf
    for _ in $(seq 100); do [ -S "$work/munge.socket" ] && break || sleep 0.1; done
    slurmctld -D >"$work/slurmctld.log" 2>&1 &
    pids+=($!)
    slurmd -D -N "$host" >"$work/slurmd.log" 2>&1 &
    pids+=($!)
    for _ in $(seq 300); do
        case $(sinfo -h -o %T 2>/dev/null || true) in idle | mixed) return ;; esac
        sleep 0.2
    done
    fail "the scheduler does not come up"
}

queue_is_empty() { [ -z "$(squeue -h 2>&1)" ]; }
wait_for_queue() {
    for _ in $(seq 1500); do
        queue_is_empty && return
        sleep 0.2
    done
    squeue >&2
    fail "jobs are still there after five minutes"
}

start_slurm
say "$(sinfo -h -o '%D node of %c processors, %T')"

# --- a scene that takes a few seconds a shard, and three shards ---------------------------------------
mkdir "$work/farm"
cd "$work/farm"
cat >film.ron <<'RON'
(
    materials: { "snow": Snow(radius: Uniform(min: 0.02, max: 0.04)) },
    emitters: [(material: "snow", shape: Disc(center: (0, 2, 0), normal: (0, 1, 0), radius: 1), rate: 9000, velocity: (0, 1, 0), spread_deg: 30)],
    forces: [QuadraticDrag(terminal_speed: 1.5), Wind(velocity: (0.5, 0, 0)), Turbulence(speed: 1, length: 0.5)],
    time: (frames: 12, frame_rate: 12, steps_per_frame: 40),
    output: (width: 160, height: 90),
)
RON
"$program" farm slurm film.ron --shards 3 --tasks 4
run=$work/farm/runs/film
sed -i -e 's/^SIZE=.*/SIZE=160x90/' -e 's/^QUALITY=.*/QUALITY=draft/' \
    -e 's/^RUN_OPTIONS=.*/RUN_OPTIONS=(--checkpoint-every 0)/' "$run/farm/settings.sh"

"$run/farm/submit.sh" 2>submitted
cat submitted
grep -q 'shards: job .* --array=1,2,3' submitted || fail "three shards were not handed in"
job=$(sed -n 's/^shards: job \([0-9]*\).*/\1/p' submitted)

# Kill the third as soon as it has written a frame.
for _ in $(seq 1500); do
    [ -e "$run/shards/3/frame_000001.part" ] && break || sleep 0.05
done
scancel --full --signal=KILL "${job}_3" || fail "shard 3 was not running any more: the test must be slower"
say "killed task 3 of job $job"
wait_for_queue

[ ! -e "$run/film.mp4" ] && [ ! -e "$run/manifest.json" ] || fail "there is a result in spite of the loss"
for shard in 1 2; do
    "$program" verify "$run/shards/$shard" 2>/dev/null || fail "shard $shard is not whole"
done
if "$program" verify "$run/shards/3" 2>/dev/null; then fail "verify does not find the loss"; fi

# The documented way back: the same command again.
"$run/farm/submit.sh" 2>submitted
cat submitted
[ "$(sed 's/: job [0-9]*//' submitted | tr '\n' ';')" = 'shards --array=3;merge ;pictures --array=1,2,3,4;film ;' ] ||
    fail "something else than the lost shard and what waits for it was handed in"
wait_for_queue

[ -s "$run/film.mp4" ] || fail "no film"
[ "$(ls "$run"/img/*.png | wc -l)" = 12 ] || fail "not all pictures are there"
frames=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "$run/film.mp4")
[ "$frames" = 12 ] || fail "the film has $frames frames"

"$program" run film.ron --out single --progress never >/dev/null
for file in single/*; do
    cmp "$file" "$run/${file#single/}" || fail "$file is not what a single run makes"
done
"$run/farm/submit.sh" 2>submitted
grep -q 'everything is done' submitted || fail "a finished farm hands something in"

# A lost picture costs one job and the film.
rm "$run/img/frame_000008.png"
"$run/farm/submit.sh" 2>submitted
[ "$(sed 's/: job [0-9]*//' submitted | tr '\n' ';')" = 'pictures --array=3;film ;' ] || fail "$(cat submitted)"
wait_for_queue
[ -s "$run/img/frame_000008.png" ] || fail "the lost picture was not made again"
say "passed: three shards, one killed and recovered, merged to the bytes of a single run, 12 pictures, a film"
