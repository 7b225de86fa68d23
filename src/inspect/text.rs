//! A report as text for people and as JSON for machines.

use std::fmt;

use serde_json::{Value, json};

use super::{Finding, Inspection, Spot};

/// Places of each kind that the text names.
const NAMED: usize = 3;
/// The same in JSON.
const LISTED: usize = 1000;

impl Inspection {
    /// `file:line` of a face, or the number of the triangle where lines are not known.
    fn line(&self, triangle: u32) -> String {
        let path = self.report.path.display();
        match self.mesh.lines.get(triangle as usize) {
            Some(line) => format!("{path}:{line}"),
            None => format!("{path}, triangle {triangle}"),
        }
    }

    fn place(&self, spot: &Spot) -> String {
        match spot.other {
            None => self.line(spot.triangle),
            Some(other) => {
                let line = self.mesh.lines.get(other as usize).copied().unwrap_or(other);
                format!("{} with {line}", self.line(spot.triangle))
            }
        }
    }

    fn sizes(&self) -> String {
        let r = &self.report;
        let [x, y, z] = r.size;
        let volume = match r.volume {
            Some(volume) => format!("closed, volume {}", shown(volume)),
            None => "open".to_owned(),
        };
        format!(
            "{} triangles, {} vertices in {} places, {} x {} x {}, area {}, {volume}, {} piece{}",
            r.triangles,
            r.vertices,
            r.places,
            shown(x),
            shown(y),
            shown(z),
            shown(r.area),
            r.pieces,
            if r.pieces == 1 { "" } else { "s" }
        )
    }

    /// The findings, two lines each: number, name and places; what the collider makes of it.
    pub fn findings(&self) -> Vec<String> {
        self.report.findings.iter().map(|f| self.finding(f)).collect()
    }

    fn finding(&self, finding: &Finding) -> String {
        let places: Vec<String> = finding.places.iter().take(NAMED).map(|s| self.place(s)).collect();
        let more = finding.count.saturating_sub(places.len() as u64);
        let rest = match (places.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!(": {}", places.join(", ")),
            (false, _) => format!(": {} and {more} more", places.join(", ")),
        };
        let kind = finding.kind;
        format!(
            "{:>9}  {}{rest}\n           {}",
            finding.count,
            kind.name(),
            kind.effect()
        )
    }

    /// Everything for machines: sizes and, for each kind of finding, its number, lines of its first places and effect.
    pub fn json(&self) -> Value {
        let r = &self.report;
        let line = |t: u32| self.mesh.lines.get(t as usize);
        let place = |s: &Spot| {
            json!({"triangle": s.triangle, "line": line(s.triangle),
            "other_triangle": s.other, "other_line": s.other.and_then(line)})
        };
        let findings: Vec<Value> = r
            .findings
            .iter()
            .map(|f| {
                let places: Vec<Value> = f.places.iter().take(LISTED).map(place).collect();
                json!({"kind": f.kind.key(), "fault": f.kind.is_fault(), "count": f.count,
                    "places": places, "collider": f.kind.effect()})
            })
            .collect();
        json!({"file": r.path.to_string_lossy(), "triangles": r.triangles, "vertices": r.vertices,
            "places": r.places, "size": r.size, "area": r.area, "closed": r.closed, "volume": r.volume,
            "pieces": r.pieces, "faults": r.faults(), "findings": findings})
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.report.path.display(), self.sizes())?;
        for finding in self.findings() {
            writeln!(f, "{finding}")?;
        }
        match self.report.faults() {
            0 => writeln!(f, "no faults"),
            1 => writeln!(f, "1 fault"),
            n => writeln!(f, "{n} faults"),
        }
    }
}

/// Six digits are enough to recognise a size by.
fn shown(x: f64) -> String {
    if x != 0.0 && !(1e-4..1e7).contains(&x.abs()) {
        return format!("{x:.5e}");
    }
    let digits = (5.0 - libm::log10(x.abs().max(1e-4)).floor()).clamp(0.0, 9.0);
    let text = format!("{x:.*}", digits as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
