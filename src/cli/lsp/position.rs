//! Bytes of a text ↔ lines and columns as editors count them: both from 0, columns in UTF-16 unless both sides agree on UTF-8.

use std::ops::Range;

use lsp_types::{InitializeParams, Position, PositionEncodingKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// Units of UTF-16, which every editor knows.
    Utf16,
}

impl Encoding {
    /// The one that an editor prefers of those known here.
    pub(super) fn agreed(params: &InitializeParams) -> Self {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_ref());
        match offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8)) {
            true => Self::Utf8,
            false => Self::Utf16,
        }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn count(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }
}

pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, encoding: Encoding) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        Self {
            text,
            starts: std::iter::once(0).chain(ends.map(|at| at + 1)).collect(),
            encoding,
        }
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        Position::new(number(line), number(self.encoding.count(before)))
    }

    pub(super) fn range(&self, bytes: Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// The byte at a place; one past the end of a line counts as that end.
    pub(super) fn offset(&self, at: Position) -> usize {
        let line = at.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        let end = self
            .starts
            .get(line + 1)
            .copied()
            .unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut left = at.character as usize;
        for (i, c) in content.char_indices() {
            let size = match self.encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
            if left < size {
                return start + i;
            }
            left -= size;
        }
        start + content.len()
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_found_again() {
        let text = "a: é𝄞b\r\n\n– x\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(text, encoding);
            for (offset, c) in text.char_indices() {
                let found = lines.offset(lines.position(offset));
                // The end of a line is one place.
                let wanted = if c == '\n' && text[..offset].ends_with('\r') {
                    offset - 1
                } else {
                    offset
                };
                assert_eq!(found, wanted, "{c:?}");
            }
            assert_eq!(lines.offset(Position::new(9, 9)), text.len());
        }
        assert_eq!(
            Lines::new(text, Encoding::Utf16).position(9),
            Position::new(0, 6)
        );
        assert_eq!(
            Lines::new(text, Encoding::Utf8).position(9),
            Position::new(0, 9)
        );
    }
}
