//! Suppressing known findings: comments beside them, or a baseline file.
//!
//! ```yaml
//! # slosmith: allow(unknown-metric) until 2027-01-01 -- served by the sidecar from March on
//! expr: sidecar_queue_depth > 10   # slosmith: allow(unknown-metric) -- served by the sidecar
//! # slosmith: allow-file(alert-without-runbook) -- runbooks live in the wiki
//! ```
//!
//! A comment covers its own line. On a line of its own, it covers the next line that is not a comment. With a line, it
//! covers the whole value that starts there, such as a block scalar. In Markdown, write `<!-- slosmith: … -->`; it covers a
//! whole code fence. In a file without comments, write the same words on a line of their own in a description.

mod apply;
pub mod baseline;
mod extent;
mod lines;
mod parse;
pub mod rules;
mod scan;
#[cfg(test)]
mod tests;

use crate::lint::date::Date;
use parse::Scope;
pub use scan::Syntax;
use slosmith_text::diag::{Diagnostic, RuleInfo, did_you_mean};
use slosmith_text::source::{FileId, Span, Spanned};

/// The suppressions of some files, and their mistakes.
#[derive(Debug, Default)]
pub struct Suppressions {
    all: Vec<Suppression>,
    faults: Vec<Diagnostic>,
}

#[derive(Debug)]
struct Suppression {
    rules: Vec<Spanned<String>>,
    /// The last day on which it is valid.
    until: Option<Spanned<Date>>,
    span: Span,
    /// Where findings must start or end to be covered.
    covers: Span,
    /// The edit that removes it; none in a description, which may contain escapes.
    removal: Option<Removal>,
}

/// The bytes to edit to remove a suppression.
#[derive(Clone, Copy, Debug)]
struct Removal {
    /// The comment, with the blanks before it, or its whole line.
    whole: Span,
    /// The list of rules between the parentheses.
    list: Span,
}

impl Suppressions {
    /// Finds the suppression comments of a file.
    pub fn scan(file: FileId, text: &str, syntax: Syntax, known: &[RuleInfo]) -> Self {
        let mut found = Self::default();
        for comment in scan::comments(text, syntax) {
            let place = |range| Span::new(file, range);
            let Some(parsed) = found.parse(comment.words, comment.at, file, known) else {
                continue;
            };
            let covers = match parsed.scope {
                Scope::Place => comment.covers,
                Scope::File => 0..text.len(),
            };
            found.all.push(Suppression {
                rules: parsed.rules,
                until: parsed.until,
                span: parsed.span,
                covers: place(covers),
                removal: Some(Removal {
                    whole: place(comment.whole),
                    list: parsed.list,
                }),
            });
        }
        found
    }

    /// Finds suppressions in the text of a description, each in a line of its own.
    ///
    /// `place` is where the text is in the file, which has `length` bytes; `covers` is what it
    /// describes: a panel or a whole dashboard.
    pub fn describe(
        &mut self,
        place: Span,
        text: &str,
        covers: Span,
        length: usize,
        known: &[RuleInfo],
    ) {
        for line in text.lines().map(str::trim) {
            if !line.starts_with(parse::MARK) {
                continue;
            }
            // Escapes may be between, so every part of it is placed at the whole description.
            let mut inner = Self::default();
            let parsed = inner.parse(line, 0, place.file, known);
            self.faults
                .extend(inner.faults.into_iter().map(|mut fault| {
                    fault.span = place;
                    fault
                }));
            let Some(parsed) = parsed else { continue };
            let here = |s: Spanned<String>| Spanned::new(s.value, place);
            self.all.push(Suppression {
                rules: parsed.rules.into_iter().map(here).collect(),
                until: parsed.until.map(|until| Spanned::new(until.value, place)),
                span: place,
                covers: match parsed.scope {
                    Scope::Place => covers,
                    Scope::File => Span::new(place.file, 0..length),
                },
                removal: None,
            });
        }
    }

    /// Adds the suppressions of another file.
    pub fn absorb(&mut self, other: Suppressions) {
        self.all.extend(other.all);
        self.faults.extend(other.faults);
    }

    /// Reads one comment; its mistakes become findings.
    fn parse(
        &mut self,
        words: &str,
        at: usize,
        file: FileId,
        known: &[RuleInfo],
    ) -> Option<parse::Parsed> {
        let mut parsed = match parse::parse(words, at, file) {
            Ok(parsed) => parsed,
            Err(fault) => {
                self.faults.push(fault);
                return None;
            }
        };
        if parsed.reason.is_none() {
            self.faults.push(rules::without_reason(parsed.span));
        }
        parsed.rules.retain(|rule| {
            let names = || known.iter().map(|info| info.name);
            let is_known = names().any(|name| name == rule.value);
            if !is_known {
                let meant = did_you_mean(&rule.value, names());
                self.faults.push(rules::unknown(rule).maybe_help(meant));
            }
            is_known
        });
        Some(parsed)
    }
}
