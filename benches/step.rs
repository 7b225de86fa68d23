#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]
mod support;
use std::time::Instant;
use support::cpu_seconds;
use support::stage::{self, Crowd, Order, Stage};

fn main() {
    let n: usize = std::env::var("STEP_PARTICLES").map_or(1_000_000, |v| v.parse().expect("n"));
    let steps: usize = std::env::var("STEP_STEPS").map_or(100, |v| v.parse().expect("n"));
    for (threads, crowd) in [(1, Crowd::Around), (1, Crowd::Close)] {
        for (audit, order) in [
            (false, Order::Scattered),
            (false, Order::ByPlace),
            (true, Order::Scattered),
        ] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            let mut stage = Stage::new(
                stage::world(
                    std::env::var("STEP_CUTS").map_or(71, |v| v.parse().expect("n")),
                    audit,
                ),
                n,
                std::env::var("STEP_RADIUS").map_or(0.01, |v| v.parse().expect("n")),
                crowd,
                order,
            );
            let mut flown = 0;
            let mut each = vec![];
            for _ in 0..steps {
                let f = stage.flying();
                flown += f;
                let (c, w) = (cpu_seconds(), Instant::now());
                pool.install(|| stage.step());
                each.push(((cpu_seconds() - c), w.elapsed().as_secs_f64(), f));
            }
            let cpu: f64 = each.iter().map(|e| e.0).sum();
            let wall: f64 = each.iter().map(|e| e.1).sum();
            println!(
                "audit {audit} byplace {} threads {threads}: cpu {:.1} ns wall {:.1} ns; {:.2} M/s; contacts {:.4} a particle-step, flying at the end {}; first {:.0} last {:.0}",
                order == Order::ByPlace,
                cpu * 1e9 / flown as f64,
                wall * 1e9 / flown as f64,
                flown as f64 / cpu / 1e6,
                stage.state.tally.contacts as f64 / flown as f64,
                stage.flying(),
                each[0].0 * 1e9 / each[0].2 as f64,
                each.last().unwrap().0 * 1e9 / each.last().unwrap().2 as f64
            );
        }
    }
}
