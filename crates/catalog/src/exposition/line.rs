//! One line → what it says.

use super::{Exemplar, Labels, Sample};

/// A series with more labels is rejected: the cost of a lookup grows with the labels.
const MOST_LABELS: usize = 256;

/// What a line says; `Blank` also stands for comments.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Blank,
    Eof,
    Help(String, String),
    Type(String, String),
    Unit(String, String),
    Sample(Sample),
}

#[derive(Debug)]
pub(super) struct Stop {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

pub(super) fn read(line: &str) -> Result<Line, Stop> {
    let mut cursor = Cursor { text: line, at: 0 };
    cursor.blanks();
    match cursor.peek() {
        None => Ok(Line::Blank),
        Some('#') => cursor.comment(),
        Some(_) => cursor.sample().map(Line::Sample),
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn stop<T>(&self, why: &'static str) -> Result<T, Stop> {
        Err(Stop { at: self.at, why })
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn identifier(&mut self, colons: bool) -> Option<&'a str> {
        let rest = self.rest();
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || (colons && c == ':');
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += end;
        Some(name)
    }

    fn comment(&mut self) -> Result<Line, Stop> {
        self.eat('#');
        self.blanks();
        let keyword = self.word();
        if keyword == "EOF" && self.rest().is_empty() {
            return Ok(Line::Eof);
        }
        if !matches!(keyword, "HELP" | "TYPE" | "UNIT") {
            return Ok(Line::Blank);
        }
        self.blanks();
        let name = self.name()?;
        if !self.rest().is_empty() && !self.rest().starts_with([' ', '\t']) {
            return self.stop("expected a space after the metric name");
        }
        self.blanks();
        let rest = self.rest();
        Ok(match keyword {
            "HELP" => Line::Help(name, unescape(rest)),
            "TYPE" => Line::Type(name, rest.trim_end().to_owned()),
            _ => Line::Unit(name, rest.trim_end().to_owned()),
        })
    }

    fn name(&mut self) -> Result<String, Stop> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        match self.identifier(true) {
            Some(name) => Ok(name.to_owned()),
            None => self.stop("expected a metric name"),
        }
    }

    fn quoted(&mut self) -> Result<String, Stop> {
        if !self.eat('"') {
            return self.stop("expected a quoted string");
        }
        let rest = self.rest();
        let mut escaped = false;
        for (i, c) in rest.char_indices() {
            match c {
                '"' if !escaped => {
                    self.at += i + 1;
                    return Ok(unescape(&rest[..i]));
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        self.stop("the quoted string is not closed on this line")
    }

    fn sample(&mut self) -> Result<Sample, Stop> {
        let mut sample = Sample::default();
        if self.peek() != Some('{') {
            sample.name = self.name()?;
        }
        self.blanks();
        if self.peek() == Some('{') {
            let (name, labels) = self.braces()?;
            sample.labels = labels;
            match name {
                Some(_) if !sample.name.is_empty() => return self.stop("the name appears twice"),
                Some(name) => sample.name = name,
                None => {}
            }
        }
        if sample.name.is_empty() {
            return self.stop("expected a metric name");
        }
        self.blanks();
        sample.value = self.number("expected a value")?;
        self.blanks();
        if self.peek().is_some_and(|c| c != '#') {
            sample.timestamp = Some(self.number("expected a timestamp")?);
            self.blanks();
        }
        if self.eat('#') {
            sample.exemplar = Some(self.exemplar()?);
        }
        if self.rest().is_empty() {
            Ok(sample)
        } else {
            self.stop("unexpected text after the sample")
        }
    }

    /// `{"quoted.name", a="x", "b.c"="y",}`: the quoted string without `=` is the metric's name.
    fn braces(&mut self) -> Result<(Option<String>, Labels), Stop> {
        self.eat('{');
        let mut name = None;
        let mut labels: Labels = Vec::new();
        loop {
            self.blanks();
            if self.eat('}') {
                return Ok((name, labels));
            }
            let quoted = self.peek() == Some('"');
            let key = match self.identifier(false) {
                Some(key) => key.to_owned(),
                None if quoted => self.quoted()?,
                None => return self.stop("expected a label name"),
            };
            self.blanks();
            if self.eat('=') {
                self.blanks();
                let value = self.quoted()?;
                if labels.len() == MOST_LABELS {
                    return self.stop("a series can have at most 256 labels");
                }
                if labels.iter().any(|(known, _)| *known == key) {
                    return self.stop("the label appears twice");
                }
                labels.push((key, value));
            } else if quoted && name.is_none() {
                name = Some(key);
            } else {
                return self.stop("expected `=` after the label name");
            }
            self.blanks();
            if !self.eat(',') && self.peek() != Some('}') {
                return self.stop("expected `,` or `}` after the label");
            }
        }
    }

    fn number(&mut self, why: &'static str) -> Result<f64, Stop> {
        let start = self.at;
        let word = self.word();
        word.parse().map_err(|_| Stop { at: start, why })
    }

    fn exemplar(&mut self) -> Result<Exemplar, Stop> {
        self.blanks();
        if self.peek() != Some('{') {
            return self.stop("expected `{` after `#`");
        }
        let (name, labels) = self.braces()?;
        if name.is_some() {
            return self.stop("an exemplar cannot have a name");
        }
        self.blanks();
        let value = self.number("expected the exemplar's value")?;
        self.blanks();
        let timestamp = match self.peek() {
            Some(_) => Some(self.number("expected the exemplar's timestamp")?),
            None => None,
        };
        self.blanks();
        Ok(Exemplar {
            labels,
            value,
            timestamp,
        })
    }
}

/// `\\`, `\"` and `\n`; any other escape stands for itself.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some(c @ ('\\' | '"')) => out.push(c),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
