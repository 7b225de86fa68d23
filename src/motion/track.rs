//! The way of a mesh that moves as a whole: poses at equal moments, and what lies between them.
//!
//! Between two of these moments its middle goes straight and it turns evenly about one axis. So velocities are known
//! exactly, and whoever goes from moment to moment meets no bend. They are so close that it turns by a tenth of a radian
//! at the most.

use std::sync::Arc;

use super::pose::{Instant, Pose, Turn};
use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};

/// The largest turn between two moments [radians].
const LARGEST_TURN: Real = 0.1;
/// Moments in one step at the most.
const MOST: u32 = 1024;
/// The largest turn in one step [radians].
pub const FASTEST_TURN: Real = LARGEST_TURN * MOST as Real;
/// Moments that are worked out in advance at the most, for all of a run; later ones are worked out when asked for.
const KEPT: u64 = 1 << 17;

/// How a mesh moves as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Rigid {
    /// By displacements [m] and turns about x, then y, then z [degrees].
    Keys {
        /// Displacement [m].
        translate: Keyed<Vec3>,
        /// Turn [degrees].
        rotate_deg: Keyed<Vec3>,
    },
    /// About a unit vector [degrees/s].
    Spin {
        /// Unit vector.
        axis: Vec3,
        /// How fast [degrees/s].
        deg_per_s: Keyed<Real>,
    },
    /// By poses at given moments [s], in order, with straight ways between them.
    Baked(Vec<(Real, Point3, Turn)>),
    /// Not by itself.
    Still,
}

impl Rigid {
    /// Where `about` is at a moment [s], and the turn.
    fn at(&self, about: &Point3, time: Real) -> (Point3, Turn) {
        match self {
            Self::Keys {
                translate,
                rotate_deg,
            } => (about + translate.at(time), Turn::of_angles(&rotate_deg.at(time))),
            Self::Spin { axis, deg_per_s } => {
                // Whole turns out first: they are exact, and sines of large angles lose digits.
                let deg = deg_per_s.integral(0.0, time) % 360.0;
                (*about, Turn::about(axis, deg.to_radians()))
            }
            Self::Baked(keys) => {
                let next = keys.partition_point(|k| k.0 <= time);
                match (next.checked_sub(1).map(|i| &keys[i]), keys.get(next)) {
                    (Some(a), Some(b)) => {
                        let s = (time - a.0) / (b.0 - a.0);
                        (a.1 + (b.1 - a.1) * s, a.2.toward(&b.2.near(&a.2), s).unit())
                    }
                    (Some(k), None) | (None, Some(k)) => (k.1, k.2),
                    (None, None) => (*about, Turn::NONE),
                }
            }
            Self::Still => (*about, Turn::NONE),
        }
    }

    /// A bound of how fast it ever turns [radians/s].
    pub fn fastest_turn(&self) -> Real {
        match self {
            Self::Keys { rotate_deg, .. } => {
                let rate = |pair: &[(Real, Vec3)]| {
                    let (a, b) = (&pair[0], &pair[1]);
                    // A smooth way is half as fast again in its middle; a jump between two keys is no turn.
                    let sum = (b.1 - a.1).iter().map(|x| x.abs()).sum::<Real>();
                    if b.0 > a.0 { 1.5 * sum / (b.0 - a.0) } else { 0.0 }
                };
                let fastest = rotate_deg.keys().windows(2).map(rate).fold(0.0, Real::max);
                fastest.to_radians()
            }
            Self::Spin { deg_per_s, .. } => {
                let rates = deg_per_s.keys().iter().map(|k| k.1.abs());
                rates.fold(0.0, Real::max).to_radians()
            }
            Self::Baked(keys) => {
                let rate = |pair: &[(Real, Point3, Turn)]| {
                    let (a, b) = (&pair[0], &pair[1]);
                    if b.0 > a.0 {
                        a.2.angle_to(&b.2) / (b.0 - a.0)
                    } else {
                        0.0
                    }
                };
                keys.windows(2).map(rate).fold(0.0, Real::max)
            }
            Self::Still => 0.0,
        }
    }
}

