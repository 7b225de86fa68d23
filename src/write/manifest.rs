//! The manifest of a run folder: what the frames were made from, and what each file should hold.
//!
//! Same scene, meshes, seed and program give the same bytes, so no times, host names or absolute paths stand
//! here. Knows nothing of how frames are made or compared.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::atomic::{Written, write_durable};
use crate::error::{Error, Result};
use crate::math::Real;
use crate::shard::Shard;

/// Name of the file in its run folder.
pub const FILE_NAME: &str = "manifest.json";

/// Layout that this program writes; raised whenever an older program would misread the file.
pub const FORMAT: u32 = 1;

/// What a run folder holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Layout of this file: [`FORMAT`].
    pub format: u32,
    /// Name and version of the program, `partsim 0.1.0`.
    pub program: String,
    /// The scene text.
    pub scene: Input,
    /// The meshes, in scene order.
    pub meshes: Vec<Input>,
    /// What the frames depend on besides the inputs.
    pub settings: Settings,
    /// Which share of the particles the frames hold; `None`: all, as pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Files that all frames share, by name, as the program wrote them.
    pub files: BTreeMap<String, Written>,
    /// Frames written so far, ascending by number.
    pub frames: Vec<FrameEntry>,
}

/// A file that a run has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Name in the scene; empty for the scene itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// File name without its folder.
    pub file: String,
    /// BLAKE3 hash of its bytes, hexadecimal.
    pub blake3: String,
}

impl Input {
    /// The fingerprint of a file at `path` that holds `bytes`.
    pub fn new(name: &str, path: &Path, bytes: &[u8]) -> Self {
        let file = path.file_name().unwrap_or(path.as_os_str());
        Self {
            name: name.into(),
            file: file.to_string_lossy().into_owned(),
            blake3: Written::of(bytes).blake3,
        }
    }
}

/// What the frames depend on besides scene and meshes, after the command line had its say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// `exact`, `karabassi` or `ray`.
    pub collision: String,
    /// Seed of every random draw.
    pub seed: u64,
    /// Number of pictures of the whole run.
    pub frames: u32,
    /// Pictures a second [1/s].
    pub frame_rate: Real,
    /// Simulation steps between two pictures.
    pub steps_per_frame: u32,
}

/// One written frame. Counts are totals since the start of the simulation, except `airborne` and `settled`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// Number of the picture, from 1.
    pub number: u32,
    /// Simulated time [s].
    pub time: Real,
    /// Particles born.
    pub born: u64,
    /// Particles in the air now.
    pub airborne: u64,
    /// Particles at rest now.
    pub settled: u64,
    /// Particles that ended on a surface that takes them away.
    pub died: u64,
    /// Particles that left the kill box.
    pub lost: u64,
    /// Births refused because the scenery was in the way or a limit was reached.
    pub rejected: u64,
    /// Further counts by name (limits reached, births moved, and the like).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// Spheres in the file, halo copies included.
    pub components: u64,
    /// Length and hash of the file.
    #[serde(flatten)]
    pub file: Written,
    /// The same of the file with its exact particles, where the scene asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub particles: Option<Written>,
}

impl Manifest {
    /// A manifest without frames, by this version of the program.
    pub fn new(scene: Input, meshes: Vec<Input>, settings: Settings) -> Self {
        Self {
            format: FORMAT,
            program: concat!("partsim ", env!("CARGO_PKG_VERSION")).into(),
            scene,
            meshes,
            settings,
            shard: None,
            files: BTreeMap::new(),
            frames: Vec::new(),
        }
    }

    /// What the frames were made from, without what has been made.
    #[must_use]
    pub fn without_frames(&self) -> Self {
        Self {
            format: self.format,
            program: self.program.clone(),
            scene: self.scene.clone(),
            meshes: self.meshes.clone(),
            settings: self.settings.clone(),
            shard: self.shard,
            files: BTreeMap::new(),
            frames: Vec::new(),
        }
    }

    /// Adds a frame, or replaces the entry of the same number.
    pub fn record(&mut self, entry: FrameEntry) {
        match self.frames.binary_search_by_key(&entry.number, |f| f.number) {
            Ok(i) => self.frames[i] = entry,
            Err(i) => self.frames.insert(i, entry),
        }
    }

    /// The entry of a frame.
    pub fn frame(&self, number: u32) -> Option<&FrameEntry> {
        let found = self.frames.binary_search_by_key(&number, |f| f.number);
        found.ok().map(|i| &self.frames[i])
    }

    /// Name of a frame's file in this folder.
    pub fn frame_file(&self, number: u32) -> String {
        match self.shard {
            Some(_) => Self::part_file_name(number),
            None => frame_file_name(number),
        }
    }

    /// `frame_000001.part`: a shard's share of a frame.
    pub fn part_file_name(number: u32) -> String {
        format!("frame_{number:06}.part")
    }

