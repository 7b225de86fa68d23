//! Text that is made in parallel and written in order, without ever being held as a whole.

use std::io::{self, Write};

use rayon::prelude::*;

/// Parts whose text is made before it is written.
const AT_ONCE: usize = 32;

/// Writes parts `0 .. count` one after the other; the text of some is made while others are written.
pub fn write_parts(
    out: &mut dyn Write,
    count: usize,
    part: impl Fn(usize) -> Vec<u8> + Sync,
) -> io::Result<()> {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for first in (0..count).step_by(AT_ONCE) {
        let ready = std::mem::take(&mut texts);
        let parts = (first..count.min(first + AT_ONCE)).into_par_iter();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| texts = parts.map(&part).collect());
            ready.iter().try_for_each(|text| out.write_all(text))
        })?;
    }
    texts.iter().try_for_each(|text| out.write_all(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_their_order_and_each_once() {
        for count in [0, 1, AT_ONCE - 1, AT_ONCE, 2 * AT_ONCE + 5] {
            let mut out = Vec::new();
            write_parts(&mut out, count, |i| format!("{i},").into_bytes()).unwrap();
            let all: String = (0..count).map(|i| format!("{i},")).collect();
            assert_eq!(String::from_utf8(out).unwrap(), all);
        }
    }
}
