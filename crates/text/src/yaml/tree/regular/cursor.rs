//! The lines of a regular YAML file that matter.

use crate::source::word_bytes;

/// The part of a line behind its indentation, without blanks at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) start: usize,
    pub(super) indent: usize,
    pub(super) text: &'t str,
}

impl<'t> Line<'t> {
    pub(super) fn is_item(self) -> bool {
        self.text.starts_with("- ")
    }

    pub(super) fn behind_dash(self) -> Option<Line<'t>> {
        self.skip(1).filter(|line| !line.text.starts_with('#'))
    }

    pub(super) fn key(self) -> Option<&'t str> {
        let key = word(self.text)?;
        let behind = &self.text.as_bytes()[key.len()..];
        matches!(behind, [b':'] | [b':', b' ', ..]).then_some(key)
    }

    /// What follows `key:`; `None` when nothing does, or a comment.
    pub(super) fn behind_key(self, key: &str) -> Option<Line<'t>> {
        self.skip(key.len() + 1)
            .filter(|line| !line.text.starts_with('#'))
    }

    /// The line without its first `len` bytes and the blanks behind them.
    fn skip(self, len: usize) -> Option<Line<'t>> {
        let rest = &self.text[len..];
        let text = rest.trim_ascii_start();
        let len = len + rest.len() - text.len();
        (!text.is_empty()).then_some(Line {
            start: self.start + len,
            indent: self.indent + len,
            text,
        })
    }
}

const IN_KEYS: [bool; 256] = word_bytes(b"_.-/");

/// The word that a text begins with and that may be a key.
pub(super) fn word(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let first = bytes.first()?;
    let most = &bytes[..bytes.len().min(128)];
    let ends = |b: &u8| !IN_KEYS[usize::from(*b)];
    let len = most.iter().position(ends).unwrap_or(most.len());
    (first.is_ascii_alphanumeric() || *first == b'_').then(|| &text[..len])
}

/// True when nothing follows a value, or a comment.
pub(super) fn only_comment(behind: &str) -> bool {
    behind.is_empty() || (behind.starts_with(' ') && behind.trim_start().starts_with('#'))
}

pub(super) struct Cursor<'t> {
    text: &'t str,
    /// Where the line after `line` begins.
    pub(super) next: usize,
    pub(super) line: Option<Line<'t>>,
    /// `next` is behind a `---`.
    marker: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Option<Self> {
        let mut cursor = Self {
            text,
            next: 0,
            line: None,
            marker: false,
        };
        cursor.advance()?;
        if cursor.line.is_none() && cursor.marker {
            cursor.next_document()?;
        }
        Some(cursor)
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn advance(&mut self) -> Option<()> {
        self.line = None;
        while let Some(line) = self.raw() {
            if line.text.is_empty() || line.text.starts_with('#') {
                continue;
            }
            if line.indent == 0 && (line.text.starts_with("---") || line.text.starts_with("...")) {
                self.marker = line.text == "---";
                return self.marker.then_some(());
            }
            self.line = Some(line);
            break;
        }
        Some(())
    }

    pub(super) fn next_document(&mut self) -> Option<bool> {
        if !std::mem::take(&mut self.marker) {
            return Some(false);
        }
        self.advance()?;
        self.line.is_some().then_some(true)
    }

    pub(super) fn raw(&mut self) -> Option<Line<'t>> {
        let rest = &self.text[self.next..];
        if rest.is_empty() {
            return None;
        }
        let len = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let (line, start) = (&rest[..len], self.next);
        self.next = (start + len + 1).min(self.text.len());
        // The only white space in it are blanks.
        let text = line.trim_ascii_start();
        let indent = line.len() - text.len();
        let text = text.trim_ascii_end();
        Some(Line {
            start: start + indent,
            indent,
            text,
        })
    }
}
