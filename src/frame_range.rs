//! Sets of frame numbers as people write them: `12`, `3-9`, `1-5,8,20-30`.
//!
//! Knows nothing of files or runs; what [`FrameRange`] prints, it also reads.

use std::fmt;
use std::str::FromStr;

/// Frame numbers, counted from 1, as ascending closed ranges that neither touch nor overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameRange(Vec<(u32, u32)>);

impl FrameRange {
    /// All numbers from 1 to `last`.
    pub fn up_to(last: u32) -> Self {
        Self::merged((last > 0).then_some((1, last)).into_iter().collect())
    }

    /// Numbers of this range that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        for &whole in &self.0 {
            let mut first = whole.0;
            let mut used_up = false;
            for &(a, b) in other.0.iter().filter(|&&(a, b)| b >= whole.0 && a <= whole.1) {
                if a > first {
                    left.push((first, a - 1));
                }
                used_up = b >= whole.1;
                first = b.saturating_add(1);
            }
            if !used_up {
                left.push((first, whole.1));
            }
        }
        Self(left)
    }

    /// Whether `number` belongs to it.
    pub fn contains(&self, number: u32) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= number);
        after > 0 && number <= self.0[after - 1].1
    }

    /// Whether it holds no number; only [`FrameRange::from_iter`] can make such a one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest number.
    pub fn last(&self) -> Option<u32> {
        self.0.last().map(|&(_, last)| last)
    }

    /// How many numbers it holds.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|&(a, b)| u64::from(b - a) + 1).sum()
    }

    /// All numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|&(a, b)| a..=b)
    }

    /// Numbers of this range or of `other`.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::merged(self.0.iter().chain(&other.0).copied().collect())
    }

    fn merged(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(previous) if first <= previous.1.saturating_add(1) => previous.1 = previous.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Self(merged)
    }
}

impl FromIterator<u32> for FrameRange {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self::merged(numbers.into_iter().map(|n| (n, n)).collect())
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(parse_part)
            .collect::<Result<_, _>>()
            .map(Self::merged)
    }
}

fn parse_part(part: &str) -> Result<(u32, u32), String> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (parse_number(first)?, parse_number(last)?);
    if first > last {
        return Err(format!(
            "`{}` runs backwards; write `{last}-{first}`",
            part.trim()
        ));
    }
    Ok((first, last))
}

fn parse_number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    // `u32::from_str` takes a leading `+`, which nobody means here.
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(0) => Err("frames are counted from 1, found 0".into()),
        Ok(number) if digits => Ok(number),
        _ if digits => Err(format!("frame {text} is too large; the largest is {}", u32::MAX)),
        _ => Err(format!(
            "expected frame numbers such as `12`, `3-9` or `1-5,8`, found `{text}`"
        )),
    }
}

impl fmt::Display for FrameRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(first, last)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> FrameRange {
        text.parse().expect("valid range")
    }

    #[test]
    fn what_is_left_is_what_the_sets_say() {
        for (a, b) in [
            ("1-10", "3-4,7"),
            ("1-10", "1-10"),
            ("2,4,6-9", "1-3,8-20"),
            ("5", "6"),
            ("1-4294967295", "2-4294967295"),
        ] {
            let (a, b): (FrameRange, FrameRange) = (a.parse().unwrap(), b.parse().unwrap());
            let left = a.without(&b);
            for n in (1..30).chain([u32::MAX - 1, u32::MAX]) {
                assert_eq!(
                    left.contains(n),
                    a.contains(n) && !b.contains(n),
                    "{a} without {b}: {n}"
                );
            }
        }
        assert_eq!(FrameRange::up_to(3).to_string(), "1-3");
        assert!(FrameRange::up_to(0).is_empty());
    }

    #[test]
    fn ranges_are_sorted_and_merged() {
        assert_eq!(range("8, 1-3,4,2-2,20-30").to_string(), "1-4,8,20-30");
        assert_eq!(range("1-4294967295").len(), u64::from(u32::MAX));
        assert_eq!(
            range("4294967295,4294967294").to_string(),
            "4294967294-4294967295"
        );
    }

    #[test]
    fn membership_agrees_with_the_list_of_numbers() {
        let r = range("2-4,9,11-12");
        let listed: Vec<u32> = r.iter().collect();
        assert_eq!(listed, [2, 3, 4, 9, 11, 12]);
        assert!((0..20).all(|n| r.contains(n) == listed.contains(&n)));
        assert_eq!((r.last(), r.len()), (Some(12), 6));
    }

    #[test]
    fn what_is_printed_can_be_read() {
        let r: FrameRange = [7, 3, 1, 2, 9, 8].into_iter().collect();
        assert_eq!(r.to_string(), "1-3,7-9");
        assert_eq!(range(&r.to_string()), r);
        assert!(FrameRange::default().is_empty());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "found ``"),
            ("0", "counted from 1"),
            ("0-3", "counted from 1"),
            ("9-3", "write `3-9`"),
            ("1,,2", "found ``"),
            ("-5", "found ``"),
            ("a-b", "found `a`"),
            ("1-2-3", "found `2-3`"),
            ("+4", "found `+4`"),
            ("4294967296", "too large"),
        ] {
            let message = text.parse::<FrameRange>().expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
