//! The text of one frame: header, then for each material its blobs and its flying spheres.
//!
//! Every component and sphere stands on a line of its own that ends in `//` and its particle's birth number,
//! so that frames can be compared and read back; a `*` after the number marks a copy.

use std::io::{self, Write};

use rayon::prelude::*;

use super::blob::{Balls, Component, Covering, MERGE_AIRBORNE, Packing, cover, lone_factor, merge};
use super::clusters::cluster;
use super::number::push_integer;
use super::pieces::{FEWEST, pieces};
use super::scale::Scale;
use super::stream::write_parts;
use super::tiles::{EDGE, Tile, tile};
use crate::frame::Frame;
use crate::material::{Look, LookFamily};
use crate::math::{Point3, Real};
use crate::scene::Scene;
use crate::write::{FrameStats, Pieces};

/// Flying spheres whose text is made at once.
const SPHERES: usize = 1 << 14;

/// What the frames need to know of a material.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Stem of its POV-Ray identifiers, unique: `Snow` for "snow".
    pub stem: String,
    /// Its name in the scene.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Typical particle radius [units].
    pub radius: f64,
    /// Whether it flows: then drops in the air join what lies, as one liquid.
    flows: bool,
    /// Whether its particles lie on each other.
    packing: Packing,
    /// Edge of its tiles [units].
    edge: f64,
}

/// The scene's materials, in order.
pub fn drawn(scene: &Scene, scale: &Scale) -> Vec<Drawn> {
    let materials = &scene.materials;
    let mut all: Vec<Drawn> = Vec::with_capacity(materials.len());
    for (i, m) in materials.iter().enumerate() {
        let mut stem = identifier(&m.name);
        if all.iter().any(|d| d.stem == stem) {
            stem = format!("{stem}_{}", i + 1);
        }
        let typical = m.radius.typical() * scale.units;
        // Tiles suit small particles too, but not the very smallest: there the copies would cost too much.
        let small = (m.radius.min() * scale.units).max(0.5 * typical);
        let flows = scene.flow && m.substance.viscosity.is_finite();
        all.push(Drawn {
            stem,
            name: m.name.clone(),
            look: m.look,
            radius: typical,
            flows,
            packing: match (flows, scene.pile) {
                (true, _) => Packing::Film,
                (false, true) => Packing::Heap,
                (false, false) => Packing::Layer,
            },
            edge: EDGE * lone_factor(m.look.threshold) * small,
        });
    }
    all
}

/// A POV-Ray identifier for a name: keywords are lower case, so a capital in front avoids them all.
pub fn identifier(name: &str) -> String {
    let mut stem: String = name
        .chars()
        .take(40)
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
        stem.insert_str(0, "M_");
    }
    stem[..1].make_ascii_uppercase();
    stem
}

/// Writes the frame, with the text of its own scenery; see [`crate::write::FrameWriter::write`].
pub fn write(
    frame: &Frame,
    (materials, scenery): (&[Drawn], &[u8]),
    scale: &Scale,
    out: &mut dyn Write,
    mut shared: Option<&mut dyn Pieces>,
) -> io::Result<FrameStats> {
    let mut stats = FrameStats {
        particles: frame.len() as u64,
        ..FrameStats::default()
    };
    let parts: Vec<Part> = sort(frame, materials, scale, &mut stats)
        .into_iter()
        .zip(materials)
        .map(|([lying, flying], m)| Part::new(m, &lying, &flying))
        .collect();
    for part in &parts {
        part.count(&mut stats);
    }
    header(frame, scale, &stats, out)?;
    out.write_all(scenery)?;
    for part in &parts {
        match &mut shared {
            None => part.write_blobs(scale, out)?,
            Some(shared) => part.share_blobs(scale, out, &mut **shared)?,
        }
        part.write_flying(scale, out)?;
    }
    Ok(stats)
}

/// The particles of each material: what lies, what flies.
fn sort<'a>(
    frame: &'a Frame,
    materials: &[Drawn],
    scale: &Scale,
    stats: &mut FrameStats,
) -> Vec<[Balls<'a>; 2]> {
    let rows = (0..frame.len() as u32).into_par_iter();
    let sort = |mut sorted: Sorted, row: u32| {
        sorted.add(frame, materials, scale, row as usize);
        sorted
    };
    let pieces = rows
        .with_min_len(1 << 14)
        .fold(|| Sorted::none(materials.len()), sort);
    let sorted = pieces.reduce(|| Sorted::none(materials.len()), Sorted::and);
    stats.settled += sorted.settled;
    stats.airborne += sorted.airborne;
    stats.unwritable += sorted.unwritable;
    let balls = |rows| Balls {
        frame,
        rows,
        units: scale.units,
    };
    sorted.rows.into_iter().map(|rows| rows.map(balls)).collect()
}

