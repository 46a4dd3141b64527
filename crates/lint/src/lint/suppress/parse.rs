//! `slosmith: allow(rule-a, rule-b) until 2027-01-01 -- reason`.

use super::rules;
use crate::lint::date::Date;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{FileId, Span, Spanned};

pub(super) const MARK: &str = "slosmith:";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Place,
    /// The whole file.
    File,
}

/// A suppression as it is written.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) scope: Scope,
    pub(super) rules: Vec<Spanned<String>>,
    pub(super) until: Option<Spanned<Date>>,
    pub(super) reason: Option<String>,
    /// From the mark to the end.
    pub(super) span: Span,
    /// Between the parentheses.
    pub(super) list: Span,
}

/// Reads the words of a comment from the mark on; they start at `at` in the file.
pub(super) fn parse(words: &str, at: usize, file: FileId) -> Result<Parsed, Diagnostic> {
    let words = words.trim_end();
    let reader = Reader { words, at, file };
    let span = reader.span(words);
    let rest = words.strip_prefix(MARK).unwrap_or(words).trim_start();
    let (head, tail) = rest
        .split_once('(')
        .ok_or_else(|| rules::invalid(span, "this suppression lists no rules".into()))?;
    let scope = match head.trim_end() {
        "allow" => Scope::Place,
        "allow-file" => Scope::File,
        other => {
            let place = reader.span(if other.is_empty() { words } else { other });
            return Err(rules::invalid(
                place,
                format!("unknown word `{other}`: use `allow` or `allow-file`"),
            ));
        }
    };
    let (list, tail) = tail
        .split_once(')')
        .ok_or_else(|| rules::invalid(span, "this suppression has no closing `)`".into()))?;
    let (before, reason) = match tail.split_once("--") {
        Some((before, reason)) => (before, Some(reason.trim()).filter(|r| !r.is_empty())),
        None => (tail, None),
    };
    Ok(Parsed {
        scope,
        rules: reader.rules(list, span)?,
        until: reader.until(before.trim())?,
        reason: reason.map(str::to_owned),
        span,
        list: reader.span(list),
    })
}

/// Knows where the words are.
struct Reader<'a> {
    words: &'a str,
    at: usize,
    file: FileId,
}

impl Reader<'_> {
    fn span(&self, part: &str) -> Span {
        let start = self.at + (part.as_ptr() as usize - self.words.as_ptr() as usize);
        Span::new(self.file, start..start + part.len())
    }

    fn rules(&self, list: &str, whole: Span) -> Result<Vec<Spanned<String>>, Diagnostic> {
        let names = list
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let names: Vec<_> = names
            .map(|name| Spanned::new(name.to_owned(), self.span(name)))
            .collect();
        if names.is_empty() {
            return Err(rules::invalid(
                whole,
                "this suppression lists no rules".into(),
            ));
        }
        Ok(names)
    }

    fn until(&self, text: &str) -> Result<Option<Spanned<Date>>, Diagnostic> {
        if text.is_empty() {
            return Ok(None);
        }
        let Some(date) = text.strip_prefix("until ") else {
            let message =
                format!("expected `until` and a date, or `--` and the reason, found `{text}`");
            return Err(rules::invalid(self.span(text), message));
        };
        let date = date.trim();
        let span = self.span(date);
        let read = date
            .parse()
            .map_err(|e| rules::invalid(span, format!("{e}")))?;
        Ok(Some(Spanned::new(read, span)))
    }
}
