//! What the benches share: clocks, a small generator of numbers, meshes and query sets.

#![allow(dead_code, reason = "each bench uses a part of this")]

pub mod sets;
pub mod stage;

use std::time::Instant;

use partsim::math::{Aabb, Point3};

/// CPU time of this process [s]; wall time where the system does not tell.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the call writes only the struct it is given.
        if unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) } == 0 {
            return time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9;
        }
    }
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Median CPU and wall time [s] of `repeats` runs, after one that warms the caches.
pub fn median_of(repeats: usize, mut run: impl FnMut()) -> (f64, f64) {
    run();
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        let (c, w) = (cpu_seconds(), Instant::now());
        run();
        cpu.push(cpu_seconds() - c);
        wall.push(w.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    (median(&mut cpu), median(&mut wall))
}

/// xorshift64*: the same stream on every machine.
pub struct Stream(pub u64);

impl Stream {
    /// Uniform in 0 .. 1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in -size .. size on each axis.
    pub fn cube(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| (self.unit() * 2.0 - 1.0) * size)
    }
}

/// Where a point lies along the Morton curve of a box.
pub fn morton(p: &Point3, bounds: &Aabb) -> u32 {
    let scale = 1023.0 / bounds.extent().max().max(f64::MIN_POSITIVE);
    let [x, y, z] = [0, 1, 2].map(|a| spread(((p[a] - bounds.min[a]) * scale) as u32));
    x | y << 1 | z << 2
}

/// Ten bits with two zeros between neighbours.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00FF;
    let x = (x | x << 8) & 0x0300_F00F;
    let x = (x | x << 4) & 0x030C_30C3;
    (x | x << 2) & 0x0924_9249
}
