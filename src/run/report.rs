//! What a run did, in words: every particle accounted for, every limit named with the setting that changes it.

use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::folder::FrameDone;
use crate::collide::Collider;
use crate::frame_range::FrameRange;
use crate::math::{Point3, Real};
use crate::scene::{Collision, Scene};
use crate::shard::Shard;
use crate::state::{State, Status, Tally};
use crate::world::World;
use crate::write::FrameStats;

/// Seconds of a run, by stage. Writing and simulating overlap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seconds {
    /// Scene, meshes and tree.
    pub load: f64,
    /// Steps.
    pub simulate: f64,
    /// Frames and shared files.
    pub write: f64,
    /// The last look at all overlaps.
    pub audit: f64,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    /// Frames.
    pub frames: u32,
    /// Frames that were there already.
    pub kept: u64,
    /// Bytes of all files of frames.
    pub bytes: u64,
    /// What the writer did with the last frame's particles.
    pub last: FrameStats,
}

impl Written {
    /// Nothing yet, after an earlier run that has left these frames.
    pub fn after(done: &FrameRange) -> Self {
        Self {
            kept: done.len(),
            ..Self::default()
        }
    }

    /// Counts one more frame.
    pub fn add(&mut self, done: &FrameDone) {
        self.frames += 1;
        self.bytes += done.bytes;
        self.last = done.stats;
    }
}

/// How deep the balls of the last state cut triangles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cuts {
    /// Particles looked at.
    pub particles: u64,
    /// Balls cut by more than a hundredth of their radius.
    pub over_1_percent: u64,
    /// Balls cut by more than half of their radius.
    pub over_50_percent: u64,
    /// Deepest cut, in radii.
    pub deepest: f64,
}

/// Balls that are looked at together.
const TOGETHER: usize = 64;

/// Looks at the overlap of balls with the scenery at a moment [s].
pub fn cuts(world: &World, (centers, radii): (&[Point3], &[Real]), time: Real) -> Cuts {
    let scenery = world.at(time);
    let some = |(centers, radii): (&[Point3], &[Real])| {
        let mut deepest = [const { None }; TOGETHER];
        scenery.deepest_overlaps(centers, radii, &mut deepest);
        let mut cuts = Cuts::default();
        for (radius, overlap) in radii.iter().zip(&deepest) {
            let depth = overlap.as_ref().map_or(0.0, |o| o.depth / radius);
            cuts.particles += 1;
            cuts.over_1_percent += u64::from(depth > 0.01);
            cuts.over_50_percent += u64::from(depth > 0.5);
            cuts.deepest = cuts.deepest.max(depth);
        }
        cuts
    };
    let all = (centers.par_chunks(TOGETHER)).zip(radii.par_chunks(TOGETHER));
    all.with_min_len(8).map(some).reduce(Cuts::default, |a, b| Cuts {
        particles: a.particles + b.particles,
        over_1_percent: a.over_1_percent + b.over_1_percent,
        over_50_percent: a.over_50_percent + b.over_50_percent,
        deepest: a.deepest.max(b.deepest),
    })
}

/// What has become of particles at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ends {
    /// What happened to them.
    pub tally: Tally,
    /// In the air.
    pub airborne: u64,
    /// On their way down a heap.
    pub rolling: u64,
    /// In layers that flow or may flow again, and how many of them stand.
    pub flowing: [u64; 2],
    /// Held where they landed, come to rest, stopped by the test of 1999.
    pub settled: [u64; 3],
    /// Settled on something that moves, and riding on it.
    pub riding: u64,
}

impl Ends {
    /// Of the particles of a state.
    pub fn of(state: &State) -> Self {
        let particles = &state.particles;
        let count = |status| particles.status.iter().filter(|s| **s == status).count() as u64;
        Self {
            tally: state.tally,
            airborne: count(Status::Airborne),
            rolling: count(Status::Rolling),
            flowing: [
                count(Status::Flowing),
                particles.film.iter().filter(|f| f.still).count() as u64,
            ],
            settled: [Status::Stuck, Status::Rested, Status::Stopped].map(count),
            riding: crate::step::riding(particles),
        }
    }
}