/// A moment of a track.
#[derive(Debug, Clone, Copy)]
struct Node {
    center: Point3,
    turn: Turn,
}

/// The way of a mesh through a run.
#[derive(Debug, Clone)]
pub struct Track {
    rigid: Rigid,
    /// What it turns about, in the mesh as it was placed [m].
    about: Point3,
    carrier: Option<Arc<Track>>,
    /// Time between two moments [s].
    pause: Real,
    /// Moments in one step.
    per_step: u32,
    nodes: Vec<Node>,
}

impl Track {
    /// For steps of a length [s], of which about so many are asked for.
    ///
    /// # Errors
    /// The turn in one step [radians] where it is more than [`FASTEST_TURN`].
    pub fn new(
        rigid: Rigid,
        about: Point3,
        carrier: Option<Arc<Track>>,
        step: Real,
        steps: u64,
    ) -> Result<Self, Real> {
        let mut track = Self {
            rigid,
            about,
            carrier,
            pause: step,
            per_step: 1,
            nodes: Vec::new(),
        };
        let turn = track.fastest_turn() * step;
        if turn > FASTEST_TURN || turn.is_nan() {
            return Err(turn);
        }
        track.per_step = ((turn / LARGEST_TURN).ceil() as u32).clamp(1, MOST);
        track.pause = step / Real::from(track.per_step);
        let wanted = steps.saturating_add(1).saturating_mul(u64::from(track.per_step));
        track.nodes = (0..=wanted.min(KEPT)).map(|k| track.work_out(k)).collect();
        Ok(track)
    }

    /// A bound of how fast it ever turns, carriers included [radians/s].
    pub fn fastest_turn(&self) -> Real {
        let carrier = self.carrier.as_ref().map_or(0.0, |c| c.fastest_turn());
        self.rigid.fastest_turn() + carrier
    }

    /// Time between two of its moments [s]; velocities are even in between.
    pub fn pause(&self) -> Real {
        self.pause
    }

    /// What the motion makes of the place it turns about, and the turn, at a moment [s].
    fn exact(&self, time: Real) -> Node {
        let (center, turn) = self.rigid.at(&self.about, time);
        match &self.carrier {
            None => Node { center, turn },
            Some(carrier) => {
                let under = carrier.exact(time);
                Node {
                    center: Pose::new(carrier.about, under.center, &under.turn).to_world(&center),
                    turn: under.turn.after(&turn),
                }
            }
        }
    }

    fn work_out(&self, k: u64) -> Node {
        self.exact(k as Real * self.pause)
    }

    fn node(&self, k: u64) -> Node {
        let kept = usize::try_from(k).ok().and_then(|k| self.nodes.get(k));
        kept.copied().unwrap_or_else(|| self.work_out(k))
    }

    /// Number of the moment before or at a time [s].
    fn number(&self, time: Real) -> u64 {
        // A cast takes what is negative or no number to 0.
        (time / self.pause) as u64
    }

    /// The end of the even motion that a time [s] lies in.
    pub fn even_until(&self, time: Real) -> Real {
        let mut next = self.number(time) + 1;
        // At a moment itself rounding may show the one before.
        if next as Real * self.pause <= time * (1.0 + 1e-12) {
            next += 1;
        }
        next as Real * self.pause
    }

    /// Where the mesh is at a moment [s] >= 0.
    pub fn pose(&self, time: Real) -> Pose {
        self.instant(time).pose
    }

    /// The same, and how it moves from then on.
    pub fn instant(&self, time: Real) -> Instant {
        self.within(self.number(time), time)
    }

    /// Both ends of a span of time [s]: its start as it goes on, and its end as it has come. Where the motion is even between
    /// them both belong to that.
    pub fn instants(&self, span: [Real; 2]) -> [Instant; 2] {
        if span[1] - span[0] > 1.001 * self.pause {
            let last = self.number(span[1] - 0.5 * self.pause);
            return [self.instant(span[0]), self.within(last, span[1])];
        }
        // The middle is on no border, whatever rounding has done to the ends.
        let k = self.number(0.5 * (span[0] + span[1]));
        span.map(|time| self.within(k, time))
    }

