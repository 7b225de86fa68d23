//! The arguments of each command, checked as far as can be without reading a file.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use crate::export::{ExportOptions, Format};
use crate::frame_range::FrameRange;
use crate::math::Real;
use crate::preview::Size;
use crate::progress::ProgressMode;
use crate::run::{RunOptions, ShotOptions};
use crate::scene::Collision;
use crate::shard::Shard;

use super::examples;
use super::more_args::{FarmArgs, ManArgs, MergeArgs, NewArgs};

/// Covers scenes with snow, slime and mud for POV-Ray
#[derive(Debug, Parser)]
#[command(name = "partsim", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done (diff: same), 1 bad scene or mesh (diff: different; verify: incomplete; \
    --strict: a mesh has faults), 2 wrong usage, 3 file trouble, 130 interrupted";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented first scene for a model
    #[command(after_help = examples::NEW)]
    New(NewArgs),
    /// Simulate a scene and write its frames
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Validate a scene and its meshes and forecast the run, without simulating
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Tell what is wrong with a mesh, and where
    #[command(after_help = examples::MESH)]
    Mesh(MeshArgs),
    /// Compare two frames, two run folders, two pictures or two folders of pictures
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Tell which frames of a run folder are missing, short or stale
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Put the shards of a run together
    #[command(after_help = examples::MERGE)]
    Merge(MergeArgs),
    /// Write job scripts for a scheduler
    #[command(after_help = examples::FARM)]
    Farm(FarmArgs),
    /// Print what a shell needs to complete this program's command line
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
    /// Show a frame of a scene or a run folder as a PNG picture, without POV-Ray
    #[command(after_help = examples::PREVIEW)]
    Preview(PreviewArgs),
    /// Write the particles of a run folder, or surfaces around them, for other programs
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// Make a distance/normal grid of a mesh, or look at one
    #[command(subcommand, after_help = examples::GRID)]
    Grid(super::grid::GridCommand),
}

/// `partsim run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The scene, a RON file
    pub scene: PathBuf,
    /// Run folder [default: runs/ and the scene's name, in the working folder; of a shard, shards/I in there]
    #[arg(short, long, value_name = "DIR", value_parser = parse_folder)]
    pub out: Option<PathBuf>,
    /// Write only these frames: 12, 3-9 or 1-5,8; the ones before are simulated all the same
    #[arg(long, value_name = "A-B")]
    pub frames: Option<FrameRange>,
    /// Threads that simulate; frames do not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of every random draw, instead of the scene's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Which sweep decides the first touch, instead of the scene's
    #[arg(long, value_name = "MODE", value_parser = collision_parser())]
    pub collision: Option<Collision>,
    /// Progress on standard error: a bar on a terminal, elsewhere a line now and then (always: for every frame)
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = progress_parser())]
    pub progress: ProgressMode,
    /// Write statistics to this file, one JSON line a frame
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Go on where an earlier run into the same folder stopped; its finished frames stay
    #[arg(long)]
    pub resume: bool,
    /// Save a checkpoint every so many seconds (0: after every frame); never more than a twentieth of the time
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_tolerance)]
    pub checkpoint_every: f64,
    /// Simulate only one of several equal shares of the particles, such as 3/8, for `partsim merge`
    #[arg(long, value_name = "I/N", conflicts_with = "preview")]
    pub shard: Option<Shard>,
    /// Also make a preview of each frame, DIR/preview/frame_000001.png and so on
    #[arg(long)]
    pub preview: bool,
}

/// `partsim check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The scene, a RON file
    pub scene: PathBuf,
    /// Exit code 1 when a mesh has faults
    #[arg(long)]
    pub strict: bool,
}

/// `partsim mesh`
#[derive(Debug, Args)]
pub struct MeshArgs {
    /// The mesh: OBJ, PLY, STL or glTF; lines are told of OBJ files, else numbers of triangles
    pub file: PathBuf,
    /// Exit code 1 when it has faults; remarks are none
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write a POV-Ray include that paints the faults
    #[arg(long, value_name = "FILE.inc")]
    pub paint: Option<PathBuf>,
}

/// `partsim diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A frame, a run folder, a PNG picture or a folder of pictures
    pub a: PathBuf,
    /// The other one
    pub b: PathBuf,
    /// Largest difference of two numbers that count as equal
    #[arg(long, value_name = "X", default_value = "0", value_parser = parse_tolerance)]
    pub abs: Real,
    /// The same as a share of the larger number
    #[arg(long, value_name = "Y", default_value = "0", value_parser = parse_tolerance)]
    pub rel: Real,
    /// Of pictures: largest difference of a channel that counts as none, 0 to 255 [default: 0]; of two run folders
    /// this compares img/
    #[arg(long, value_name = "N", conflicts_with_all = ["abs", "rel"])]
    pub pixel: Option<u8>,
    /// Of pictures: share of the pixels that may differ by more, 0 to 1 [default: 0]
    #[arg(long, value_name = "X", value_parser = parse_share, conflicts_with_all = ["abs", "rel"])]
    pub share: Option<f64>,
}

/// `partsim verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The run folder
    pub dir: PathBuf,
}

impl RunArgs {
    /// The same for the library.
    pub fn into_options(self) -> RunOptions {
        RunOptions {
            scene: self.scene,
            out: self.out,
            frames: self.frames,
            threads: self.threads.map(usize::from),
            seed: self.seed,
            collision: self.collision,
            progress: self.progress,
            stats: self.stats,
            resume: self.resume,
            checkpoint_every: self.checkpoint_every,
            shard: self.shard,
            preview: self.preview,
        }
    }
}