/// What a run did; its text is the report.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The run folder.
    pub folder: PathBuf,
    /// Which sweep decided.
    pub collision: Collision,
    /// Triangles of the scenery.
    pub triangles: usize,
    /// Whether something of the scenery moves.
    pub moves: bool,
    /// What has become of particles.
    pub ends: Ends,
    /// What became of bodies; `None` in a scene without.
    pub bodies: Option<crate::world::Fates>,
    /// Overlaps at the end; `None` with `limits.audit: false`.
    pub cuts: Option<Cuts>,
    /// Frames and bytes.
    pub written: Written,
    /// Seconds by stage.
    pub seconds: Seconds,
    /// Which particles were simulated; all were born.
    pub shard: Shard,
    frames: u32,
    flow: bool,
    pile: bool,
}

impl Summary {
    /// Sums a run up.
    pub fn new(
        scene: &Scene,
        world: &World,
        ends: Ends,
        folder: &Path,
        written: Written,
        cuts: Option<Cuts>,
        seconds: Seconds,
    ) -> Self {
        Self {
            folder: folder.into(),
            collision: world.collision,
            triangles: world.triangles(),
            moves: !world.movers.is_empty(),
            ends,
            bodies: world.fates,
            cuts,
            written,
            seconds,
            shard: world.shard,
            frames: scene.time.frames,
            flow: scene.flow,
            pile: scene.pile,
        }
    }

