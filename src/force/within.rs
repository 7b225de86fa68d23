//! A force that acts in a part of space only, with a soft edge.

use super::{Force, Push, Subject};
use crate::math::{Aabb, Point3, Real};
use crate::scene::{Region, RegionShape};

/// A force and where it acts.
pub struct Within {
    /// What acts there.
    pub force: Box<dyn Force>,
    /// Where.
    pub region: Region,
}

impl Force for Within {
    fn add(&self, on: &Subject, push: &mut Push) {
        let share = share(&self.region, &on.place);
        if share > 0.0 {
            let mut inner = Push::default();
            self.force.add(on, &mut inner);
            push.acceleration += inner.acceleration * share;
            push.air += inner.air * share;
            push.linear += inner.linear * share;
            push.quadratic += inner.quadratic * share;
        }
    }
}

/// 1 inside, 0 outside, in between 3 s^2 - 2 s^3 over the width of the edge, which lies inside.
pub fn share(region: &Region, place: &Point3) -> Real {
    let depth = match region.shape {
        RegionShape::Box { bounds } => depth_in_box(&bounds, place),
        RegionShape::Sphere { center, radius } => radius - (place - center).norm(),
    };
    if depth <= 0.0 {
        return 0.0;
    }
    if depth >= region.edge {
        return 1.0;
    }
    let s = depth / region.edge;
    s * s * (3.0 - 2.0 * s)
}

fn depth_in_box(bounds: &Aabb, place: &Point3) -> Real {
    let sides = (0..3).map(|i| (place[i] - bounds.min[i]).min(bounds.max[i] - place[i]));
    sides.fold(Real::INFINITY, Real::min)
}
