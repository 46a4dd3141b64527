//! Plain and quoted YAML scalars, over one line or several.

use std::ops::Range;

use super::sink::Sink;

pub(super) fn plain(slice: &str, base: usize, sink: &mut impl Sink) -> Option<()> {
    if slice.starts_with(BLANK_OR_BREAK) || slice.ends_with(BLANK_OR_BREAK) {
        return None;
    }
    let mut cursor = Cursor {
        text: slice,
        at: 0,
        base,
    };
    while !cursor.rest().is_empty() {
        cursor.run(|c| BLANK_OR_BREAK.contains(&c), sink);
        cursor.blanks(sink);
    }
    Some(())
}

pub(super) fn single(slice: &str, base: usize, sink: &mut impl Sink) -> Option<()> {
    let inner = slice.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut cursor = Cursor {
        text: inner,
        at: 0,
        base: base + 1,
    };
    while !cursor.rest().is_empty() {
        cursor.run(|c| c == '\'' || BLANK_OR_BREAK.contains(&c), sink);
        if cursor.rest().starts_with('\'') {
            if !cursor.rest().starts_with("''") {
                return None;
            }
            cursor.take("'", 2, sink);
        }
        cursor.blanks(sink);
    }
    Some(())
}

pub(super) fn double(slice: &str, base: usize, sink: &mut impl Sink) -> Option<()> {
    let inner = slice.strip_prefix('"')?.strip_suffix('"')?;
    let mut cursor = Cursor {
        text: inner,
        at: 0,
        base: base + 1,
    };
    while !cursor.rest().is_empty() {
        cursor.run(
            |c| c == '"' || c == '\\' || BLANK_OR_BREAK.contains(&c),
            sink,
        );
        if cursor.rest().starts_with('"') {
            return None;
        }
        if cursor.rest().starts_with('\\') {
            if !cursor.joined(sink) {
                let (character, len) = escape(cursor.rest())?;
                cursor.take(character.encode_utf8(&mut [0; 4]), len, sink);
            }
            continue;
        }
        cursor.blanks(sink);
    }
    Some(())
}

const BLANK_OR_BREAK: [char; 4] = [' ', '\t', '\n', '\r'];

struct Cursor<'s> {
    text: &'s str,
    at: usize,
    base: usize,
}

impl<'s> Cursor<'s> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn source(&self, len: usize) -> Range<usize> {
        self.base + self.at..self.base + self.at + len
    }

    fn take(&mut self, text: &str, len: usize, sink: &mut impl Sink) {
        sink.atom(text, self.source(len));
        self.at += len;
    }

    fn run(&mut self, stops: impl Fn(char) -> bool, sink: &mut impl Sink) {
        let rest = self.rest();
        let len = rest.find(stops).unwrap_or(rest.len());
        if len > 0 {
            sink.verbatim(&rest[..len], self.base + self.at);
            self.at += len;
        }
    }

    fn blanks(&mut self, sink: &mut impl Sink) {
        let rest = self.rest();
        let len = rest
            .find(|c| !BLANK_OR_BREAK.contains(&c))
            .unwrap_or(rest.len());
        if len == 0 {
            return;
        }
        match breaks(&rest[..len]) {
            0 => {
                sink.verbatim(&rest[..len], self.base + self.at);
                self.at += len;
            }
            1 => self.take(" ", len, sink),
            n => self.take(&"\n".repeat(n - 1), len, sink),
        }
    }

    /// Takes a line break that is escaped, and the blanks behind it.
    fn joined(&mut self, sink: &mut impl Sink) -> bool {
        let after = &self.rest()[1..];
        let first = break_len(after);
        if first == 0 {
            return false;
        }
        let blank = after[first..].find(|c| !BLANK_OR_BREAK.contains(&c));
        let len = blank.map_or(self.rest().len(), |n| 1 + first + n);
        let n = breaks(&self.rest()[1 + first..len]);
        if n > 0 {
            self.take(&"\n".repeat(n), len, sink);
        } else {
            self.at += len;
        }
        true
    }
}

/// Length of the line break that `text` begins with, or 0.
pub(super) fn break_len(text: &str) -> usize {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

fn breaks(text: &str) -> usize {
    let lone = text.matches('\n').count() + text.matches('\r').count();
    lone - text.matches("\r\n").count()
}

/// The character that an escape stands for, and the escape's length.
fn escape(text: &str) -> Option<(char, usize)> {
    let simple = match text[1..].chars().next()? {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        c @ (' ' | '"' | '/' | '\\') => c,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' => return code(text, 2),
        'u' => return pair(text),
        'U' => return code(text, 8),
        _ => return None,
    };
    Some((simple, 2))
}

fn code(text: &str, digits: usize) -> Option<(char, usize)> {
    let hex = text.get(2..2 + digits)?;
    let valid = hex.bytes().all(|b| b.is_ascii_hexdigit());
    let value = u32::from_str_radix(hex, 16).ok().filter(|_| valid)?;
    char::from_u32(value).map(|c| (c, 2 + digits))
}

/// `\uXXXX`, or two of them as in JSON; half a pair is not YAML.
fn pair(text: &str) -> Option<(char, usize)> {
    let found = super::json::escape(text)?;
    let half = found.0 == char::REPLACEMENT_CHARACTER && code(text, 4).is_none();
    (!half).then_some(found)
}
