//! The command line: parse, call, print.
//!
//! Results go to standard output, everything else to standard error. A reader that closes the pipe early is no
//! failure, and the exit code stays that of the command.

mod args;
mod examples;
mod grid;
mod more_args;
mod pages;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::compare::{self, PictureTolerance, Verification};
use crate::error::{Diagnostic, Error, Result, Severity};
use crate::export;
use crate::inspect::{inspect, paint};
use crate::progress::stderr_takes_color;
use crate::write::atomic::write_file;
use crate::{farm, run, starter};
use args::MeshArgs;

pub use args::{Cli, Command, DiffArgs};
use grid::GridCommand;

/// A command did its work and the answer is no: frames differ, or a folder is incomplete.
const ANSWER_NO: u8 = 1;

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    run_with(std::env::args_os())
}

/// Runs the program with `arguments`, of which the first is its name.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(text) => {
            // Help, version or a usage error: clap knows the stream, and there is nowhere to report a closed one.
            let _ = text.print();
            return ExitCode::from(u8::try_from(text.exit_code()).unwrap_or(2));
        }
    };
    match execute(cli.command) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(error.render(stderr_takes_color()));
            ExitCode::from(error.exit_code())
        }
    }
}

fn execute(command: Command) -> Result<u8> {
    match command {
        Command::New(args) => {
            let made = starter::new_scene(&args.into_options())?;
            warn(&made.remarks);
            print(&made).map(|()| 0)
        }
        Command::Run(args) => print(run::run(&args.into_options())?).map(|()| 0),
        Command::Check(args) => {
            let forecast = run::check(&args.scene)?;
            warn(&forecast.remarks);
            print(&forecast)?;
            Ok(if args.strict && forecast.faults > 0 {
                ANSWER_NO
            } else {
                0
            })
        }
        Command::Mesh(args) => mesh(&args),
        Command::Diff(args) => diff(&args),
        Command::Export(args) => {
            let done = export::export(&args.into_options())?;
            if done.left_out > 0 {
                complain(format_args!(
                    "{} particles in the air are in no surface",
                    done.left_out
                ));
            }
            done.files
                .iter()
                .try_for_each(|file| print(format_args!("{}\n", file.display())))
                .map(|()| 0)
        }
        Command::Preview(args) => {
            let picture = run::preview(&args.into_options())?;
            print(format_args!("{}\n", picture.display())).map(|()| 0)
        }
        Command::Grid(GridCommand::Build(args)) => print(grid::make(&args)?).map(|()| 0),
        Command::Grid(GridCommand::Show(args)) => print(grid::show(&args)?).map(|()| 0),
        Command::Verify(args) => {
            let found = compare::verify(&args.dir)?;
            explain(&found);
            if !found.to_redo().is_empty() {
                print(format_args!("{}\n", found.to_redo()))?;
            }
            Ok(if found.is_complete() { 0 } else { ANSWER_NO })
        }
        Command::Merge(args) => print(run::merge(&args.into_options())?).map(|()| 0),
        Command::Farm(args) => print(farm::write_slurm(&args.into_options())?).map(|()| 0),
        Command::Completions { shell } => print(pages::completions(shell)?).map(|()| 0),
        Command::Man(args) => print(pages::write_manual(&args.dir)?).map(|()| 0),
    }
}

/// Inspects one mesh.
fn mesh(args: &MeshArgs) -> Result<u8> {
    let found = inspect(&args.file)?;
    warn(&found.mesh.report.warnings);
    if let Some(file) = &args.paint {
        write_file(file, |out| paint(&found, out))?;
    }
    if args.json {
        print(format_args!("{}\n", found.json()))?;
    } else {
        print(&found)?;
    }
    Ok(if args.strict && found.report.faults() > 0 {
        ANSWER_NO
    } else {
        0
    })
}

fn warn(remarks: &[Diagnostic]) {
    let color = stderr_takes_color();
    let rendered = remarks.iter().map(|r| r.render(Severity::Warning, color));
    rendered.for_each(complain);
}

/// Compares pictures where both sides hold some, else frames.
fn diff(args: &DiffArgs) -> Result<u8> {
    let asked = args.pixel.is_some() || args.share.is_some();
    let pictures = [&args.a, &args.b].map(|path| compare::pictures_of(path, asked));
    let same = match pictures {
        [Ok(Some(a)), Ok(Some(b))] => {
            let tolerance = PictureTolerance {
                pixel: args.pixel.unwrap_or(0),
                share: args.share.unwrap_or(0.0),
            };
            let report = compare::diff_pictures(&a, &b, tolerance)?;
            print(&report)?;
            report.same()
        }
        [a, b] => {
            let (a, b) = (a?, b?);
            if asked || a.is_some() != b.is_some() {
                let without = if a.is_none() { &args.a } else { &args.b };
                return Err(Error::Usage(format!(
                    "{} holds no PNG pictures to compare; `./render.sh` makes them, in img/ of a run folder",
                    without.display()
                )));
            }
            let report = compare::diff(&args.a, &args.b, args.abs, args.rel)?;
            print(&report)?;
            report.same()
        }
    };
    Ok(if same { 0 } else { ANSWER_NO })
}

/// Standard output gets nothing but the range, so that it can stand behind `--frames`.
fn explain(found: &Verification) {
    let lists = [
        ("missing", &found.missing),
        ("short", &found.short),
        ("stale", &found.stale),
        ("beyond the end of the run", &found.surplus),
    ];
    for (what, frames) in lists {
        if !frames.is_empty() {
            complain(format_args!("{what}: {frames}"));
        }
    }
    for name in &found.missing_files {
        complain(format_args!("missing: {name}"));
    }
    if found.is_complete() {
        complain(format_args!("complete: {} frames", found.planned));
    }
}

/// Prints a result, which ends its own lines.
fn print(result: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match write!(out, "{result}").and_then(|()| out.flush()) {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(why) => Err(Error::File(io::Error::new(
            why.kind(),
            format!("cannot write to standard output: {why}"),
        ))),
        Ok(()) => Ok(()),
    }
}

/// Prints a line for the user, who may have closed the stream.
fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
