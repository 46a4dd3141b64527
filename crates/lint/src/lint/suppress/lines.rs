//! The lines of a text, by their bytes.

use std::ops::Range;

/// The lines from the start of one on, without their ends.
pub(super) fn from(text: &str, mut start: usize) -> impl Iterator<Item = Range<usize>> {
    text[start..].split_inclusive('\n').map(move |line| {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        range
    })
}

/// The lines after the one that ends at `end`.
pub(super) fn below(text: &str, end: usize) -> impl Iterator<Item = Range<usize>> {
    from(text, next(text, end))
}

/// Where the line after the one that ends at `end` starts.
pub(super) fn next(text: &str, end: usize) -> usize {
    text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
}