/// `partsim preview`
#[derive(Debug, Args)]
pub struct PreviewArgs {
    /// A scene, which is simulated up to the frame first, or a run folder
    #[arg(value_name = "SCENE|DIR")]
    pub input: PathBuf,
    /// Which frame to show [default: the last one]
    #[arg(long, value_name = "N")]
    pub frame: Option<u32>,
    /// The picture [default: preview/frame_NNNNNN.png in the run folder; for a scene in runs/ and its name]
    #[arg(short, long, value_name = "FILE.png", value_parser = parse_png)]
    pub out: Option<PathBuf>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "640x360")]
    pub size: Size,
}

impl PreviewArgs {
    /// The same for the library.
    pub fn into_options(self) -> ShotOptions {
        ShotOptions {
            input: self.input,
            frame: self.frame,
            out: self.out,
            size: self.size,
        }
    }
}

/// `partsim export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run folder, of a scene with `output: (particles: true)`
    pub dir: PathBuf,
    /// Format of the files
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub to: Format,
    /// Where the files go [default: export/ in the run folder]
    #[arg(short, long, value_name = "DIR", value_parser = parse_folder)]
    pub out: Option<PathBuf>,
    /// Only these frames: 12, 3-9 or 1-5,8 [default: all that are there]
    #[arg(long, value_name = "A-B")]
    pub frames: Option<FrameRange>,
    /// Instead of particles a closed surface around what lies of each material (ply or obj)
    #[arg(long)]
    pub surface: bool,
}

impl ExportArgs {
    /// The same for the library.
    pub fn into_options(self) -> ExportOptions {
        ExportOptions {
            dir: self.dir,
            format: self.to,
            out: self.out,
            frames: self.frames,
            surface: self.surface,
        }
    }
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    let named = |name: String| {
        Format::NAMES
            .iter()
            .find(|n| n.0 == name)
            .map_or(Format::Ply, |n| n.1)
    };
    PossibleValuesParser::new(Format::NAMES.map(|n| n.0)).map(named)
}

fn parse_png(text: &str) -> Result<PathBuf, String> {
    if text.to_lowercase().ends_with(".png") {
        Ok(text.into())
    } else {
        Err("expected a file name that ends in .png: previews are PNG pictures".into())
    }
}

fn collision_parser() -> impl TypedValueParser<Value = Collision> {
    PossibleValuesParser::new(["exact", "karabassi", "ray"]).map(|name| match name.as_str() {
        "karabassi" => Collision::Karabassi,
        "ray" => Collision::Ray,
        _ => Collision::Exact,
    })
}

pub(super) fn progress_parser() -> impl TypedValueParser<Value = ProgressMode> {
    PossibleValuesParser::new(["auto", "always", "never"]).map(|name| match name.as_str() {
        "always" => ProgressMode::Always,
        "never" => ProgressMode::Never,
        _ => ProgressMode::Auto,
    })
}

fn parse_tolerance(text: &str) -> Result<Real, String> {
    match text.parse::<Real>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a finite number >= 0".into()),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a share from 0 to 1: 0.001 is one pixel in a thousand".into()),
    }
}

/// Endings of files that somebody may mean to name, in lower case.
const FILE_ENDINGS: [&str; 9] = [
    ".pov", ".inc", ".txt", ".json", ".ron", ".png", ".csv", ".obj", ".ply",
];

/// Other programs take a pattern of file names here. This one names its frames itself, so a pattern would be ignored
/// where the user counts on it.
pub(super) fn parse_folder(text: &str) -> Result<PathBuf, String> {
    let lower = text.to_lowercase();
    let pattern = text.contains(['{', '}', '*', '?', '#', '%']);
    if text.is_empty() || pattern || FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return Err(
            "expected a folder, in which the frames are always named frame_000001.pov and so on".into(),
        );
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_run_takes_every_option() {
        let line = "partsim run a/snow.ron --out o --frames 1-3,7 --threads 2 --seed 5 --collision ray \
            --progress never --stats s.jsonl --resume --checkpoint-every 5 --preview";
        let cli = Cli::try_parse_from(line.split_whitespace()).expect("valid");
        let Command::Run(args) = cli.command else {
            panic!("not a run")
        };
        let expected = RunOptions {
            scene: "a/snow.ron".into(),
            out: Some("o".into()),
            frames: Some("1-3,7".parse().expect("valid")),
            threads: Some(2),
            seed: Some(5),
            collision: Some(Collision::Ray),
            progress: ProgressMode::Never,
            stats: Some("s.jsonl".into()),
            resume: true,
            checkpoint_every: 5.0,
            shard: None,
            preview: true,
        };
        assert_eq!(args.into_options(), expected);
    }

    #[test]
    fn a_shard_has_a_folder_of_its_own_and_no_previews() {
        let cli = |more: &str| Cli::try_parse_from(format!("partsim run s.ron --shard 3/8{more}").split(' '));
        let Ok(Command::Run(args)) = cli("").map(|c| c.command) else {
            panic!("not a run")
        };
        let options = args.into_options();
        assert_eq!(options.shard, Shard::new(3, 8));
        assert_eq!(options.out_folder(), PathBuf::from("runs/s/shards/3"));
        assert!(cli(" --preview").is_err(), "a shard has no pictures");
    }

    #[test]
    fn the_default_folder_is_named_after_the_scene() {
        let cli = Cli::try_parse_from(["partsim", "run", "../scenes/snow.ron"]).expect("valid");
        let Command::Run(args) = cli.command else {
            panic!("not a run")
        };
        assert_eq!(args.into_options().out_folder(), PathBuf::from("runs/snow"));
    }
}
