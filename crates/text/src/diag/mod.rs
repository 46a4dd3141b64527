//! Findings: one type for everything that can be wrong, whatever found it and however it is shown.
//!
//! ```
//! use slosmith_text::diag::render::{Format, Report, render};
//! use slosmith_text::diag::{Diagnostic, Fix};
//! use slosmith_text::source::{SourceFile, Sources, Span};
//!
//! let mut sources = Sources::default();
//! let file = sources.add(SourceFile::new("a.yaml", "expr: upp == 0\n"));
//! let at = Span::new(file, 6..9);
//! let found = [Diagnostic::error("unknown-metric", at, "nothing has `upp`")
//!     .help("did you mean `up`?")
//!     .fix(Fix::replace(at, "up"))];
//! let text = render(Format::Concise, &Report::new(&found, &sources, &[]));
//! assert_eq!(text, "a.yaml:1:7: error[unknown-metric] nothing has `upp`\n");
//! ```

pub mod codes;
pub mod fingerprint;
pub mod fix;
mod internal;
pub mod render;
mod rule;
mod shown;

use crate::source::Span;
pub use fix::{Applicability, Edit, Fix};
pub use internal::{INTERNAL_ERROR, caught, guarded, note_panics};
pub use rule::{Fixes, Group, RuleInfo};
pub use shown::{one_line, push_escaped, shown, steers, wrapped};

/// How bad a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; nothing is wrong yet.
    Info,
    /// Probably wrong.
    Warning,
    /// Certainly wrong.
    Error,
}

impl Severity {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A second place that explains the first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    pub span: Span,
    /// What it has to do with the finding.
    pub text: String,
}

/// One finding. The message must explain itself: it is all that the concise format shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kebab-case name of what is wrong; stable.
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// The bytes to fix.
    pub span: Span,
    pub related: Vec<Label>,
    /// What to do about it, one line each.
    pub help: Vec<String>,
    /// What few findings have. Boxed, so that a finding stays small enough to be an error.
    pub details: Box<Details>,
}

/// The rarer parts of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Short text at the bytes; may be empty.
    pub label: String,
    /// Why it is so, one line each.
    pub notes: Vec<String>,
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    pub fn info(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, span, message)
    }

    /// A finding of any severity at `span`.
    pub fn new(
        severity: Severity,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            message: short(message.into()),
            span,
            related: Vec::new(),
            help: Vec::new(),
            details: Box::default(),
        }
    }

    /// Sets the short text at the bytes.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.details.label = text.into();
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(short(text.into()));
        self
    }

    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help.extend(text.map(short));
        self
    }

    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.details.notes.push(short(text.into()));
        self
    }

    /// Sets the edit that fixes the finding.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.details.fix = Some(fix);
        self
    }

    /// Sets the edit that fixes the finding, if there is one.
    #[must_use]
    pub fn maybe_fix(self, fix: Option<Fix>) -> Self {
        match fix {
            Some(fix) => self.fix(fix),
            None => self,
        }
    }

    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label {
            span,
            text: text.into(),
        });
        self
    }
}

/// Cuts quoted words that are too long to be read; the file is shown anyway.
fn short(text: String) -> String {
    const ENOUGH: usize = 300;
    const WORD: usize = 60;
    if text.len() <= ENOUGH {
        return text;
    }
    let cut = |(i, part): (usize, &str)| match part.char_indices().nth(WORD) {
        Some((end, _)) if i % 2 == 1 => format!("{}…", &part[..end]),
        _ => part.to_owned(),
    };
    // Between the first and the second backtick is a quoted word, and so on.
    let parts: Vec<_> = text.split('`').enumerate().map(cut).collect();
    parts.join("`")
}

/// The first letter as at the start of a sentence, except in a name with its own capitals: `vLLM servers`.
pub fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.chars().skip(1).any(char::is_uppercase) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// `1 file`, `2 files`.
pub fn count(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// Words in backticks, as a choice: `` `a`, `b` or `c` ``.
pub fn choice<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let words = words.into_iter();
    let quoted: Vec<_> = words.map(|word| format!("`{}`", word.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// The same with `one of` in front of three or more words.
pub fn one_of<W: AsRef<str>>(words: &[W]) -> String {
    let one_of = if words.len() > 2 { "one of " } else { "" };
    format!("{one_of}{}", choice(words))
}

/// The known word nearest to `word`, as "did you mean `x`?", when one is near enough to be meant.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|found| format!("did you mean `{found}`?"))
}

/// The known word nearest to `word`, when one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).max(1);
    // The distance is at least that of the lengths, and takes their product to find.
    let close = |candidate: &&str| candidate.chars().count().abs_diff(length) <= limit;
    known
        .into_iter()
        .filter(close)
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[derive(Clone, Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Adds the error of a failed step and goes on with what succeeded.
    pub fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.push(diagnostic)).ok()
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|d| d.severity == severity).count()
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// True if a finding is at a part of a place.
    pub fn has_at(&self, at: Span) -> bool {
        let mut found = self.found.iter().map(|d| d.span);
        found.any(|span| span.file == at.file && span.start < at.end && at.start < span.end)
    }

    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// All findings, ordered by file, place and code, each once.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found
            .sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        self.found.dedup();
        self.found
    }

    pub fn absorb(&mut self, other: Sink) {
        self.found.extend(other.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut() {
        let long = format!("`{}` is not `a`", "é".repeat(1_000));
        assert_eq!(short(long), format!("`{}…` is not `a`", "é".repeat(60)));
    }

    #[test]
    fn suggestions_are_near_or_absent() {
        assert_eq!(nearest("selctor", ["selector", "labels"]), Some("selector"));
        assert_eq!(nearest("zzz", ["selector", "labels"]), None);
        assert_eq!(nearest("p", ["q"]), Some("q"));
        assert_eq!(nearest("abdc", ["cab", "abcd", "abdd"]), Some("abcd"));
        assert_eq!(nearest("sélecteur", ["selecteur"]), Some("selecteur"));
        // A million times a million steps would take hours.
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&long, [&*"x".repeat(1 << 8)]), None);
    }
}
