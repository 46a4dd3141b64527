//! From a place in a scalar's value to the file: through quotes, escapes, folding and indentation.
//!
//! The scalar is decoded a second time with the place of every byte. Only when that gives exactly the
//! value that the reader gave is the answer used, so a wrong place is never shown.

mod block;
mod flow;

use std::ops::Range;

#[derive(Debug, Default)]
struct Decoded {
    text: String,
    from: Vec<Range<usize>>,
}

impl Decoded {
    fn push(&mut self, c: char, from: Range<usize>) {
        self.text.push(c);
        self.from.extend(std::iter::repeat_n(from, c.len_utf8()));
    }

    /// Text that the file holds verbatim, from `at` on.
    fn push_as_is(&mut self, text: &str, at: usize) {
        for (i, c) in text.char_indices() {
            self.push(c, at + i..at + i + c.len_utf8());
        }
    }

    /// `count` times the same character for one place.
    fn repeat(&mut self, c: char, count: usize, from: &Range<usize>) {
        for _ in 0..count {
            self.push(c, from.clone());
        }
    }
}

/// The bytes of `text` that became the bytes `part` of `value`, when `scalar` is where the value is.
pub fn inside(
    text: &str,
    scalar: Range<usize>,
    value: &str,
    part: Range<usize>,
) -> Option<Range<usize>> {
    let raw = text.get(scalar.clone())?;
    let decoded = match block::header(text, scalar.start) {
        Some(header) => block::decode(text, &header),
        None => flow::decode(raw, scalar.start)?,
    };
    // How many line ends a block scalar keeps at its end makes no difference to the places before it.
    let body = |s: &str| s.trim_end_matches('\n').len();
    if decoded.text[..body(&decoded.text)] != value[..body(value)] {
        return None;
    }
    let last = decoded.from.get(body(value).checked_sub(1)?)?.end;
    let start = decoded.from.get(part.start).map_or(last, |from| from.start);
    let end = match part.end.checked_sub(1).filter(|end| *end >= part.start) {
        Some(end) => decoded.from.get(end).map_or(last, |from| from.end),
        None => start,
    };
    Some(start.min(last)..end.min(last).max(start.min(last)))
}

#[cfg(test)]
mod tests;
