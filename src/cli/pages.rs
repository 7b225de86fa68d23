//! Completions and manual pages, made from the command line's own description.

use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::args::Cli;
use crate::error::Result;
use crate::write::atomic::write_file;

/// What a shell needs to complete the command line.
pub fn completions(shell: clap_complete::Shell) -> Result<String> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "partsim", &mut bytes);
    Ok(String::from_utf8(bytes).map_err(io::Error::other)?)
}

/// Writes `partsim.1` and a page for each command into a folder, and says which.
pub fn write_manual(dir: &Path) -> Result<String> {
    fs_err::create_dir_all(dir)?;
    let mut written = Vec::new();
    let mut cli = Cli::command().disable_help_subcommand(true);
    // Fills in the full names of all commands.
    cli.build();
    write_pages(&cli, dir, &mut written)?;
    let lines = written.iter().map(|path| format!("{}\n", path.display()));
    Ok(lines.collect())
}

fn write_pages(command: &clap::Command, dir: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let path = dir.join(format!("{name}.1"));
    let page = clap_mangen::Man::new(command.clone()).title(name);
    write_file(&path, |out| {
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        out.write_all(&bytes)
    })?;
    written.push(path);
    for sub in command
        .get_subcommands()
        .filter(|s| !s.is_hide_set() && s.get_name() != "help")
    {
        write_pages(sub, dir, written)?;
    }
    Ok(())
}
