#!/usr/bin/env bash
# Fuzzes what the program reads from files: ./fuzz/run.sh [SECONDS] [TARGET..], so many seconds a target (default 60).
# Needs cargo-fuzz (cargo install cargo-fuzz). What it finds lies in fuzz/artifacts/TARGET/; each find becomes a test.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(scene obj mtl ply stl gltf grid checkpoint manifest part points preview)

command -v cargo-fuzz >/dev/null || { echo "error: cargo-fuzz is missing: cargo install cargo-fuzz" >&2; exit 1; }
# libFuzzer's instrumentation is a nightly option; a stable compiler takes it when told so.
cargo +nightly --version >/dev/null 2>&1 && toolchain=+nightly || { toolchain=; export RUSTC_BOOTSTRAP=1; }

for target in "${targets[@]}"; do
    mkdir -p "fuzz/corpus/$target"
    dictionary=()
    [ ! -f "fuzz/$target.dict" ] || dictionary=("-dict=fuzz/$target.dict")
    # Inputs of up to 64 KiB may take 30 s, much more than they need, for the machine may be busy, and no allocation may exceed 128 MiB. The code is safe Rust but for the
    # lanes, which no reader uses, so no sanitizer is asked to slow it down.
    # shellcheck disable=SC2086 # no toolchain is no word
    cargo $toolchain fuzz run --fuzz-dir fuzz --sanitizer none "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout=30 -max_len=65536 -rss_limit_mb=1024 -malloc_limit_mb=128 \
        -print_final_stats=1 "${dictionary[@]}"
done
