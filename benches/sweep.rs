//! First touches of moving balls with meshes: nanoseconds a sweep.
//!
//! `PEERS_DATA` names a folder of sets made elsewhere; their answers are then written beside them. Without it sets of
//! the same kinds are made here and a sample of the answers is checked against every triangle. `SWEEP_SETS` picks
//! sets by comma, `SWEEP_THREADS` thread counts; all lengths are multiplied by `SCALE`, and then all coordinates moved by
//! `OFFSET`, which changes no answer.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::path::PathBuf;

use partsim::collide::mesh::StaticMesh;
use partsim::collide::{Collider, Hit, Sweep};
use partsim::geom::sweep_exact;
use partsim::scene::Collision;
use rayon::prelude::*;
use support::median_of;
use support::sets::{self, SETS, Set};

const REPEATS: usize = 5;
/// Sweeps a thread takes at a time.
const CHUNK: usize = 512;
/// Sweeps that are checked against every triangle.
const SAMPLE: usize = 50;

fn main() {
    let folder = std::env::var_os("PEERS_DATA").map(PathBuf::from);
    let wanted = std::env::var("SWEEP_SETS").ok();
    let threads = std::env::var("SWEEP_THREADS").unwrap_or_else(|_| "1,2".into());
    for kind in SETS {
        if wanted
            .as_ref()
            .is_some_and(|w| !w.split(',').any(|name| name == kind.0))
        {
            continue;
        }
        let mut set = match &folder {
            Some(folder) => sets::read(folder, kind),
            None => sets::make(kind),
        };
        set.place(number("SCALE", 1.0), number("OFFSET", 0.0));
        let world = StaticMesh::new(set.soup.vertices.clone(), &set.soup.triangles, Collision::Exact);
        let mut answers = Vec::new();
        for n in threads.split(',').filter_map(|n| n.parse().ok()) {
            answers = time(&set, &world, n);
        }
        match &folder {
            Some(folder) => save(folder.join(format!("partsim.{}.ans", set.name)), &answers),
            None => check(&set, &answers),
        }
    }
}

fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Times all sweeps with `threads` threads and returns the free fraction of each, infinite without a touch.
fn time(set: &Set, world: &StaticMesh, threads: usize) -> Vec<f32> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool");
    let mut answers = vec![f32::INFINITY; set.sweeps.len()];
    let (cpu, wall) = pool.install(|| {
        median_of(REPEATS, || {
            if set.scattered {
                answer_sorted(set, world, &mut answers);
            } else {
                let chunks = answers.par_chunks_mut(CHUNK).zip(set.sweeps.par_chunks(CHUNK));
                chunks.for_each_init(Vec::new, |hits, (answers, sweeps)| {
                    answer_all(world, sweeps, hits);
                    for (answer, hit) in answers.iter_mut().zip(hits) {
                        *answer = fraction(hit);
                    }
                });
            }
        })
    });
    let each = 1e9 / set.sweeps.len() as f64;
    println!(
        "TIME partsim {} threads={threads} cpu_ns={:.1} wall_ns={:.1} n={}",
        set.name,
        cpu * each,
        wall * each,
        set.sweeps.len()
    );
    answers
}

fn answer_all(world: &StaticMesh, sweeps: &[Sweep], hits: &mut Vec<Option<Hit>>) {
    hits.clear();
    hits.resize(sweeps.len(), None);
    world.first_touches(sweeps, hits);
}

fn fraction(hit: &Option<Hit>) -> f32 {
    hit.map_or(f32::INFINITY, |hit| hit.fraction as f32)
}

/// Sorts the sweeps by place first, so that neighbours find their part of the tree in the cache.
fn answer_sorted(set: &Set, world: &StaticMesh, answers: &mut [f32]) {
    let order = by_place(&set.sweeps);
    let found: Vec<f32> = order
        .par_chunks(CHUNK)
        .map_init(
            || (Vec::new(), Vec::new()),
            |(sweeps, hits), part| {
                sweeps.clear();
                sweeps.extend(part.iter().map(|&key| set.sweeps[key as u32 as usize]));
                answer_all(world, sweeps, hits);
                hits.iter().map(fraction).collect::<Vec<f32>>()
            },
        )
        .flatten_iter()
        .collect();
    for (key, answer) in order.iter().zip(found) {
        answers[*key as u32 as usize] = answer;
    }
}

/// Numbers of the sweeps in the low halves, in order of their starts along a Morton curve.
fn by_place(sweeps: &[Sweep]) -> Vec<u64> {
    let bounds = partsim::math::Aabb::around(sweeps.iter().map(|s| &s.from));
    let scale = 1023.0 / bounds.extent().max().max(f64::MIN_POSITIVE);
    let mut keys: Vec<u64> = sweeps
        .iter()
        .zip(0u64..)
        .map(|(s, i)| {
            let [x, y, z] = [0, 1, 2].map(|a| spread(((s.from[a] - bounds.min[a]) * scale) as u32));
            u64::from(x | y << 1 | z << 2) << 32 | i
        })
        .collect();
    let mut other = vec![0; keys.len()];
    for pass in 0..3 {
        by_digit(&keys, &mut other, 32 + 10 * pass);
        std::mem::swap(&mut keys, &mut other);
    }
    keys
}

/// One pass of a radix sort: by ten bits from `shift` up.
fn by_digit(from: &[u64], to: &mut [u64], shift: u32) {
    let digit = |key: u64| (key >> shift) as usize & 1023;
    let mut place = [0usize; 1024];
    for &key in from {
        place[digit(key)] += 1;
    }
    let mut sum = 0;
    for place in &mut place {
        sum += std::mem::replace(place, sum);
    }
    for &key in from {
        to[place[digit(key)]] = key;
        place[digit(key)] += 1;
    }
}

/// Ten bits with two zeros between neighbours.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00FF;
    let x = (x | x << 8) & 0x0300_F00F;
    let x = (x | x << 4) & 0x030C_30C3;
    (x | x << 2) & 0x0924_9249
}

fn save(path: PathBuf, answers: &[f32]) {
    let bytes: Vec<u8> = answers.iter().flat_map(|a| a.to_le_bytes()).collect();
    partsim::write::atomic::write_file(&path, |out| out.write_all(&bytes)).expect("a writable folder");
}

fn check(set: &Set, answers: &[f32]) {
    let step = set.sweeps.len().div_ceil(SAMPLE);
    let wrong = (0..set.sweeps.len()).step_by(step).filter(|&i| {
        let s = &set.sweeps[i];
        let every = set.soup.triangles.iter().filter_map(|t| {
            let corners = t.map(|v| set.soup.vertices[v as usize]);
            sweep_exact::sweep(&s.from, &s.along, s.radius, 0.0, &corners).map(|touch| touch.t as f32)
        });
        every.fold(f32::INFINITY, f32::min).to_bits() != answers[i].to_bits()
    });
    println!("CHECK partsim {}: {} wrong of {SAMPLE}", set.name, wrong.count());
}
