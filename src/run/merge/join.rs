//! The parts of one frame put together.

use rayon::prelude::*;

use crate::frame::{Detail, Frame};
use crate::state::Tally;

/// Where a particle is: its birth number, its part, and its row in there.
type Row = (u64, u32, u32);

/// Particles of all parts in birth order, and all counts; an error names what cannot be true of parts of one run.
pub fn join(parts: Vec<(Frame, Tally)>) -> Result<(Frame, Tally), &'static str> {
    let Some((first, tally)) = parts.first().map(|(f, t)| ((f.number, f.time), *t)) else {
        return Err("everything");
    };
    let mut sum = Tally::default();
    for (frame, part) in &parts {
        if (frame.number, frame.time) != first {
            return Err("its time");
        }
        if births(part) != births(&tally) {
            return Err("its births");
        }
        sum = sum.plus(*part);
    }
    let mut rows: Vec<Row> = Vec::with_capacity(parts.iter().map(|(f, _)| f.len()).sum());
    for ((frame, _), part) in parts.iter().zip(0..) {
        rows.extend(frame.id.iter().zip(0..).map(|(&id, row)| (id, part, row)));
    }
    rows.par_sort_unstable();
    let frame = Frame {
        number: first.0,
        time: first.1,
        id: rows.iter().map(|r| r.0).collect(),
        position: gather(&parts, &rows, |f| &f.position),
        radius: gather(&parts, &rows, |f| &f.radius),
        material: gather(&parts, &rows, |f| &f.material),
        normal: gather(&parts, &rows, |f| &f.normal),
        detail: join_details(&parts, &rows)?,
    };
    // Every shard gives all births, and counts them all.
    Ok((frame, with_births(sum, &tally)))
}

/// The counts of births, which all shards share; children are none, or the run could not be shared out.
fn births(t: &Tally) -> [u64; 8] {
    [
        t.wanted,
        t.born,
        t.children,
        t.blocked,
        t.crowded,
        t.waited_out,
        t.over_limit,
        t.pushed_out,
    ]
}

fn with_births(sum: Tally, one: &Tally) -> Tally {
    Tally {
        wanted: one.wanted,
        born: one.born,
        children: one.children,
        blocked: one.blocked,
        crowded: one.crowded,
        waited_out: one.waited_out,
        over_limit: one.over_limit,
        pushed_out: one.pushed_out,
        ..sum
    }
}

fn gather<T: Copy>(parts: &[(Frame, Tally)], rows: &[Row], column: impl Fn(&Frame) -> &[T]) -> Vec<T> {
    let columns: Vec<&[T]> = parts.iter().map(|(frame, _)| column(frame)).collect();
    rows.iter()
        .map(|&(_, part, row)| columns[part as usize][row as usize])
        .collect()
}

/// What no picture needs, when the scene asks for it.
fn join_details(parts: &[(Frame, Tally)], rows: &[Row]) -> Result<Option<Detail>, &'static str> {
    fn pick<T: Copy>(details: &[&Detail], rows: &[Row], column: impl Fn(&Detail) -> &[T]) -> Vec<T> {
        let columns: Vec<&[T]> = details.iter().map(|detail| column(detail)).collect();
        rows.iter()
            .map(|&(_, part, row)| columns[part as usize][row as usize])
            .collect()
    }
    let details: Vec<&Detail> = parts.iter().filter_map(|(f, _)| f.detail.as_ref()).collect();
    if details.is_empty() {
        return Ok(None);
    }
    if details.len() < parts.len() {
        return Err("what is known of its particles");
    }
    Ok(Some(Detail {
        velocity: pick(&details, rows, |d| &d.velocity),
        age: pick(&details, rows, |d| &d.age),
        status: pick(&details, rows, |d| &d.status),
        triangle: pick(&details, rows, |d| &d.triangle),
    }))
}
