#!/usr/bin/env bash
# Renders a scene, or the frames of a run folder, through POV-Ray; and makes a film of them when asked.
# No physics here: `partsim run` makes the frames, this script only turns each frame_NNNNNN.pov into a picture.
set -u
unset CDPATH
export LC_ALL=C

readonly OK=0 INCOMPLETE=1 USAGE=2 TROUBLE=3 INTERRUPTED=130
# So many failures before the first success mean that all will fail: the rest is not tried.
readonly HOPELESS=3

povray=${POVRAY:-povray} ffmpeg=${FFMPEG:-ffmpeg}
input='' out='' ranges='' size=1280x720 quality=normal jobs='' film=no rate='' force=no

help() {
    cat <<'TEXT'
Renders a scene, or the frames of a run folder, through POV-Ray.

usage: render.sh [OPTIONS] SCENE.ron|DIR

  SCENE.ron            simulate it first (into --out), then render
  DIR                  render the frames of this run folder; nothing is simulated

  --out DIR            run folder of the scene [default: runs/NAME in the working folder]
  --frames A-B         only these frames: 12, 3-9 or 1-5,8 [default: all]
  --size WxH           size of the pictures in pixels [default: 1280x720]
  --quality QUALITY    draft (no antialiasing), normal or final (slow, for films) [default: normal]
  --jobs N             frames rendered at the same time, a thread each [default: one a processor]
  --film               make DIR/film.mp4 when all frames are there (needs ffmpeg)
  --rate R             pictures a second of the film [default: as in DIR/manifest.json]
  --force              render pictures again that are current
  -h, --help           this text

Pictures go to DIR/img/frame_NNNNNN.png, whole or not at all. A picture is kept when its frame, common.inc,
mesh.inc, size and quality are what it was made from; so after an interruption call the same again. After
changing a texture file that mesh.inc names, use --force.

The programs povray, ffmpeg and partsim are looked for on the path (partsim: built with cargo beside this
script); POVRAY, FFMPEG and PARTSIM name others.

Exit codes: 0 all pictures are there, 1 some are missing (or the scene is bad), 2 wrong usage,
3 a program or a file is missing, 130 interrupted
TEXT
}

say() { printf '%s\n' "$*" >&2; }
fail() { # CODE MESSAGE..: prints the message and ends
    local code=$1
    shift
    printf 'render.sh: %s\n' "$@" >&2
    exit "$code"
}

parse_arguments() {
    while (($# > 0)); do
        case $1 in
        --out | --frames | --size | --quality | --jobs | --rate)
            (($# > 1)) || fail $USAGE "$1 needs a value (see --help)"
            assign "$1" "$2"
            shift
            ;;
        --*=*) assign "${1%%=*}" "${1#*=}" ;;
        --film) film=yes ;;
        --force) force=yes ;;
        -h | --help)
            help
            exit $OK
            ;;
        --)
            shift
            (($# == 0)) || take_input "$1"
            (($# < 2)) || fail $USAGE "one scene or folder at a time"
            break
            ;;
        -*) fail $USAGE "unknown option $1 (see --help)" ;;
        *) take_input "$1" ;;
        esac
        shift
    done
    [[ -n $input ]] || fail $USAGE "which scene or run folder? (see --help)"
}

take_input() {
    [[ -z $input ]] || fail $USAGE "one scene or folder at a time: there is $input already, then $1"
    [[ -n $1 ]] || fail $USAGE "the name of the scene or folder is empty"
    input=$1
}

expect() { # OPTION VALUE PATTERN WHAT: refuses a value that is not like the pattern
    [[ $2 =~ $3 ]] || fail $USAGE "$1: expected $4, found '$2'"
}

assign() { # OPTION VALUE
    case $1 in
    --out)
        expect "$1" "$2" '.' "a folder"
        out=$2
        ;;
    --frames)
        expect "$1" "$2" '^[0-9]{1,7}(-[0-9]{1,7})?(,[0-9]{1,7}(-[0-9]{1,7})?)*$' "something like 12, 3-9 or 1-5,8"
        ranges=$2
        ;;
    --size)
        expect "$1" "$2" '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$' "WIDTHxHEIGHT such as 1280x720"
        size=$2
        ;;
    --quality)
        expect "$1" "$2" '^(draft|normal|final)$' "draft, normal or final"
        quality=$2
        ;;
    --jobs)
        expect "$1" "$2" '^[1-9][0-9]{0,3}$' "a whole number from 1"
        jobs=$2
        ;;
    --rate)
        expect "$1" "$2" '^([0-9]*[1-9][0-9]*(\.[0-9]+)?|0*\.[0-9]*[1-9][0-9]*)$' "a number > 0"
        rate=$2
        ;;
    *) fail $USAGE "unknown option $1, or one that takes no value (see --help)" ;;
    esac
}