    /// In what the two runs' inputs differ, one remark each; empty when their frames must be the same.
    pub fn input_differences(&self, other: &Self) -> Vec<String> {
        let mut remarks = Vec::new();
        let mut note = |what: &str, a: &dyn ToString, b: &dyn ToString| {
            let (a, b) = (a.to_string(), b.to_string());
            if a != b {
                remarks.push(format!("{what}: {a} / {b}"));
            }
        };
        note("program", &self.program, &other.program);
        note("scene text", &self.scene.short(), &other.scene.short());
        let (a, b) = (&self.settings, &other.settings);
        note("collision", &a.collision, &b.collision);
        note("seed", &a.seed, &b.seed);
        note("frames", &a.frames, &b.frames);
        note("frame_rate", &a.frame_rate, &b.frame_rate);
        note("steps_per_frame", &a.steps_per_frame, &b.steps_per_frame);
        let share = |m: &Self| m.shard.map_or_else(|| "all".to_owned(), |s| s.to_string());
        note("shard", &share(self), &share(other));
        note("number of meshes", &self.meshes.len(), &other.meshes.len());
        for (a, b) in self.meshes.iter().zip(&other.meshes) {
            note(&format!("mesh `{}`", a.name), &a.short(), &b.short());
        }
        remarks
    }

    /// Writes `DIR/manifest.json`, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<Written> {
        write_durable(&dir.join(FILE_NAME), |out| self.print(out))
    }

    /// One line a field and a frame: short enough for long runs, and it can be read and compared by line.
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{")?;
        writeln!(out, "  \"format\": {},", self.format)?;
        writeln!(out, "  \"program\": {},", json(&self.program)?)?;
        writeln!(out, "  \"scene\": {},", json(&self.scene)?)?;
        print_list(out, "meshes", &self.meshes)?;
        writeln!(out, ",\n  \"settings\": {},", json(&self.settings)?)?;
        if let Some(shard) = self.shard {
            writeln!(out, "  \"shard\": {},", json(&shard)?)?;
        }
        writeln!(out, "  \"files\": {},", json(&self.files)?)?;
        print_list(out, "frames", &self.frames)?;
        writeln!(out, "\n}}")
    }

    /// Reads `DIR/manifest.json`. A missing, cut off, foreign or newer file is an error that says which.
    pub fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE_NAME);
        let text = fs_err::read(&path).map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => Error::damaged(format!(
                "{} is not a run folder: it has no {FILE_NAME}",
                dir.display()
            )),
            _ => why.into(),
        })?;
        Self::parse(&text).map_err(|why| Error::damaged(format!("{}: {why}", path.display())))
    }

    fn parse(text: &[u8]) -> std::result::Result<Self, String> {
        let head: serde_json::Value = serde_json::from_slice(text).map_err(|why| match why.is_eof() {
            true => format!("the file is cut off in line {}; run the scene again", why.line()),
            false => format!("not a partsim manifest ({why})"),
        })?;
        match head.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) if format > u64::from(FORMAT) => {
                return Err(format!(
                    "has format {format}, this program knows up to {FORMAT}; use a newer partsim"
                ));
            }
            _ => return Err("not a partsim manifest (no known `format` number)".into()),
        }
        let manifest: Self =
            serde_json::from_slice(text).map_err(|why| format!("damaged manifest ({why})"))?;
        // Look-ups search by number, so an edited file in disorder must not pass.
        let ascending = manifest.frames.is_sorted_by(|a, b| a.number < b.number);
        let in_run = manifest
            .frames
            .iter()
            .all(|f| (1..=manifest.settings.frames).contains(&f.number));
        match ascending && in_run {
            true => Ok(manifest),
            false => Err("damaged manifest (frame numbers are not ascending from 1 to `frames`)".into()),
        }
    }
}

impl Input {
    fn short(&self) -> String {
        format!(
            "{} ({})",
            self.file,
            self.blake3.get(..12).unwrap_or(&self.blake3)
        )
    }
}

fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?)
}

fn print_list(out: &mut dyn Write, name: &str, items: &[impl Serialize]) -> io::Result<()> {
    write!(out, "  \"{name}\": [")?;
    for (i, item) in items.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}", json(item)?)?;
    }
    write!(out, "{}]", if items.is_empty() { "" } else { "\n  " })
}

/// `frame_000001.pov`: six digits or more, whatever the length of the run.
pub fn frame_file_name(number: u32) -> String {
    format!("frame_{number:06}.pov")
}

/// The number of a frame file; `None` for any other name.
pub fn frame_number(file_name: &str) -> Option<u32> {
    let digits = file_name.strip_prefix("frame_")?.strip_suffix(".pov")?;
    let number = digits.parse().ok().filter(|&n| n > 0)?;
    (frame_file_name(number) == file_name).then_some(number)
}

#[cfg(test)]
mod tests;