    /// Limits that were reached and what to change.
    fn advice(&self) -> Vec<String> {
        let t = &self.ends.tally;
        let lines = [
            (
                t.blocked,
                "births refused because the scenery was in the way",
                "move the emitter, or `if_blocked: PushOut`",
            ),
            (
                t.crowded,
                "births refused because another particle was in the way",
                "lower the rate, enlarge the emitter, or `apart: false`",
            ),
            (
                t.waited_out,
                "births given up after they had waited a second",
                "lower the rate, move the emitter, or enlarge it",
            ),
            (t.over_limit, "births refused", "raise `limits.particles`"),
            (
                t.contact_limit,
                "particle-steps cut short",
                "raise `limits.contacts_per_step` or `time.steps_per_frame`",
            ),
            (
                t.film_limit,
                "particle-steps in which a layer was slowed down",
                "raise `time.steps_per_frame` or the material's `viscosity` if it should run faster",
            ),
            (
                t.lost - t.not_finite - t.buried,
                "particles left the kill box",
                "widen `limits.kill_box` if they should stay",
            ),
            (
                t.buried,
                "particles were lost because others had come to lie on them in the same step",
                "raise `time.steps_per_frame`, or move the emitter away from the heap",
            ),
            (
                t.roll_limit,
                "particles stopped rolling before they were held",
                "please report this scene",
            ),
            (
                if self.moves { t.squeezed } else { 0 },
                "times a particle was squeezed between surfaces that leave less room than its diameter",
                "let the surfaces keep a gap, or lower the material's `radius`",
            ),
            (
                t.crushed,
                "particles were crushed between surfaces that closed on them, and count as died",
                "let the surfaces keep a gap of a fifth of the `radius` if they should stay",
            ),
            (
                t.not_finite,
                "particles with numbers that are not finite were removed",
                "please report this scene",
            ),
            (
                self.written.last.unwritable,
                "particles could not be written",
                "set `output.scale`",
            ),
            (
                self.written.last.wide_clusters,
                "wide translucent clusters may show holes",
                "use an opaque look or fewer particles",
            ),
        ];
        lines
            .iter()
            .filter(|l| l.0 > 0)
            .map(|(n, what, how)| format!("{n} {what}: {how}"))
            .collect()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (t, w, s) = (&self.ends.tally, &self.written, &self.seconds);
        let [stuck, rested, stopped] = self.ends.settled;
        writeln!(
            f,
            "{}: {} of {} frames, {}",
            self.folder.display(),
            w.frames,
            self.frames,
            bytes(w.bytes)
        )?;
        if w.kept > 0 {
            writeln!(f, "resumed    {} frames of an earlier run are kept", w.kept)?;
        }
        if w.frames == 0 && w.kept > 0 {
            return writeln!(f, "           nothing was left to do");
        }
        if self.shard != Shard::WHOLE {
            writeln!(
                f,
                "shard      {}: all births are counted, and of every {} particles one is simulated here",
                self.shard,
                self.shard.of()
            )?;
        }
        writeln!(
            f,
            "particles  {} born: {} airborne, {} settled ({stuck} stuck, {rested} at rest, {stopped} stopped), {} died, {} lost",
            t.born,
            self.ends.airborne,
            stuck + rested + stopped,
            t.died,
            t.lost
        )?;
        if t.drifts > 0 {
            writeln!(
                f,
                "drift      {} hops over surfaces where the air is faster than `drift_speed`",
                t.drifts
            )?;
        }
        if let Some(bodies) = &self.bodies {
            writeln!(f, "bodies     {bodies}")?;
        }
        if self.moves {
            let riding = self.ends.riding;
            writeln!(
                f,
                "moving     {riding} ride on what moves; {} times one that lay was let go by it, {} times pushed by it, {} times squeezed, {} crushed",
                t.shaken, t.pushed, t.squeezed, t.crushed
            )?;
        }
        if self.pile {
            writeln!(
                f,
                "heaps      {} landings, {} moves to a lower place, {} held by cohesion, {} moved on because what held them went, {} taken back from a heap, {} still rolling",
                t.landings, t.hops, t.ledges, t.moved_on, t.taken_back, self.ends.rolling
            )?;
        }
        if self.flow {
            let [flowing, still] = self.ends.flowing;
            writeln!(
                f,
                "films      {flowing} flowing, of which {still} stand; {} splashes, {} drops, {} of them joined another, {} pieces of trails and threads",
                t.splashes, t.drops, t.joined, t.shed
            )?;
        }
        writeln!(
            f,
            "refused    {} births in the scenery, {} in others, {} after waiting, {} over the limit; {} moved out of it",
            t.blocked, t.crowded, t.waited_out, t.over_limit, t.pushed_out
        )?;
        writeln!(
            f,
            "contacts   {}, {} triangles, deepest overlap at a touch {:.1e} r",
            t.contacts, self.triangles, t.deepest
        )?;
        match &self.cuts {
            Some(c) => writeln!(
                f,
                "leaks      {} escapes, {} flights where the ball does not fit; {} balls cut by > 1 % of r, {} by > 50 %, deepest {:.1e} r",
                t.escapes, t.squeezed, c.over_1_percent, c.over_50_percent, c.deepest
            )?,
            None => writeln!(f, "leaks      not looked for (`limits.audit: false`)")?,
        }
        if self.collision == Collision::Karabassi {
            writeln!(
                f,
                "           the test of 1999 leaks when a stopped particle moves again; here it never does"
            )?;
        }
        let l = &w.last;
        writeln!(
            f,
            "last frame {} components in {} blobs ({} copies), {} spheres; left out {} buried, {} thinned, {} merged",
            l.components, l.blobs, l.copies, l.spheres, l.buried, l.thinned, l.merged
        )?;
        for line in self.advice() {
            writeln!(f, "note       {line}")?;
        }
        write!(
            f,
            "seconds    load {:.3}, simulate {:.3}, write {:.3}, audit {:.3}",
            s.load, s.simulate, s.write, s.audit
        )?;
        match peak_bytes() {
            Some(peak) => writeln!(f, "; peak memory {}", bytes(peak)),
            None => writeln!(f),
        }
    }
}

/// A size as people read it.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}

/// Largest memory of this process so far; only Linux tells.
pub fn peak_bytes() -> Option<u64> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
