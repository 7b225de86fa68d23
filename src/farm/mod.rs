//! Job scripts for schedulers: simulation in shards, merge, rendering, film.
//!
//! Writes text that a user reads and changes; hands nothing in, and knows nothing of how anything is simulated.

mod slurm;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::run::{default_folder, refuse_dependent};
use crate::scene;
use crate::write::atomic::write_file;

/// Most jobs in an array that schedulers take without being told to (Slurm's `MaxArraySize` less one).
const MOST_TASKS: u32 = 1000;
/// Rendering jobs, unless the user says how many.
const TASKS: u32 = 16;

/// What the command line says about a farm.
#[derive(Debug, Clone, PartialEq)]
pub struct FarmOptions {
    /// The scene file.
    pub scene: PathBuf,
    /// The run folder; `None`: `runs/` and the scene's name, in the working folder.
    pub out: Option<PathBuf>,
    /// Jobs that simulate, 1 or more.
    pub shards: u32,
    /// Jobs that render; `None`: sixteen, or one a frame.
    pub tasks: Option<u32>,
}

/// What was written; its text tells the user what comes next.
#[derive(Debug, Clone, PartialEq)]
pub struct Farm {
    /// Where the scripts are.
    pub folder: PathBuf,
    shards: u32,
    frames: u32,
    tasks: u32,
}

/// What the scripts need to know. All paths are whole, for jobs start in folders of their own.
struct Job {
    name: String,
    program: PathBuf,
    scene: PathBuf,
    run: PathBuf,
    shards: u32,
    frames: u32,
    tasks: u32,
}

/// Writes job scripts for Slurm into the run folder's `farm/`. A script that is there and differs is not overwritten.
pub fn write_slurm(options: &FarmOptions) -> Result<Farm> {
    let scene = scene::load(&options.scene)?;
    if options.shards > 1 {
        refuse_dependent(&scene)?;
    }
    let frames = scene.time.frames;
    let tasks = options.tasks.unwrap_or(TASKS).min(frames);
    for (option, number) in [("--shards", options.shards), ("--tasks", tasks)] {
        if number > MOST_TASKS {
            return Err(Error::Usage(format!(
                "{option} {number}: schedulers take at most {MOST_TASKS} jobs in one array"
            )));
        }
    }
    let run = options
        .out
        .clone()
        .unwrap_or_else(|| default_folder(&options.scene));
    let folder = run.join("farm");
    let job = Job {
        name: plain_name(&options.scene),
        program: std::env::current_exe()?,
        scene: fs_err::canonicalize(&options.scene)?,
        run: std::path::absolute(&run)?,
        shards: options.shards,
        frames,
        tasks,
    };
    let scripts = slurm::scripts(&job)?;
    fs_err::create_dir_all(&folder)?;
    for (name, text) in &scripts {
        refuse_edited(&folder.join(name), text)?;
    }
    for (name, text) in &scripts {
        write_script(&folder.join(name), text)?;
    }
    Ok(Farm {
        folder,
        shards: options.shards,
        frames,
        tasks,
    })
}

/// The scene's name in letters that every scheduler takes.
fn plain_name(scene: &Path) -> String {
    let stem = scene.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    stem.chars().take(40).map(plain).collect()
}

fn refuse_edited(path: &Path, text: &str) -> Result<()> {
    match fs_err::read(path) {
        Ok(old) if old != text.as_bytes() => Err(Error::Usage(format!(
            "{} has been edited, or is for other options, and is not overwritten: delete it first",
            path.display()
        ))),
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(why.into()),
        _ => Ok(()),
    }
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    write_file(path, |out| out.write_all(text.as_bytes()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = fs_err::metadata(path)?.permissions();
        // Whoever may read it may run it.
        permissions.set_mode(permissions.mode() | (permissions.mode() & 0o444) >> 2);
        fs_err::set_permissions(path, permissions)?;
    }
    Ok(())
}

impl fmt::Display for Farm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        let simulation = match self.shards {
            1 => "one job simulates".to_owned(),
            n => format!("{n} jobs simulate a shard each, one merges"),
        };
        writeln!(
            f,
            "wrote      {folder}: {simulation}, {} render {} frames",
            self.tasks, self.frames
        )?;
        writeln!(
            f,
            "change     {folder}/settings.sh: picture size, partition, time limit"
        )?;
        writeln!(f, "next       {folder}/submit.sh")?;
        writeln!(
            f,
            "on failure {folder}/submit.sh again: only what was lost is handed in"
        )
    }
}
