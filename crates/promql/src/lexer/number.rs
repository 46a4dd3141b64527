//! Numbers and durations: where they end and what they are worth.

use super::{Kind, Lexer};
use crate::error::SyntaxError;

impl Lexer<'_> {
    /// Reads a number or a duration; the caller has seen its first digit or point.
    pub(super) fn number(&mut self) -> Result<Kind, SyntaxError> {
        self.before_number = false;
        let start = self.pos;
        let mut scan = Scan {
            bytes: self.text.as_bytes(),
            pos: start,
        };
        let kind = if scan.number() {
            Kind::Number
        } else if scan.rest_of_duration() {
            Kind::Duration
        } else {
            while scan.word_byte() || scan.peek() == b'.' {
                scan.pos += 1;
            }
            return Err(bad(self.text, start, scan.pos));
        };
        self.pos = scan.pos;
        let text = &self.text[start..self.pos];
        let known = match kind {
            Kind::Number => number_value(text).is_some(),
            _ => duration_millis(text).is_some(),
        };
        if known {
            Ok(kind)
        } else {
            Err(bad(self.text, start, self.pos))
        }
    }
}

fn bad(text: &str, start: usize, end: usize) -> SyntaxError {
    let found = &text[start..end];
    let error = SyntaxError::new(
        format!("`{found}` is neither a number nor a duration"),
        start..end,
    );
    if found.starts_with(|c: char| c.is_ascii_digit()) && found.ends_with(char::is_alphabetic) {
        error.help(
            "write durations as whole numbers with units from large to small \
             (y, w, d, h, m, s, ms), such as `1h30m`",
        )
    } else {
        error
    }
}

/// Follows Prometheus's scanner step by step, because its verdict on odd spellings is the verdict.
struct Scan<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl Scan<'_> {
    /// The next byte; 0 at the end, which no set contains.
    fn peek(&self) -> u8 {
        self.bytes.get(self.pos).copied().unwrap_or(0)
    }

    fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    fn accept(&mut self, set: &[u8]) -> bool {
        let found = !self.at_end() && set.contains(&self.peek());
        self.pos += usize::from(found);
        found
    }

    fn word_byte(&self) -> bool {
        matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')
    }

    fn number(&mut self) -> bool {
        let hex = self.accept(b"0") && self.accept(b"xX");
        if hex {
            self.accept(b"_");
        }
        let digit = |byte: u8| byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit();
        self.accept(b".");
        if digit(self.peek()) {
            self.pos += 1;
        }
        let (mut point, mut exponent) = (false, false);
        loop {
            match self.peek() {
                b'.' => {
                    self.pos += 1;
                    if point || hex || self.accept(b"_.") {
                        return false;
                    }
                    point = true;
                }
                b'e' | b'E' => {
                    self.pos += 1;
                    if exponent {
                        return false;
                    }
                    exponent = true;
                    self.accept(b"+-");
                    if self.accept(b"._eE") || self.at_end() {
                        return false;
                    }
                }
                b'_' => {
                    self.pos += 1;
                    if self.accept(b"._eE") || self.at_end() {
                        return false;
                    }
                }
                byte if digit(byte) => {
                    while digit(self.peek()) {
                        self.pos += 1;
                    }
                }
                _ => return !self.word_byte(),
            }
        }
    }

    /// The unit behind a number that turned out to be a duration, and further parts of it.
    fn rest_of_duration(&mut self) -> bool {
        if !self.accept(b"smhdwy") {
            return false;
        }
        self.accept(b"s");
        while self.peek().is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
            if !self.accept(b"smhdw") {
                return false;
            }
            self.accept(b"s");
        }
        !self.word_byte()
    }
}

/// The value of a number as Go reads it: `0x` hexadecimal, leading `0` octal, `_` between digits.
pub(crate) fn number_value(text: &str) -> Option<f64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits && !(text.len() > 1 && text.starts_with('0')) {
        return finite(text);
    }
    if text.eq_ignore_ascii_case("inf") {
        return Some(f64::INFINITY);
    }
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    if !text.contains('_') {
        return plain_value(text);
    }
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'x' | b'X'))
    };
    let between = |at: usize| digit(at.checked_sub(1)) && digit(Some(at + 1));
    text.match_indices('_')
        .all(|(at, _)| between(at))
        .then(|| text.replace('_', ""))
        .and_then(|text| plain_value(&text))
}

/// [`number_value`] of a text without `_`.
fn plain_value(text: &str) -> Option<f64> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok().map(|value| value as f64);
    }
    if text.len() > 1
        && text.starts_with('0')
        && let Ok(octal) = i64::from_str_radix(text, 8)
    {
        return Some(octal as f64);
    }
    finite(text)
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

const UNITS: [(&str, i64); 7] = [
    ("y", 365 * 24 * 3_600_000),
    ("w", 7 * 24 * 3_600_000),
    ("d", 24 * 3_600_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Prometheus counts nanoseconds in 64 bits; no duration is longer.
pub(crate) const LONGEST_MILLIS: i64 = i64::MAX / 1_000_000;

/// Milliseconds of `1h30m`: whole numbers, units in falling order, each at most once.
pub(crate) fn duration_millis(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0i64;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let count: i64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let unit = &rest[..letters];
        let (_, millis) = units.find(|(name, _)| *name == unit)?;
        total = total.checked_add(count.checked_mul(*millis)?)?;
        rest = &rest[letters..];
    }
    (!text.is_empty() && total <= LONGEST_MILLIS).then_some(total)
}
