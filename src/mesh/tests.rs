use std::path::Path;

use proptest::prelude::*;

use super::part::Lines;
use super::stream::Sizes;
use super::{Mesh, read_with};
use crate::error::{Error, Result};

/// The outcome in a form that can be compared.
fn outcome(bytes: &[u8], window: usize, part: usize) -> std::result::Result<Mesh, String> {
    let read: Result<Mesh> = read_with(
        || Ok(bytes),
        Path::new("cut.obj"),
        Sizes {
            window,
            part,
            lines: Lines::Kept,
        },
    );
    read.map_err(|error| match error {
        Error::Input(diagnostics) => format!("{diagnostics:?}"),
        other => format!("{other:?}"),
    })
}

/// Lines that depend on what stands above them, and on where a line ends.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "v 0 0 0",
        "v 1 0 0 # corner",
        "v 0 \\\n 1 0",
        "v 0 0\\\r\n 1 2",
        "vt 0 0.5",
        "vt nan 1",
        "vn 0 0 1",
        "f -1 -2 -3",
        "f 1 2 3 4",
        "f 1/1 \\ \n 2/2 \\\n 3/3",
        "f -1/-1 -2/-1 -3/-1",
        "f 1 2",
        "l 1 2",
        "usemtl a",
        "usemtl b\\c",
        "usemtl",
        "mtllib nowhere.mtl",
        "# comment \\",
        "  ",
        "junk \\",
    ])
}

fn line_end() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["\n", "\r\n", "\r", "\r\r\n", "\n\n"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn where_the_file_is_cut_does_not_show(
        lines in prop::collection::vec((line(), line_end()), 0..40),
        window in 1_usize..200,
        part in 1_usize..60,
    ) {
        let mut text = String::from("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n");
        for (line, end) in lines {
            text.push_str(line);
            text.push_str(end);
        }
        let whole = outcome(text.as_bytes(), 1 << 20, 1 << 20);
        prop_assert_eq!(whole, outcome(text.as_bytes(), window, part));
    }
}
