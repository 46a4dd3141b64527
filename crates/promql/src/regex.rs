//! Whether Prometheus would take a regular expression, and whether it matches the empty string.
//!
//! Prometheus uses Go's RE2 syntax. It and the `regex-syntax` crate disagree on patterns that occur
//! in practice: `/api/{id}` and `\Q…\E` are fine in Go, `a**` and `(?x)` are not. So the syntax is
//! followed here.

mod class;
mod group;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::thread::LocalKey;

use super::ast::TextSpan;
use super::error::SyntaxError;

/// Whether a matcher's pattern, which is anchored at both ends, takes a value; `None` when only
/// Prometheus itself can say.
pub fn matches(pattern: &str, value: &str) -> Option<bool> {
    matcher(pattern).map(|matches| matches(value))
}

/// [`matches`] for many values; `None` when the pattern is not one.
pub fn matcher(pattern: &str) -> Option<impl Fn(&str) -> bool + use<>> {
    let literal = is_literal(pattern).then(|| pattern.to_owned());
    let regex = match literal {
        Some(_) => None,
        None => Some(compiled(pattern)?),
    };
    Some(move |value: &str| match &regex {
        Some(regex) => regex.is_match(value),
        None => literal.as_deref() == Some(value),
    })
}

/// Groups may nest this deep, as in Go.
const DEEPEST: u32 = 1000;
/// Go's limit for counted repetitions, nested ones multiplied.
const MOST_REPEATS: u32 = 1000;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: &'static str,
    pub(super) at: TextSpan,
}

impl Problem {
    /// The same as an error about the string literal that holds the pattern.
    ///
    /// It points into the literal when that has no escapes, else at all of it.
    pub(super) fn in_literal(self, raw: &str, value: &str, span: &TextSpan) -> SyntaxError {
        let plain = raw.len() == value.len() + 2 && span.len() == raw.len();
        let at = if plain {
            let first = span.start + 1;
            first + self.at.start..first + self.at.end
        } else {
            span.clone()
        };
        SyntaxError::new(format!("bad regular expression: {}", self.message), at)
    }
}

pub(super) fn check(pattern: &str) -> Result<(), Problem> {
    if is_literal(pattern) {
        return Ok(());
    }
    scan(pattern).map(|_| ())
}

/// Whether the pattern, anchored at both ends, matches the empty string; a bad pattern does not.
pub(super) fn matches_empty(pattern: &str) -> bool {
    if is_literal(pattern) {
        return pattern.is_empty();
    }
    scan(pattern).is_ok_and(|part| part.empty)
}

/// Whether the pattern has no signs, so that it matches only itself.
pub fn is_literal(pattern: &str) -> bool {
    !pattern.bytes().any(|byte| {
        matches!(
            byte,
            b'\\' | b'.' | b'+' | b'*' | b'?' | b'(' | b')' | b'|' | b'[' | b'{' | b'^' | b'$'
        )
    })
}

/// Where the names are in `x|y`, `(x|y)` and `^(x|y)$`; none when one of them is no plain text.
pub fn alternatives(pattern: &str) -> Option<Vec<Range<usize>>> {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let grouped = inner.strip_prefix('(').and_then(|i| i.strip_suffix(')'));
    let anchored = inner.len() < pattern.len();
    let inner = match grouped {
        Some(inner) => inner.strip_prefix("?:").unwrap_or(inner),
        // `^x|y$` is anchored at one end of each.
        None if anchored && inner.contains('|') => return None,
        None => inner,
    };
    let mut at = pattern.find(inner)?;
    let mut found = Vec::new();
    for name in inner.split('|') {
        found.push(at..at + name.len());
        at += name.len() + 1;
    }
    let plain = |at: &Range<usize>| is_literal(&pattern[at.clone()]);
    found.iter().all(plain).then_some(found)
}

/// How many patterns are remembered at most, and how long they may be: a file has a few short ones.
const REMEMBERED: usize = 256;
const LONGEST: usize = 256;

thread_local! {
    /// What is known of patterns that were scanned already: each is asked for by many queries, and several times.
    static SCANNED: RefCell<HashMap<Box<str>, Part>> = RefCell::default();
    /// Patterns that were matched already: compiling takes longer than the other checks of a query.
    static COMPILED: RefCell<HashMap<Box<str>, Arc<::regex::Regex>>> = RefCell::default();
}

fn compiled(pattern: &str) -> Option<Arc<::regex::Regex>> {
    let known = COMPILED.with_borrow(|compiled| compiled.get(pattern).cloned());
    known.or_else(|| {
        let regex = Arc::new(::regex::Regex::new(&format!("^(?s:{pattern})$")).ok()?);
        remember(&COMPILED, pattern, Arc::clone(&regex));
        Some(regex)
    })
}

fn remember<T>(known: &'static LocalKey<RefCell<HashMap<Box<str>, T>>>, pattern: &str, value: T) {
    if pattern.len() <= LONGEST {
        known.with_borrow_mut(|known| {
            if known.len() == REMEMBERED {
                known.clear();
            }
            known.insert(pattern.into(), value);
        });
    }
}

fn scan(pattern: &str) -> Result<Part, Problem> {
    let known = SCANNED.with_borrow(|scanned| scanned.get(pattern).copied());
    if let Some(part) = known {
        return Ok(part);
    }
    let part = scan_all(pattern)?;
    remember(&SCANNED, pattern, part);
    Ok(part)
}

fn scan_all(pattern: &str) -> Result<Part, Problem> {
    let mut scanner = Scanner {
        pattern,
        pos: 0,
        depth: 0,
        quoting: false,
    };
    let part = scanner.alternation()?;
    match scanner.peek() {
        None => Ok(part),
        Some(_) => Err(scanner.problem("`)` without `(`", scanner.pos)),
    }
}

