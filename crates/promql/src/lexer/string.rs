//! String literals: Go's rules, as Prometheus has them.

use super::{Kind, Lexer};
use crate::error::SyntaxError;
use crate::placeholder::{self, Dialect};
use slosmith_text::source::holds_only;

impl Lexer<'_> {
    pub(super) fn string(&mut self, quote: u8) -> Result<Kind, SyntaxError> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.byte(0) {
                Some(byte) if byte == quote => break,
                None => return Err(unterminated(start, self.pos)),
                Some(b'\n') if quote != b'`' => return Err(unterminated(start, self.pos)),
                Some(b'\\') if quote != b'`' => {
                    let body = &self.text[self.pos..];
                    match escape(body, quote) {
                        Some((_, length)) => self.pos += length,
                        None => return Err(self.bad_escape()),
                    }
                }
                Some(b'{') if matches!(self.dialect, Dialect::GoTemplate | Dialect::Template) => {
                    self.pos += self.placeholder().max(1);
                }
                // Go cannot distinguish this character from broken UTF-8.
                Some(0xEF) if self.text[self.pos..].starts_with('\u{FFFD}') => {
                    let span = self.pos..self.pos + '\u{FFFD}'.len_utf8();
                    return Err(SyntaxError::new("invalid character in a string", span)
                        .help("write it as `\\uFFFD`"));
                }
                Some(_) => {
                    let rest = &self.text.as_bytes()[self.pos + 1..];
                    let sign = |b: &u8| matches!(*b, b'\n' | b'\\' | b'{' | 0xEF) || *b == quote;
                    self.pos += 1 + rest.iter().position(sign).unwrap_or(rest.len());
                }
            }
        }
        self.pos += 1;
        Ok(Kind::String)
    }

    /// Where a string with bad contents ends, if its line has another such quote.
    pub(super) fn closing_quote(&self, quote: u8) -> Option<usize> {
        let mut escaped = true;
        for (at, byte) in self.text.bytes().enumerate().skip(self.pos) {
            match byte {
                _ if escaped => escaped = false,
                b'\n' if quote != b'`' => return None,
                b'\\' if quote != b'`' => escaped = true,
                byte if byte == quote => return Some(at + 1),
                _ => {}
            }
        }
        None
    }

    /// A string without closing quote goes to the end of the line, but inside braces not beyond them. Those of a placeholder
    /// belong to the string.
    pub(super) fn end_of_broken_string(&self) -> usize {
        let rest = &self.text[self.pos..];
        let line = rest.find('\n').unwrap_or(rest.len());
        let mut end = if self.in_braces { 0 } else { line };
        while let Some(step) = rest[end..line].find(['{', '}']) {
            end += step;
            match placeholder::length(&rest[end..line], self.dialect) {
                0 if rest[end..].starts_with('}') => return self.pos + end.max(1),
                length => end += length.max(1),
            }
        }
        self.pos + line.max(1)
    }

    fn bad_escape(&self) -> SyntaxError {
        let rest = &self.text[self.pos..];
        let length = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
        let found = &rest[..length];
        let span = self.pos..self.pos + length;
        let error = SyntaxError::new(format!("invalid escape `{found}` in a string"), span);
        match found.chars().nth(1) {
            Some('x' | 'u' | 'U' | '0'..='7') | None => error,
            Some(_) => error.help(format!("write `\\{found}` for a backslash")),
        }
    }
}

fn unterminated(start: usize, end: usize) -> SyntaxError {
    SyntaxError::new("string without closing quote", start..end)
}

enum Escaped {
    Char(char),
    Byte(u8),
}

fn escape(text: &str, quote: u8) -> Option<(Escaped, usize)> {
    let bytes = text.as_bytes();
    let simple = |c: char| Some((Escaped::Char(c), 2));
    let (digits, radix, at) = match *bytes.get(1)? {
        b'a' => return simple('\x07'),
        b'b' => return simple('\x08'),
        b'f' => return simple('\x0C'),
        b'n' => return simple('\n'),
        b'r' => return simple('\r'),
        b't' => return simple('\t'),
        b'v' => return simple('\x0B'),
        b'\\' => return simple('\\'),
        byte if byte == quote => return simple(char::from(quote)),
        b'0'..=b'7' => (3, 8, 1),
        b'x' => (2, 16, 2),
        b'u' => (4, 16, 2),
        b'U' => (8, 16, 2),
        _ => return None,
    };
    let end = at + digits;
    let value = text.get(at..end)?;
    if value.starts_with('+') {
        return None;
    }
    let value = u32::from_str_radix(value, radix).ok()?;
    let escaped = if digits < 4 {
        Escaped::Byte(u8::try_from(value).ok()?)
    } else {
        Escaped::Char(char::from_u32(value)?)
    };
    Some((escaped, end))
}

/// The value of a string literal that the lexer accepted.
///
/// Bytes that are no UTF-8 (`"\xFF"`) become U+FFFD; [`is_lossy`] tells.
pub(crate) fn decode(raw: &str) -> String {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return inner(raw).to_owned();
    }
    String::from_utf8(bytes(raw))
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether the value of a string literal holds bytes that are no UTF-8.
pub(crate) fn is_lossy(raw: &str) -> bool {
    raw.contains('\\') && std::str::from_utf8(&bytes(raw)).is_err()
}

fn inner(raw: &str) -> &str {
    raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
}

fn bytes(raw: &str) -> Vec<u8> {
    let quote = raw.bytes().next().unwrap_or(b'"');
    let mut rest = inner(raw);
    if quote == b'`' || !rest.contains('\\') {
        return rest.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let length = match escape(rest, quote) {
            Some((Escaped::Byte(byte), length)) => {
                bytes.push(byte);
                length
            }
            Some((Escaped::Char(c), length)) => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                length
            }
            None => 1,
        };
        rest = &rest[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// True for a text that is in double quotes what it is without them.
pub(crate) fn is_plain(value: &str) -> bool {
    let plain = |b: u8| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\';
    holds_only(value, plain)
}

/// A literal in double quotes whose value is `value`.
pub(crate) fn quote(value: &str) -> String {
    if is_plain(value) {
        return ["\"", value, "\""].concat();
    }
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{FFFD}' => out.push_str("\\uFFFD"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
