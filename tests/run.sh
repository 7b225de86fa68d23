#!/usr/bin/env bash
# Everything that a change must pass, here and in CI: format, lints, tests, documentation.
# Needs cargo; installs POV-Ray with the system's package manager when it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "error: this needs root: $*" >&2
        return 1
    fi
}

# install_package NAME APT-PACKAGES OTHER-PACKAGE: by whichever package manager is here.
install_package() {
    if command -v apt-get >/dev/null; then
        as_root apt-get update -q
        # shellcheck disable=SC2086 # several packages
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $2
    elif command -v dnf >/dev/null; then
        as_root dnf install -y "$3"
    elif command -v pacman >/dev/null; then
        as_root pacman -Sy --noconfirm "$3"
    elif command -v brew >/dev/null; then
        brew install "$3"
    else
        echo "error: $1 is needed, and no known package manager is here" >&2
        return 1
    fi
}

need_component() {
    if ! cargo "$1" --version >/dev/null 2>&1; then
        if command -v rustup >/dev/null; then
            rustup component add "$2"
        else
            echo "error: cargo $1 is missing: install $2 (rustup component add $2, or your system's package)" >&2
            return 1
        fi
    fi
}

if ! command -v cargo >/dev/null; then
    echo "error: cargo is missing: see https://rustup.rs" >&2
    exit 1
fi
need_component fmt rustfmt
need_component clippy clippy
if ! command -v povray >/dev/null; then
    say "installing POV-Ray"
    install_package "POV-Ray 3.7" "povray povray-includes" povray
fi

if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
    say "installing Python, whose programs read exports back"
    install_package "Python 3 with venv" "python3 python3-venv" python3
fi

say "format"
cargo fmt --check
say "lints"
cargo clippy --locked --all-targets -- -D warnings
say "tests"
cargo test --locked
say "a real Slurm"
./tests/slurm.sh
say "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
say "all passed"