need_programs() {
    ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 3))) ||
        fail $TROUBLE "needs bash 4.3 or newer, this is $BASH_VERSION (macOS: brew install bash)"
    command -v -- "$povray" >/dev/null ||
        fail $TROUBLE "cannot find POV-Ray ($povray)" \
            "install it: apt install povray | dnf install povray | brew install povray, or see povray.org"
    [[ $film == no ]] || command -v -- "$ffmpeg" >/dev/null ||
        fail $TROUBLE "cannot find ffmpeg ($ffmpeg), which --film needs" \
            "install it: apt install ffmpeg | dnf install ffmpeg | brew install ffmpeg"
    if [[ -z $jobs ]]; then
        jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
        [[ $jobs =~ ^[1-9][0-9]*$ ]] || jobs=1
    fi
}

# --- the scene ---------------------------------------------------------------------------------------

home_folder() { # the folder of this script, also when it was called through a link
    local file=${BASH_SOURCE[0]} target
    while [[ -L $file ]]; do
        target=$(readlink -- "$file")
        [[ $target == /* ]] && file=$target || file=${file%/*}/$target
    done
    (cd -- "$(dirname -- "$file")" && pwd)
}

simulate() {
    local home program=${PARTSIM:-} name arguments code
    home=$(home_folder)
    if [[ -z $program ]]; then
        program=${CARGO_TARGET_DIR:-$home/target}/release/partsim
        if command -v cargo >/dev/null; then
            (cd -- "$home" && cargo build --release --quiet) ||
                fail $TROUBLE "partsim could not be built: see the messages of cargo above"
            [[ $program == /* ]] || program=$home/$program
        elif [[ ! -x $program ]]; then
            fail $TROUBLE "cannot find partsim, nor cargo to build it (rustup.rs); or set PARTSIM to the program"
        fi
    fi
    name=$(basename -- "$input")
    [[ -n $out ]] || out=runs/${name%.ron}
    arguments=(run "--out=$out")
    [[ -z $ranges ]] || arguments+=("--frames=$ranges")
    "$program" "${arguments[@]}" -- "$input"
    code=$?
    ((code == 0)) || exit $code
}

# --- which frames ------------------------------------------------------------------------------------

manifest_number() { # KEY: the first number of that key in manifest.json, or nothing
    local found
    found=$(grep -Eo "\"$1\"[[:space:]]*:[[:space:]]*[0-9.eE+-]+" manifest.json 2>/dev/null) || return 0
    found=${found%%$'\n'*}
    printf '%s' "${found##*[: ]}"
}

list_frames() { # sets `frames`: the numbers of the pictures that should be there, ascending
    local part file first last n
    frames=()
    if [[ -n $ranges ]]; then
        local -a parts
        IFS=, read -ra parts <<<"$ranges"
        for part in "${parts[@]}"; do
            first=$((10#${part%-*})) last=$((10#${part#*-}))
            ((first >= 1 && first <= last)) || fail $USAGE "--frames: $part is empty; frames are counted from 1"
            for ((n = first; n <= last; n++)); do frames+=("$n"); done
        done
        mapfile -t frames < <(printf '%s\n' "${frames[@]}" | sort -nu)
        return
    fi
    last=$(manifest_number frames)
    [[ $last =~ ^[1-9][0-9]{0,8}$ ]] || last=0
    for file in frame_*.pov; do
        [[ $file =~ ^frame_([0-9]{6,9})\.pov$ ]] || continue
        n=$((10#${BASH_REMATCH[1]}))
        ((n <= last)) || last=$n
    done
    ((last > 0)) || fail $INCOMPLETE "no frames in $PWD: expected files such as frame_000001.pov"
    for ((n = 1; n <= last; n++)); do frames+=("$n"); done
}

frame_name() { printf 'frame_%06d' "$1"; }

as_ranges() { # NUMBER..: the same as --frames takes them
    local text='' first=$1 last=$1 n
    for n in "${@:2}" ''; do
        if [[ $n == "$((last + 1))" ]]; then
            last=$n
        else
            ((first == last)) && text+=,$first || text+=,$first-$last
            first=$n last=$n
        fi
    done
    printf '%s' "${text#,}"
}

# --- one frame ---------------------------------------------------------------------------------------

# The stamp of a picture: what it was made from, and its own checksum, by which a damaged file is told.
made_from() { # NAME
    printf '1 %s %s %s %s' "$size" "$quality" "$(cksum <"$1.pov")" "$shared"
}

is_current() { # NAME
    [[ -f img/$1.png && -f img/.stamps/$1 && $force == no ]] || return 1
    [[ $(<"img/.stamps/$1") == "$(made_from "$1") $(cksum <"img/$1.png")" ]]
}

quality_switches() {
    case $quality in
    draft) echo -A ;;
    normal) echo +A0.3 ;;
    final) echo +AM2 +A0.1 +R3 ;;
    esac
}

render_frame() { # NAME; runs in its own process
    local name=$1 part=img/.$1.$mark.part log=img/.$1.$mark.log source child code sum
    local -a switches
    read -ra switches < <(quality_switches)
    source=$(made_from "$name")
    # shellcheck disable=SC2046 # one word a process
    trap 'kill $(jobs -p) 2>/dev/null; wait; rm -f "$part.png" "$part.pov-state" "$log"; exit 130' TERM
    trap '' INT
    "$povray" "+I$name.pov" "+O$part.png" +FN "+W${size%x*}" "+H${size#*x}" +WT1 -D -V -GD -GR -GS \
        "${switches[@]}" </dev/null >"$log" 2>&1 &
    child=$!
    wait "$child"
    code=$?
    rm -f "$part.pov-state"
    if ((code == 0)) && [[ -s $part.png ]]; then
        sum=$(cksum <"$part.png")
        rm -f "img/.stamps/$name"
        if mv -f "$part.png" "img/$name.png" && printf '%s %s\n' "$source" "$sum" >"img/.stamps/$name.$mark" &&
            mv -f "img/.stamps/$name.$mark" "img/.stamps/$name"; then
            rm -f "$log"
            exit 0
        fi
        say "render.sh: $name: cannot write to $PWD/img"
    fi
    rm -f "$part.png"
    report_failure "$name" "$code" "$log"
    rm -f "$log"
    exit 1
}

report_failure() { # NAME CODE LOG: in one piece, so that the logs of two frames do not mix
    local text
    text="render.sh: $1 failed: $povray ended with code $2. Its log:"$'\n'
    text+=$(sed 's/^/    | /' "$3" 2>/dev/null)
    if grep -Eiq 'prohibit|not permitted' "$3" 2>/dev/null; then
        text+=$'\n'"render.sh: POV-Ray's povray.conf forbids reading or writing here: allow this folder there"
    fi
    say "$text"
}

# --- all frames --------------------------------------------------------------------------------------

stop() { # ends the frames that are being made and leaves no half file
    trap '' INT TERM
    local pid
    for pid in $(jobs -p); do kill -TERM "$pid" 2>/dev/null; done
    wait
    say "render.sh: interrupted; call the same again to go on"
    exit $INTERRUPTED
}

remove_leftovers() { # of calls on this machine that were killed
    local file pid
    for file in img/.frame_*."$host".*.* img/.stamps/frame_*."$host".*; do
        [[ -e $file ]] || continue
        pid=${file#*."$host".}
        pid=${pid%%.*}
        if [[ ! $pid =~ ^[0-9]+$ ]] || ! kill -0 "$pid" 2>/dev/null; then rm -f "$file"; fi
    done
}

wait_for_one() {
    if wait -n; then
        ((done += 1))
        say "rendered $((done + failed)) of $total"
    else
        ((failed += 1))
    fi
    ((running -= 1))
}

render_all() {
    local n name
    local -a wanted=()
    kept=0 done=0 failed=0 running=0
    for n in "${frames[@]}"; do
        name=$(frame_name "$n")
        if [[ ! -f $name.pov ]]; then
            continue
        elif is_current "$name"; then
            ((kept += 1))
        else
            wanted+=("$name")
        fi
    done
    total=${#wanted[@]}
    ((kept == 0)) || say "$kept pictures are current"
    ((total == 0)) || say "rendering $total at $size, $quality, $jobs at the same time"
    trap stop INT TERM
    for name in ${wanted[@]+"${wanted[@]}"}; do
        ((running < jobs)) || wait_for_one
        if ((done == 0 && failed >= HOPELESS)); then
            say "render.sh: the first $failed frames failed: not trying the others"
            break
        fi
        render_frame "$name" &
        ((running += 1))
    done
    while ((running > 0)); do wait_for_one; done
    trap - INT TERM
}

list_missing() { # sets `missing`: numbers without a current picture
    local n name
    missing=()
    force=no
    for n in "${frames[@]}"; do
        name=$(frame_name "$n")
        if [[ ! -f $name.pov ]] || ! is_current "$name"; then missing+=("$n"); fi
    done
}

make_film() {
    local first=${frames[0]} count=${#frames[@]} part=.film.$mark.part.mp4
    ((frames[count - 1] - first + 1 == count)) || fail $USAGE "--film needs one unbroken range of frames"
    # ffmpeg would stop at a gap without a word, so the pictures have been counted before.
    # shellcheck disable=SC2046 # one word a process
    trap 'kill $(jobs -p) 2>/dev/null; wait; rm -f "$part"; say "render.sh: interrupted"; exit $INTERRUPTED' INT TERM
    "$ffmpeg" -nostdin -hide_banner -loglevel error -y -framerate "$rate" -start_number "$first" \
        -i img/frame_%06d.png -frames:v "$count" -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' \
        -c:v libx264 -crf 17 -pix_fmt yuv420p -movflags +faststart "$part" &
    if ! wait $! || [[ ! -s $part ]]; then
        rm -f "$part"
        fail $TROUBLE "ffmpeg failed: see its message above"
    fi
    mv -f "$part" film.mp4 || fail $TROUBLE "cannot write $PWD/film.mp4"
    trap - INT TERM
}

find_rate() {
    [[ -n $rate ]] || rate=$(manifest_number frame_rate)
    [[ $rate =~ ^[0-9.]+$ ]] || fail $USAGE "--film: no frame rate in $PWD/manifest.json: give one with --rate"
}

main() {
    parse_arguments "$@"
    need_programs
    if [[ -d $input ]]; then
        [[ -z $out ]] || fail $USAGE "--out is for scenes; the pictures of a run folder go to its img/"
        out=$input
    elif [[ $input == *.ron ]]; then
        [[ -f $input ]] || fail $TROUBLE "cannot find the scene $input"
        simulate
    elif [[ -e $input ]]; then
        fail $USAGE "$input is neither a scene (.ron) nor a run folder"
    else
        fail $TROUBLE "cannot find $input"
    fi
    cd -- "$out" || fail $TROUBLE "cannot enter the run folder $out"
    list_frames
    [[ $film == no ]] || find_rate
    mkdir -p img/.stamps || fail $TROUBLE "cannot make the folder $PWD/img"
    # The mark keeps apart what several machines, or two calls, render into one folder.
    host=$(uname -n) && mark=$host.$$
    shared=$( (cksum <common.inc || echo -; cksum <mesh.inc || echo -) 2>/dev/null | tr '\n' ' ')
    remove_leftovers
    render_all
    list_missing
    if ((${#missing[@]} > 0)); then
        fail $INCOMPLETE "${#missing[@]} of ${#frames[@]} pictures are missing or out of date: --frames $(as_ranges "${missing[@]}")"
    fi
    [[ $film == no ]] || make_film
    [[ $film == no ]] && printf '%s\n' "$PWD/img" || printf '%s\n' "$PWD/film.mp4"
}

main "$@"
