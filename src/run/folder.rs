//! The run folder while a run writes to it: shared files first, then frames, the manifest after them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::lock::Lock;
use super::shard::Product;
use crate::error::{Diagnostic, Result};
use crate::frame::Frame;
use crate::mesh::further_files;
use crate::scene::{Collision, Motion, Scene};
use crate::state::Tally;
use crate::write::atomic::{Written, remove_leftovers, sync_file, write_file};
use crate::write::manifest::{FILE_NAME, FrameEntry, Input, Manifest, Settings};
use crate::write::pov::PovWriter;
use crate::write::shared::{self, SharedPieces};
use crate::write::{FrameStats, FrameWriter, part, points};

const COMMON: &str = "common.inc";
const SCENERY: &str = "mesh.inc";

/// A run folder that this run may write to.
pub struct Folder {
    path: PathBuf,
    manifest: Manifest,
    /// When the manifest is written next: that takes longer with every frame and must not take most of a long run.
    due: Instant,
    /// Whether frames have been written that the file does not know yet.
    behind: bool,
    /// Frames that a power cut could still take away.
    unsafe_frames: Vec<u32>,
    _lock: Lock,
    /// Names of the materials, when the particles themselves are written too.
    names: Option<Vec<String>>,
    /// What frames share, when they do.
    shared: Option<SharedPieces>,
}

/// The manifest is written again when this many times as long has passed as it took the last time.
const SHARE: u32 = 20;

/// A frame that has reached the disk.
pub struct FrameDone {
    /// Its number.
    pub number: u32,
    /// Particles in it.
    pub particles: u64,
    /// What the writer did with them.
    pub stats: FrameStats,
    /// Its line in the manifest.
    pub entry: FrameEntry,
    /// Bytes of all files that were written for it.
    pub bytes: u64,
    /// Seconds that writing took.
    pub seconds: f64,
}

/// The manifest of a run that has written nothing yet: fingerprints of all that its frames are made from.
pub fn inputs(scene: &Scene) -> Result<Manifest> {
    let meshes = scene.meshes.iter();
    Ok(Manifest::new(
        Input::new("", &scene.path, &fs_err::read(&scene.path)?),
        meshes
            .map(|m| {
                let mut bytes = fs_err::read(&m.file)?;
                for further in further_files(&m.file) {
                    bytes.extend(fs_err::read(further)?);
                }
                if let Some(Motion::Sequence { files, .. }) = &m.motion {
                    for shape in files {
                        bytes.extend(fs_err::read(shape)?);
                    }
                }
                Ok(Input::new(&m.name, &m.file, &bytes))
            })
            .collect::<Result<_>>()?,
        settings(scene),
    ))
}

