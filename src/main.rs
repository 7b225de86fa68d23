//! The `partsim` program: parse, call, print, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    partsim::cli::main()
}
