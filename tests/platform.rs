//! What reaches a particle's state is computed the same on every platform: no function of the standard library whose last
//! bits are the system's own, and no fused multiply-add outside the room whose answers it cannot change.

use std::path::{Path, PathBuf};

/// Their results are not fixed by IEEE 754 and differ between systems (sqrt and the four operations are fixed).
const UNFIXED: [&str; 21] = [
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2",
    "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "hypot",
];
/// Also unfixed, but asked for in whole powers or filters where they are harmless: allowed in these rooms only.
const ELSEWHERE: [(&str, &[&str]); 3] = [
    ("powi", &["write"]),
    ("cbrt", &[]),
    // Lanes of a filter that keeps too much, never too little, and of writers.
    ("mul_add", &["bvh", "collide", "write"]),
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// Lines before the tests of a file, without comments.
fn production(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .map(|(n, line)| (n + 1, line.split("//").next().unwrap_or("")))
}

#[test]
fn t37_no_particle_depends_on_the_mathematics_of_its_platform() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 100, "{} files", files.len());
    let mut faults = Vec::new();
    for path in files {
        let name = path
            .strip_prefix(&src)
            .expect("below src")
            .to_string_lossy()
            .replace('\\', "/");
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = fs_err::read_to_string(&path).expect("a readable file");
        for (number, line) in production(&text) {
            let mut refuse = |function: &str| {
                if line.contains(&format!(".{function}(")) || line.contains(&format!("f64::{function}")) {
                    faults.push(format!(
                        "src/{name}:{number}: `{function}` differs between platforms: use libm"
                    ));
                }
            };
            UNFIXED.iter().for_each(|function| refuse(function));
            for (function, rooms) in ELSEWHERE {
                if !rooms.iter().any(|room| name.starts_with(room)) {
                    refuse(function);
                }
            }
        }
    }
    assert_eq!(faults, [""; 0]);
}