/// Rows of a frame by what is made of them.
struct Sorted {
    /// Of each material: what lies, what flies.
    rows: Vec<[Vec<u32>; 2]>,
    settled: u64,
    airborne: u64,
    unwritable: u64,
}

impl Sorted {
    fn none(materials: usize) -> Self {
        Self {
            rows: vec![[const { Vec::new() }; 2]; materials],
            settled: 0,
            airborne: 0,
            unwritable: 0,
        }
    }

    fn add(&mut self, frame: &Frame, materials: &[Drawn], scale: &Scale, row: usize) {
        let settled = frame.is_settled(row);
        self.settled += u64::from(settled);
        self.airborne += u64::from(!settled);
        let (p, r) = (frame.position[row] * scale.units, frame.radius[row] * scale.units);
        let good = p.iter().all(|&x| scale.place.can_write(x))
            && r > 0.0
            && scale.place.can_write(1e3 * r)
            && frame.normal[row].iter().all(|x| x.is_finite());
        let material = frame.material[row] as usize;
        match self.rows.get_mut(material) {
            Some(rows) if good => {
                let lies = settled || materials[material].flows;
                rows[usize::from(!lies)].push(row as u32);
            }
            _ => self.unwritable += 1,
        }
    }

    /// These rows, and then others.
    fn and(mut self, others: Self) -> Self {
        for (rows, more) in self
            .rows
            .iter_mut()
            .flatten()
            .zip(others.rows.into_iter().flatten())
        {
            if rows.is_empty() {
                *rows = more;
            } else {
                rows.extend(more);
            }
        }
        Self {
            rows: self.rows,
            settled: self.settled + others.settled,
            airborne: self.airborne + others.airborne,
            unwritable: self.unwritable + others.unwritable,
        }
    }
}

/// What one material adds to a frame.
struct Part<'a> {
    material: &'a Drawn,
    covering: Covering,
    blobs: Vec<Tile>,
    wide: u64,
    flying: Vec<Component>,
    merged_flying: u64,
}

impl<'a> Part<'a> {
    fn new(material: &'a Drawn, lying: &Balls, flying: &Balls) -> Self {
        let covering = cover(lying, &material.look, material.packing);
        let (blobs, wide) = if material.look.transmit > 0.0 {
            let found = cluster(&covering.components, material.edge);
            (found.blobs, found.wide)
        } else {
            (tile(&covering.components, material.edge), 0)
        };
        let flyers = || 0..flying.len() as u32;
        let center: Vec<Point3> = flyers().map(|i| flying.center(i)).collect();
        let radius: Vec<Real> = flyers().map(|i| flying.radius(i)).collect();
        let kept = merge(&center, &radius, MERGE_AIRBORNE, &flying.levels());
        let spheres = kept.iter().map(|&i| Component {
            id: flying.id(i),
            center: center[i as usize],
            radius: radius[i as usize],
            strength: 1.0,
        });
        Self {
            material,
            covering,
            blobs,
            wide,
            merged_flying: (flying.len() - kept.len()) as u64,
            flying: spheres.collect(),
        }
    }

    fn count(&self, stats: &mut FrameStats) {
        stats.components += self.covering.components.len() as u64;
        stats.spheres += self.flying.len() as u64;
        stats.buried += self.covering.buried;
        stats.thinned += self.covering.thinned;
        stats.merged += self.covering.merged + self.merged_flying;
        stats.copies += self
            .blobs
            .iter()
            .map(|b| (b.members.len() - b.own()) as u64)
            .sum::<u64>();
        stats.blobs += self.blobs.len() as u64;
        stats.wide_clusters += self.wide;
    }

    fn write_blobs(&self, scale: &Scale, out: &mut dyn Write) -> io::Result<()> {
        let stem = &self.material.stem;
        write_parts(out, self.blobs.len(), |i| {
            let mut text = format!("blob{{\nthreshold {stem}_Threshold\n").into_bytes();
            self.push_lines(&self.blobs[i].members, scale, &mut text);
            text.extend_from_slice(format!("material{{{stem}_Settled}}\n}}\n").as_bytes());
            text
        })
    }