    fn within(&self, k: u64, time: Real) -> Instant {
        let (a, b) = (self.node(k), self.node(k + 1));
        let share = time / self.pause - k as Real;
        let to = b.turn.near(&a.turn);
        let turn = a.turn.toward(&to, share);
        // d/dt of q / |q|, times its inverse: what changes the length alone drops out of the vector part.
        let change = Turn {
            vector: (to.vector - a.turn.vector) / self.pause,
            scalar: (to.scalar - a.turn.scalar) / self.pause,
        };
        let length2 = turn.vector.norm_squared() + turn.scalar * turn.scalar;
        let spin = change.after(&turn.back()).vector * (2.0 / length2);
        let pose = Pose::new(self.about, a.center + (b.center - a.center) * share, &turn);
        Instant::rigid(pose, (b.center - a.center) / self.pause, &spin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(deg_per_s: Real) -> Track {
        let rigid = Rigid::Spin {
            axis: Vec3::y(),
            deg_per_s: deg_per_s.into(),
        };
        Track::new(rigid, Point3::new(1.0, 0.0, 0.0), None, 0.1, 20).expect("slow enough")
    }

    #[test]
    fn a_spin_is_exact_at_its_moments_and_turns_at_its_speed() {
        let track = spin(90.0);
        let at = track.pose(1.0).to_world(&Point3::new(2.0, 3.0, 0.0));
        assert!((at - Point3::new(1.0, 3.0, -1.0)).norm() < 1e-14, "{at}");
        let now = track.instant(0.33);
        let rim = now.velocity_at(&(now.pose.center() + Vec3::x()));
        assert!(
            (rim + Vec3::z() * (0.5 * std::f64::consts::PI)).norm() < 2e-3,
            "{rim}"
        );
    }

    #[test]
    fn velocities_are_the_slopes_of_places() {
        let track = spin(400.0);
        let p = Point3::new(0.2, 3.0, 0.4);
        for time in [0.01, 0.234, 1.777, 9.0] {
            let h = 1e-6;
            let place = |t: Real| track.pose(t).to_world(&p);
            let slope = (place(time + h) - place(time - h)) / (2.0 * h);
            let velocity = track.instant(time).velocity_at(&place(time));
            assert!((slope - velocity).norm() < 1e-6, "{time}: {slope} {velocity}");
        }
    }

    #[test]
    fn what_is_not_kept_is_the_same_as_what_is() {
        let mut track = spin(123.0);
        let kept: Vec<Pose> = (0..40).map(|i| track.pose(Real::from(i) * 0.0371)).collect();
        track.nodes.truncate(3);
        assert!((0..40).all(|i| track.pose(Real::from(i) * 0.0371) == kept[i as usize]));
    }

    #[test]
    fn a_carried_wheel_turns_on_its_cart() {
        let cart = Rigid::Keys {
            translate: Keyed::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::x())], false),
            rotate_deg: Vec3::zeros().into(),
        };
        let cart = Arc::new(Track::new(cart, Point3::origin(), None, 0.1, 10).expect("slow"));
        let wheel = Rigid::Spin {
            axis: Vec3::z(),
            deg_per_s: (-90.0).into(),
        };
        let wheel = Track::new(wheel, Point3::new(0.0, 1.0, 0.0), Some(cart), 0.1, 10).expect("slow");
        let rim = wheel.pose(1.0).to_world(&Point3::new(0.0, 2.0, 0.0));
        assert!((rim - Point3::new(2.0, 1.0, 0.0)).norm() < 1e-14, "{rim}");
    }

    #[test]
    fn even_motion_ends_after_the_moment_asked_for() {
        let track = spin(400.0);
        let mut time = 0.0;
        for _ in 0..1000 {
            let next = track.even_until(time);
            assert!(next > time && next < time + 1.0001 * track.pause());
            time = next;
        }
    }

    #[test]
    fn what_turns_too_fast_is_refused() {
        let rigid = Rigid::Spin {
            axis: Vec3::y(),
            deg_per_s: 1e6.into(),
        };
        assert!(Track::new(rigid, Point3::origin(), None, 0.1, 1).is_err());
    }
}
