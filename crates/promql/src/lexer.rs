//! Query text to tokens with byte positions, one at a time.
//!
//! Two modes, as in Prometheus: inside braces every word is a label name, and inside brackets `:`
//! separates range and step. The lexer switches by itself when it hands out the bracket, so a parser
//! must not read further ahead than one token.

mod number;
mod string;
mod word;

use super::ast::{AggregateOp, BinaryOp};
use super::error::SyntaxError;
use super::placeholder::{Dialect, breaks_off, length};
use slosmith_text::source::word_bytes;

pub(super) use number::{LONGEST_MILLIS, duration_millis, number_value};
pub(super) use string::{decode, is_lossy, is_plain, quote};
pub use word::is_function;
pub(super) use word::word_kind;

/// What a token is; its text is the query's bytes under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    End,
    /// A word that is no keyword and has no colon.
    Name,
    MetricName,
    Keyword(Keyword),
    Aggregate(AggregateOp),
    Number,
    Duration,
    String,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    Comma,
    Colon,
    /// Text the lexer cannot read; only in recovery, where the error is kept.
    Bad,
    /// A placeholder, also with parts of a word or number around it.
    Placeholder,
    At,
    Equal,
    Match,
    NotMatch,
    Operator(BinaryOp),
    WordOperator(BinaryOp),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Offset,
    By,
    Without,
    On,
    Ignoring,
    GroupLeft,
    GroupRight,
    Bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

