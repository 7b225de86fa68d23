//! Steps of 1,000,000 particles in the air over a ball of 100,000 triangles: nanoseconds a particle and step, as rows
//! of Markdown.
//!
//! `STEP_PARTICLES`, `STEP_STEPS` (100), `STEP_CUTS` (71: 101,000 triangles; 224: a million) and `STEP_RADIUS` (0.01 m)
//! change the run.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::str::FromStr;
use std::time::Instant;

use support::cpu_seconds;
use support::stage::{self, Crowd, Order, Stage};

fn main() {
    println!(
        "| particles | threads | audit | CPU ns a particle-step | wall ns | million a second a core | touches in 1,000 |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (crowd, label) in [(Crowd::Around, "all around"), (Crowd::Close, "all close to it")] {
        for (threads, audit) in [(1, false), (2, false), (1, true)] {
            row(crowd, label, threads, audit);
        }
    }
}

fn row(crowd: Crowd, label: &str, threads: usize, audit: bool) {
    let world = stage::world(setting("STEP_CUTS", 71), audit);
    let count = setting("STEP_PARTICLES", 1_000_000);
    let mut stage = Stage::new(
        world,
        count,
        setting("STEP_RADIUS", 0.01),
        crowd,
        Order::Scattered,
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool");
    let (mut flown, mut cpu, mut wall) = (0, 0.0, 0.0);
    for _ in 0..setting("STEP_STEPS", 100) {
        flown += stage.flying();
        let (c, w) = (cpu_seconds(), Instant::now());
        pool.install(|| stage.step());
        cpu += cpu_seconds() - c;
        wall += w.elapsed().as_secs_f64();
    }
    let each = 1e9 / flown as f64;
    println!(
        "| {count}, {label} | {threads} | {} | {:.0} | {:.0} | {:.1} | {:.1} |",
        if audit { "on" } else { "off" },
        cpu * each,
        wall * each,
        1e3 / (cpu * each),
        1e3 * stage.state.tally.contacts as f64 / flown as f64
    );
}

fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}