    /// The same, with most of the text in pieces of their own.
    fn share_blobs(&self, scale: &Scale, out: &mut dyn Write, shared: &mut dyn Pieces) -> io::Result<()> {
        let stem = &self.material.stem;
        for blob in &self.blobs {
            let parts = pieces(blob, &self.covering.components, self.material.edge);
            let text = |members: &Vec<(u32, bool)>| {
                let mut text = Vec::new();
                self.push_lines(members, scale, &mut text);
                text
            };
            let texts: Vec<Vec<u8>> = parts.par_iter().map(text).collect();
            writeln!(out, "blob{{\nthreshold {stem}_Threshold")?;
            for (part, text) in parts.iter().zip(texts) {
                if part.len() < FEWEST {
                    out.write_all(&text)?;
                } else {
                    writeln!(out, "#include \"{}\"", shared.keep(&text)?)?;
                }
            }
            writeln!(out, "material{{{stem}_Settled}}\n}}")?;
        }
        Ok(())
    }

    fn write_flying(&self, scale: &Scale, out: &mut dyn Write) -> io::Result<()> {
        let stem = &self.material.stem;
        if self.flying.is_empty() {
            return Ok(());
        }
        writeln!(out, "union{{")?;
        write_parts(out, self.flying.len().div_ceil(SPHERES), |i| {
            let spheres = &self.flying[i * SPHERES..self.flying.len().min((i + 1) * SPHERES)];
            let mut text = Vec::with_capacity(spheres.len() * 48);
            for s in spheres {
                push_sphere(s, scale, &mut text);
                push_end(s.id, false, &mut text);
            }
            text
        })?;
        // Thousands of sharp shadows of flakes would be speckle, not snow.
        let shadow = if self.material.look.family == LookFamily::Snow {
            " no_shadow"
        } else {
            ""
        };
        writeln!(out, "material{{{stem}_Flying}}{shadow}\n}}")
    }

    /// Lines of components, and whether each is a copy.
    fn push_lines(&self, members: &[(u32, bool)], scale: &Scale, text: &mut Vec<u8>) {
        text.reserve(members.len() * 60);
        for &(i, copy) in members {
            let c = &self.covering.components[i as usize];
            push_sphere(c, scale, text);
            text.push(b',');
            scale.strength.push(c.strength, text);
            push_end(c.id, copy, text);
        }
    }
}

/// `sphere{<x,y,z>,R`: commas are compulsory, `<1 -2 3>` is two numbers to POV-Ray.
#[inline]
fn push_sphere(c: &Component, scale: &Scale, text: &mut Vec<u8>) {
    text.extend_from_slice(b"sphere{<");
    scale.place.push(c.center.x, text);
    text.push(b',');
    scale.place.push(c.center.y, text);
    text.push(b',');
    scale.place.push(c.center.z, text);
    text.extend_from_slice(b">,");
    scale.radius.push(c.radius, text);
}

#[inline]
fn push_end(id: u64, copy: bool, text: &mut Vec<u8>) {
    text.extend_from_slice(b"}//");
    push_integer(id, text);
    text.extend_from_slice(if copy { b"*\n" } else { b"\n" });
}

fn header(frame: &Frame, scale: &Scale, s: &FrameStats, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "// partsim {}: frame {}\n\
         // time {} s\n\
         // particles {}: settled {}, airborne {}\n\
         // written: components {}, spheres {}; copies {}, blobs {}\n\
         // left out: buried {}, thinned {}, merged {}, unwritable {}\n\
         // scale {} units per metre; axes as in the scene, right-handed: `right -x*...` in common.inc keeps\n\
         // the picture from being mirrored\n\
         // lines: sphere{{<x,y,z>,radius,strength}}//birth number, with * for a copy in a neighbouring blob\n\
         #version 3.7;\n\
         #include \"common.inc\"\n\
         #include \"mesh.inc\"\n",
        env!("CARGO_PKG_VERSION"),
        frame.number,
        super::number::text(frame.time),
        s.particles,
        s.settled,
        s.airborne,
        s.components,
        s.spheres,
        s.copies,
        s.blobs,
        s.buried,
        s.thinned,
        s.merged,
        s.unwritable,
        super::number::text(scale.units),
    )
}