impl Folder {
    /// Makes or takes over a run folder and writes the files that all frames share. `lock`: if it is ours already.
    ///
    /// Frames of an earlier run with the same inputs stay; those of any other run go, for they would be rendered as if
    /// they belonged here. `common.inc` is written anew only while it is as the program wrote it.
    pub fn open(
        path: &Path,
        mut manifest: Manifest,
        scene: &Scene,
        product: &Product,
        lock: Option<Lock>,
    ) -> Result<(Self, Vec<Diagnostic>)> {
        fs_err::create_dir_all(path)?;
        let lock = lock.map_or_else(|| Lock::take(path), Ok)?;
        remove_leftovers(path)?;
        let mut remarks = Vec::new();
        let old = match Manifest::read(path) {
            Ok(old) => Some(old),
            Err(_) if !path.join(FILE_NAME).exists() => None,
            Err(why) => {
                remarks.push(Diagnostic::new(format!(
                    "the old manifest is of no use and is replaced: {why}"
                )));
                None
            }
        };
        if let Some(old) = &old {
            if old.input_differences(&manifest).is_empty() {
                manifest.frames.clone_from(&old.frames);
            } else {
                remove_frames(path, old, &mut remarks)?;
            }
        }
        if let Some(writer) = product.pictures() {
            let recorded = old.map_or_else(BTreeMap::new, |m| m.files);
            write_shared(path, &mut manifest, &recorded, writer, &mut remarks)?;
        }
        manifest.write(path)?;
        let shares = scene.output.share && product.pictures().is_some();
        let mut names = None;
        if scene.output.particles && product.pictures().is_some() {
            fs_err::create_dir_all(path.join(points::FOLDER))?;
            remove_leftovers(&path.join(points::FOLDER))?;
            names = Some(scene.materials.iter().map(|m| m.name.clone()).collect());
        }
        Ok((
            Self {
                names,
                shared: shares.then(|| SharedPieces::open(path)).transpose()?,
                path: path.into(),
                manifest,
                due: Instant::now(),
                behind: false,
                unsafe_frames: Vec::new(),
                _lock: lock,
            },
            remarks,
        ))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What its frames are made from, and which are there.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes a frame, and then, unless it was written just before, the manifest that knows it; [`Folder::finish`]
    /// makes sure of it. `tally` is what has happened up to the frame.
    pub fn write_frame(&mut self, product: &Product, frame: &Frame, tally: &Tally) -> Result<FrameDone> {
        let started = Instant::now();
        let (stats, file, particles, bytes) = match self.write_files(product, frame, tally) {
            Ok(written) => written,
            Err(why) => {
                // Where even this fails, what went wrong first is the thing to tell.
                let _ = self.finish();
                return Err(why);
            }
        };
        let entry = FrameEntry {
            particles,
            ..entry(frame, tally, &stats, file)
        };
        self.manifest.record(entry.clone());
        self.unsafe_frames.push(frame.number);
        self.behind = true;
        if Instant::now() >= self.due {
            self.finish()?;
        }
        Ok(FrameDone {
            number: frame.number,
            particles: frame.len() as u64,
            stats,
            entry,
            bytes,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Writes the files of a frame; gives what became of its particles, its file, that of its particles, and all bytes.
    fn write_files(
        &mut self,
        product: &Product,
        frame: &Frame,
        tally: &Tally,
    ) -> Result<(FrameStats, Written, Option<Written>, u64)> {
        let mut stats = FrameStats::default();
        let shared_before = self.shared.as_ref().map_or(0, |s| s.bytes);
        let file = write_file(&self.path.join(self.manifest.frame_file(frame.number)), |out| {
            stats = match (product, &mut self.shared) {
                (Product::Pictures(writer), Some(shared)) => writer.write_sharing(frame, out, shared)?,
                (Product::Pictures(writer), None) => writer.write(frame, out)?,
                (Product::Parts, _) => part::write(frame, tally, out)?,
            };
            Ok(())
        })?;
        let particles = self.names.as_ref().map(|names| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            write_file(&self.path.join(points::file_name(frame.number)), |out| {
                points::write(frame, &names, out)
            })
        });
        let particles = particles.transpose()?;
        let shared = self.shared.as_ref().map_or(0, |s| s.bytes) - shared_before;
        let bytes = file.bytes + shared + particles.as_ref().map_or(0, |p| p.bytes);
        Ok((stats, file, particles, bytes))
    }

    /// Sees to it that all frames written so far outlive a power cut, before something is saved that relies on them.
    pub fn make_safe(&mut self) -> Result<()> {
        for number in self.unsafe_frames.drain(..) {
            sync_file(&self.path.join(self.manifest.frame_file(number)))?;
        }
        Ok(())
    }

    /// Writes the manifest if it does not know all frames yet.
    pub fn finish(&mut self) -> Result<()> {
        if self.behind {
            let started = Instant::now();
            self.manifest.write(&self.path)?;
            self.due = Instant::now() + started.elapsed() * SHARE;
            self.behind = false;
        }
        Ok(())
    }
}

/// Writes camera, light, scenery and textures, and notes them in the manifest.
fn write_shared(
    path: &Path,
    manifest: &mut Manifest,
    recorded: &BTreeMap<String, Written>,
    writer: &PovWriter,
    remarks: &mut Vec<Diagnostic>,
) -> Result<()> {
    let common = writer.common_inc();
    let kept = keep_if_edited(path, recorded.get(COMMON), common.as_bytes(), remarks)?;
    let common = match kept {
        true => recorded
            .get(COMMON)
            .cloned()
            .unwrap_or_else(|| Written::of(common.as_bytes())),
        false => write_file(&path.join(COMMON), |out| out.write_all(common.as_bytes()))?,
    };
    manifest.files.insert(COMMON.into(), common);
    let scenery = write_file(&path.join(SCENERY), |out| writer.mesh_inc(out))?;
    manifest.files.insert(SCENERY.into(), scenery);
    for (from, to) in writer.textures() {
        let target = path.join(to);
        if let Some(parent) = target.parent() {
            fs_err::create_dir_all(parent)?;
        }
        let bytes = fs_err::read(from)?;
        manifest
            .files
            .insert(to.clone(), write_file(&target, |out| out.write_all(&bytes))?);
    }
    Ok(())
}

fn settings(scene: &Scene) -> Settings {
    let collision = match scene.collision {
        Collision::Exact => "exact",
        Collision::Karabassi => "karabassi",
        Collision::Ray => "ray",
    };
    Settings {
        collision: collision.into(),
        seed: scene.seed,
        frames: scene.time.frames,
        frame_rate: scene.time.frame_rate,
        steps_per_frame: scene.time.steps_per_frame,
    }
}

fn entry(frame: &Frame, tally: &Tally, stats: &FrameStats, file: Written) -> FrameEntry {
    let counts = [
        ("pushed_out", tally.pushed_out),
        ("over_limit", tally.over_limit),
        ("contacts", tally.contacts),
        ("contact_limit", tally.contact_limit),
        ("crushed", tally.crushed),
        ("escapes", tally.escapes),
        ("not_finite", tally.not_finite),
        ("buried", stats.buried),
        ("thinned", stats.thinned),
        ("merged", stats.merged),
        ("unwritable", stats.unwritable),
        ("copies", stats.copies),
    ];
    FrameEntry {
        number: frame.number,
        time: frame.time,
        born: tally.born,
        airborne: stats.airborne,
        settled: stats.settled,
        died: tally.died,
        lost: tally.lost,
        rejected: tally.blocked + tally.crowded + tally.waited_out + tally.over_limit,
        counts: counts
            .iter()
            .filter(|c| c.1 > 0)
            .map(|&(name, n)| (name.to_string(), n))
            .collect(),
        components: stats.components + stats.spheres + stats.copies,
        file,
        particles: None,
    }
}

fn remove_frames(path: &Path, old: &Manifest, remarks: &mut Vec<Diagnostic>) -> Result<()> {
    let mut removed = 0;
    for frame in &old.frames {
        removed += u32::from(remove_if_there(&path.join(old.frame_file(frame.number)))?);
        remove_if_there(&path.join(points::file_name(frame.number)))?;
        remove_if_there(&crate::preview::file_name(path, frame.number))?;
    }
    shared::remove_all(path)?;
    if removed > 0 {
        remarks.push(Diagnostic::new(format!(
            "{}: {removed} frames of an earlier run with other inputs were removed",
            path.display()
        )));
    }
    Ok(())
}

fn remove_if_there(file: &Path) -> Result<bool> {
    let there = file.exists();
    if there {
        fs_err::remove_file(file)?;
    }
    Ok(there)
}

/// Whether `common.inc` is the user's own by now: it is there, and neither what was written last nor what would be
/// written now.
fn keep_if_edited(
    path: &Path,
    last: Option<&Written>,
    new: &[u8],
    remarks: &mut Vec<Diagnostic>,
) -> Result<bool> {
    let file = path.join(COMMON);
    if !file.exists() {
        return Ok(false);
    }
    let now = Written::of(&fs_err::read(&file)?);
    if last == Some(&now) || now == Written::of(new) {
        return Ok(false);
    }
    remarks.push(
        Diagnostic::new(format!("{} has been edited and is kept as it is", file.display()))
            .help("delete it to get the scene's own camera, light and materials again"),
    );
    Ok(true)
}