#[derive(Clone, Copy)]
struct Part {
    empty: bool,
    /// The largest product of nested counted repetitions.
    repeats: u32,
}

impl Part {
    const fn new(empty: bool) -> Self {
        Self { empty, repeats: 1 }
    }

    /// Puts another piece behind this one.
    fn append(&mut self, next: Self) {
        self.empty &= next.empty;
        self.repeats = self.repeats.max(next.repeats);
    }

    /// Repeats the piece; false if that is more than Go allows.
    fn repeat(&mut self, (fewest, most): (u32, u32)) -> bool {
        self.empty |= fewest == 0;
        self.repeats = self.repeats.saturating_mul(most.max(1));
        self.repeats <= MOST_REPEATS
    }
}

struct Scanner<'a> {
    pattern: &'a str,
    pos: usize,
    depth: u32,
    /// Between `\Q` and `\E`, where everything is literal.
    quoting: bool,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.pattern.as_bytes().get(self.pos).copied()
    }

    fn rest(&self) -> &'a str {
        &self.pattern[self.pos..]
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.pos += if found { text.len() } else { 0 };
        found
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn problem(&self, message: &'static str, start: usize) -> Problem {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        let end = if start < self.pos {
            self.pos
        } else {
            self.pos + next
        };
        Problem {
            message,
            at: start..end,
        }
    }

    fn alternation(&mut self) -> Result<Part, Problem> {
        let mut all = self.concatenation()?;
        while self.eat("|") {
            let next = self.concatenation()?;
            all.empty |= next.empty;
            all.repeats = all.repeats.max(next.repeats);
        }
        Ok(all)
    }

    fn concatenation(&mut self) -> Result<Part, Problem> {
        let mut all = Part::new(true);
        // The last piece is kept apart, because a repetition applies to it alone.
        let mut last: Option<Part> = None;
        let mut repeated = false;
        while let Some(byte) = self.peek() {
            if !self.quoting && matches!(byte, b'|' | b')') {
                break;
            }
            let start = self.pos;
            let plain = self.plain();
            if plain > 0 {
                if let Some(before) = last.replace(Part::new(false)) {
                    all.append(before);
                }
                all.empty &= plain == 1;
                self.pos += plain;
                repeated = false;
                continue;
            }
            if !self.quoting
                && let Some(times) = self.repetition()?
            {
                let Some(part) = last.as_mut() else {
                    return Err(self.problem("nothing to repeat", start));
                };
                if repeated {
                    return Err(self.problem("a repetition of a repetition", start));
                }
                if !part.repeat(times) {
                    return Err(self.problem("more than 1000 repetitions", start));
                }
                repeated = true;
                continue;
            }
            repeated = false;
            if let Some(part) = self.atom()?
                && let Some(before) = last.replace(part)
            {
                all.append(before);
            }
        }
        if let Some(last) = last {
            all.append(last);
        }
        Ok(all)
    }

    /// How many of the next bytes are characters that match themselves; those beyond ASCII are not counted.
    fn plain(&self) -> usize {
        let plain = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'/');
        match self.quoting {
            true => 0,
            false => self.pattern.as_bytes()[self.pos..]
                .iter()
                .take_while(plain)
                .count(),
        }
    }

    /// `*`, `+`, `?` or `{n,m}`, with a `?` for laziness: fewest times, and counted times for limits.
    fn repetition(&mut self) -> Result<Option<(u32, u32)>, Problem> {
        let start = self.pos;
        let times = match self.peek() {
            Some(b'*' | b'?') => (0, 1),
            Some(b'+') => (1, 1),
            Some(b'{') => {
                let Some((length, fewest, most)) = counted(self.rest()) else {
                    return Ok(None);
                };
                self.pos += length;
                if fewest.max(most.unwrap_or(0)) > MOST_REPEATS || most.is_some_and(|m| m < fewest)
                {
                    return Err(self.problem("bad repetition count", start));
                }
                self.eat("?");
                return Ok(Some((fewest, most.unwrap_or(fewest))));
            }
            _ => return Ok(None),
        };
        self.pos += 1;
        self.eat("?");
        Ok(Some(times))
    }

    /// One piece; `None` for a change of flags, which matches nothing.
    fn atom(&mut self) -> Result<Option<Part>, Problem> {
        match self.peek() {
            _ if self.quoting => {
                if self.eat("\\E") {
                    self.quoting = false;
                    return Ok(None);
                }
                self.next_char();
                Ok(Some(Part::new(false)))
            }
            Some(b'(') => self.group(),
            Some(b'[') => self.class().map(|()| Some(Part::new(false))),
            Some(b'\\') => self.backslash(),
            Some(b'^' | b'$') => {
                self.pos += 1;
                Ok(Some(Part::new(true)))
            }
            _ => {
                self.next_char();
                Ok(Some(Part::new(false)))
            }
        }
    }
}

fn counted(text: &str) -> Option<(usize, u32, Option<u32>)> {
    let within = |c: char| c.is_ascii_digit() || c == ',';
    let (body, _) = text.strip_prefix('{')?.split_once(|c| !within(c))?;
    text[1 + body.len()..].starts_with('}').then_some(())?;
    let (fewest, most) = match body.split_once(',') {
        None => {
            let count = count(body)?;
            (count, Some(count))
        }
        Some((fewest, "")) => (count(fewest)?, None),
        Some((fewest, most)) => (count(fewest)?, Some(count(most)?)),
    };
    Some((body.len() + 2, fewest, most))
}

/// Go takes no leading zeros; a count too large for 32 bits is as bad as one above the limit.
fn count(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
