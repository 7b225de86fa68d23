//! The arguments of the commands around a run: first scenes, shards, farms, manual pages.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::args::{parse_folder, progress_parser};
use crate::farm::FarmOptions;
use crate::frame_range::FrameRange;
use crate::progress::ProgressMode;
use crate::run::MergeOptions;
use crate::scene::UpAxis;
use crate::starter::{Cover, NewOptions};

/// `partsim new`
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The model: OBJ, PLY, STL or glTF
    pub mesh: PathBuf,
    /// The scene [default: the model's name and .ron, in the working folder]
    #[arg(short, long, value_name = "SCENE")]
    pub out: Option<PathBuf>,
    /// Which axis of the file points up
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = up_parser())]
    pub up: UpAxis,
    /// What the file's numbers mean: m, cm, mm, in, ft or metres per unit [default: by the model's size]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// What covers the model
    #[arg(long, value_name = "MATERIAL", default_value = "snow", value_parser = cover_parser())]
    pub cover: Cover,
    /// Lay a ground under the model [default: if it has none]
    #[arg(long, overrides_with = "no_ground")]
    pub ground: bool,
    /// Lay no ground under the model
    #[arg(long)]
    pub no_ground: bool,
}

impl NewArgs {
    /// The same for the library.
    pub fn into_options(self) -> NewOptions {
        NewOptions {
            mesh: self.mesh,
            out: self.out,
            up: self.up,
            unit: self.unit,
            cover: self.cover,
            ground: match (self.ground, self.no_ground) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
        }
    }
}

/// `partsim merge`
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The scene, a RON file
    pub scene: PathBuf,
    /// The folders of all shards, in any order
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// Run folder [default: runs/ and the scene's name, in the working folder]
    #[arg(short, long, value_name = "DIR", value_parser = parse_folder)]
    pub out: Option<PathBuf>,
    /// Merge only these frames: 12, 3-9 or 1-5,8
    #[arg(long, value_name = "A-B")]
    pub frames: Option<FrameRange>,
    /// Threads; frames do not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Progress on standard error: a bar on a terminal, elsewhere a line now and then (always: for every frame)
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = progress_parser())]
    pub progress: ProgressMode,
}

impl MergeArgs {
    /// The same for the library.
    pub fn into_options(self) -> MergeOptions {
        MergeOptions {
            scene: self.scene,
            shards: self.shards,
            out: self.out,
            frames: self.frames,
            threads: self.threads.map(usize::from),
            progress: self.progress,
        }
    }
}

/// `partsim farm`
#[derive(Debug, Args)]
pub struct FarmArgs {
    /// For which scheduler.
    #[command(subcommand)]
    pub scheduler: Scheduler,
}

/// The schedulers that scripts are written for.
#[derive(Debug, Subcommand)]
pub enum Scheduler {
    /// Write job scripts for Slurm into the run folder's farm/
    #[command(after_help = super::examples::FARM)]
    Slurm(SlurmArgs),
}

/// `partsim farm slurm`
#[derive(Debug, Args)]
pub struct SlurmArgs {
    /// The scene, a RON file
    pub scene: PathBuf,
    /// Jobs that simulate, each a share of the particles; more than one only where particles do not touch each other
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub shards: u32,
    /// Jobs that render, each a range of frames [default: 16, or one a frame]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks: Option<u32>,
    /// Run folder [default: runs/ and the scene's name, in the working folder]
    #[arg(short, long, value_name = "DIR", value_parser = parse_folder)]
    pub out: Option<PathBuf>,
}

impl FarmArgs {
    /// The same for the library.
    pub fn into_options(self) -> FarmOptions {
        let Scheduler::Slurm(args) = self.scheduler;
        FarmOptions {
            scene: args.scene,
            out: args.out,
            shards: args.shards,
            tasks: args.tasks,
        }
    }
}

/// `partsim man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder to write them to
    pub dir: PathBuf,
}

fn up_parser() -> impl TypedValueParser<Value = UpAxis> {
    PossibleValuesParser::new(["y", "z"]).map(|name| match name.as_str() {
        "z" => UpAxis::Z,
        _ => UpAxis::Y,
    })
}

fn cover_parser() -> impl TypedValueParser<Value = Cover> {
    PossibleValuesParser::new(["snow", "slime", "mud"]).map(|name| match name.as_str() {
        "slime" => Cover::Slime,
        "mud" => Cover::Mud,
        _ => Cover::Snow,
    })
}