const IN_WORD: [bool; 256] = word_bytes(b"_");
/// The same of words that may have colons.
const IN_METRIC_NAME: [bool; 256] = word_bytes(b"_:");

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    dialect: Dialect,
    pos: usize,
    in_braces: bool,
    in_brackets: bool,
    /// Behind `[` and in front of the first number: where Prometheus reads no comments.
    before_number: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            dialect,
            pos: 0,
            in_braces: false,
            in_brackets: false,
            before_number: false,
        }
    }

    /// The next token; at the end always [`Kind::End`].
    pub(super) fn next(&mut self) -> Result<Token, SyntaxError> {
        self.skip_blanks();
        let start = self.pos;
        let kind = match self.byte(0) {
            None => Kind::End,
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => self.word(),
            Some(b':') if !self.in_brackets && !self.in_braces => self.word(),
            Some(b'0'..=b'9') => self.number()?,
            Some(b'.') if self.byte(1).is_some_and(|b| b.is_ascii_digit()) => self.number()?,
            Some(quote @ (b'"' | b'\'' | b'`')) => self.string(quote)?,
            Some(b'$' | b'[' | b'{' | b'<' | b'%') if self.placeholder() > 0 => Kind::Placeholder,
            Some(_) if self.breaks_off() => {
                let span = self.pos..self.text.len();
                return Err(SyntaxError::new("a variable without its end", span));
            }
            Some(byte) => self.sign(byte)?,
        };
        let kind = match self.dialect {
            Dialect::Prometheus => kind,
            _ => self.with_placeholders(kind),
        };
        Ok(Token {
            kind,
            start,
            end: self.pos,
        })
    }

    /// Reads on behind the token at `from` that [`Lexer::next`] cannot read.
    ///
    /// A string that only holds a bad escape is still a string.
    pub(super) fn resume(&mut self, from: usize, error: &SyntaxError) -> Token {
        self.pos = from;
        self.skip_blanks();
        let start = self.pos;
        let (kind, end) = match self.byte(0) {
            Some(quote @ (b'"' | b'\'' | b'`')) => match self.closing_quote(quote) {
                Some(end) => (Kind::String, end),
                None => (Kind::Bad, self.end_of_broken_string()),
            },
            _ => (Kind::Bad, error.span.end.max(start + 1)),
        };
        self.pos = end;
        Token { kind, start, end }
    }

    pub(super) fn restart(&mut self, pos: usize) {
        self.pos = pos;
        self.in_braces = false;
        self.in_brackets = false;
        self.before_number = false;
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + ahead).copied()
    }

    fn breaks_off(&self) -> bool {
        match self.dialect {
            Dialect::Prometheus => false,
            dialect => breaks_off(&self.text[self.pos..], dialect),
        }
    }

    /// Bytes of the placeholder here; 0 if there is none.
    fn placeholder(&self) -> usize {
        match self.dialect {
            Dialect::Prometheus => 0,
            dialect => length(&self.text[self.pos..], dialect),
        }
    }

    /// Reads placeholders that touch the token read last, and what touches them.
    fn with_placeholders(&mut self, kind: Kind) -> Kind {
        let touchable = matches!(
            kind,
            Kind::Name
                | Kind::MetricName
                | Kind::Keyword(_)
                | Kind::Aggregate(_)
                | Kind::WordOperator(_)
                | Kind::Number
                | Kind::Duration
                | Kind::Placeholder
        );
        if !touchable || self.placeholder() == 0 {
            return kind;
        }
        loop {
            match self.placeholder() {
                0 if self.byte(0).is_some_and(|byte| self.in_word(byte)) => self.pos += 1,
                0 => return Kind::Placeholder,
                length => self.pos += length,
            }
        }
    }

    fn in_word(&self, byte: u8) -> bool {
        let colons = !self.in_braces && !self.in_brackets;
        byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':' && colons
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                b'#' if !self.before_number => {
                    let rest = &bytes[self.pos..];
                    let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
                    self.pos += end.unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.pos;
        let colons = !self.in_braces && !self.in_brackets;
        let rest = &self.text.as_bytes()[start..];
        let length = |of: &[bool; 256]| {
            let end = rest.iter().position(|b| !of[usize::from(*b)]);
            end.unwrap_or(rest.len())
        };
        let word = length(&IN_WORD);
        let colon = colons && rest.get(word) == Some(&b':');
        self.pos += if colon { length(&IN_METRIC_NAME) } else { word };
        if colon {
            Kind::MetricName
        } else if self.in_braces {
            Kind::Name
        } else {
            match word_kind(&self.text[start..self.pos]) {
                // `Inf` is no length of time.
                Kind::Number if self.in_brackets => Kind::Name,
                kind => kind,
            }
        }
    }

    fn sign(&mut self, byte: u8) -> Result<Kind, SyntaxError> {
        let (kind, length) = match (byte, self.byte(1)) {
            (b'=', Some(b'=')) => (Kind::Operator(BinaryOp::Eq), 2),
            (b'=', Some(b'~')) => (Kind::Match, 2),
            (b'!', Some(b'=')) => (Kind::Operator(BinaryOp::Ne), 2),
            (b'!', Some(b'~')) => (Kind::NotMatch, 2),
            (b'<', Some(b'=')) => (Kind::Operator(BinaryOp::Le), 2),
            (b'>', Some(b'=')) => (Kind::Operator(BinaryOp::Ge), 2),
            (b'=', _) => (Kind::Equal, 1),
            (b'<', Some(b'/')) => (Kind::Operator(BinaryOp::TrimUpper), 2),
            (b'>', Some(b'/')) => (Kind::Operator(BinaryOp::TrimLower), 2),
            (b'<', _) => (Kind::Operator(BinaryOp::Lt), 1),
            (b'>', _) => (Kind::Operator(BinaryOp::Gt), 1),
            (b'+', _) => (Kind::Operator(BinaryOp::Add), 1),
            (b'-', _) => (Kind::Operator(BinaryOp::Sub), 1),
            (b'*', _) => (Kind::Operator(BinaryOp::Mul), 1),
            (b'/', _) => (Kind::Operator(BinaryOp::Div), 1),
            (b'%', _) => (Kind::Operator(BinaryOp::Mod), 1),
            (b'^', _) => (Kind::Operator(BinaryOp::Pow), 1),
            (b'(', _) => (Kind::LeftParen, 1),
            (b')', _) => (Kind::RightParen, 1),
            (b'{', _) => (Kind::LeftBrace, 1),
            (b'}', _) => (Kind::RightBrace, 1),
            (b'[', _) => (Kind::LeftBracket, 1),
            (b']', _) => (Kind::RightBracket, 1),
            (b',', _) => (Kind::Comma, 1),
            (b':', _) => (Kind::Colon, 1),
            (b'@', _) => (Kind::At, 1),
            _ => return Err(self.unexpected_character()),
        };
        match kind {
            Kind::LeftBrace => self.in_braces = true,
            Kind::RightBrace => self.in_braces = false,
            Kind::LeftBracket => (self.in_brackets, self.before_number) = (true, true),
            Kind::RightBracket => (self.in_brackets, self.before_number) = (false, false),
            _ => {}
        }
        self.pos += length;
        Ok(kind)
    }

    fn unexpected_character(&self) -> SyntaxError {
        let found = self.text[self.pos..].chars().next().unwrap_or_default();
        let span = self.pos..self.pos + found.len_utf8();
        let error = SyntaxError::new(
            format!("unexpected character `{}`", found.escape_debug()),
            span,
        );
        match found {
            '&' => error.help("PromQL writes `and`"),
            '|' => error.help("PromQL writes `or`"),
            '!' => error.help("PromQL has no `!`; use `unless`, `!=` or `!~`"),
            '$' => error.help(
                "Grafana variables do not work in rules: write a fixed range, such as `[5m]`",
            ),
            '“' | '”' | '‘' | '’' => error.help("use plain quotes"),
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests;
