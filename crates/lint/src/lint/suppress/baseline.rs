//! A baseline: a file of known findings, for projects that start linting with many.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rules;
use crate::lint::rules::asks_server;
use slosmith_text::diag::render::place;
use slosmith_text::diag::{Diagnostic, fingerprint};
use slosmith_text::source::{FileId, Sources, Span, mark_len};

/// Increased when a field is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// A baseline file.
///
/// Write and apply a baseline after levels and comments: fingerprints count equal findings, so both must count the same
/// ones.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Baseline {
    schema_version: u32,
    scheme: String,
    findings: Vec<Entry>,
}

/// One finding; the fields other than the fingerprint are for readers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    rule: String,
    message: String,
    fingerprint: String,
}

/// The reason why a file is not a valid baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file is something else.
    #[error("the file is not a baseline (line {line}, column {column})")]
    NoBaseline {
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
    /// The fingerprints have another scheme.
    #[error(
        "another slosmith version wrote this baseline; write a new one with `slosmith lint --write-baseline`"
    )]
    OtherVersion,
}

/// True for a baseline of any slosmith version.
pub fn is_ours(text: &str) -> bool {
    Head::read(text).is_some()
}

/// The common fields of baselines of all versions.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    schema_version: u32,
    scheme: String,
    #[serde(rename = "findings")]
    _findings: Vec<serde::de::IgnoredAny>,
}

impl Head {
    fn read(text: &str) -> Option<Self> {
        let head: Self = serde_json::from_str(text).ok()?;
        head.scheme.starts_with("slosmith/").then_some(head)
    }

    fn is_todays(&self) -> bool {
        self.schema_version == SCHEMA_VERSION && self.scheme == fingerprint::SCHEME
    }
}

impl Baseline {
    /// A baseline of all these findings; paths are relative to `root`.
    pub fn of(diagnostics: &[Diagnostic], sources: &Sources, root: Option<&Path>) -> Self {
        let prints = fingerprint::of(diagnostics, sources, root);
        let entry = |(d, fingerprint): (&Diagnostic, String)| Entry {
            path: place::path(sources.get(d.span.file).path(), root),
            rule: d.code.to_owned(),
            message: d.message.clone(),
            fingerprint,
        };
        let mut findings: Vec<_> = diagnostics.iter().zip(prints).map(entry).collect();
        findings.sort();
        Self {
            schema_version: SCHEMA_VERSION,
            scheme: fingerprint::SCHEME.to_owned(),
            findings,
        }
    }

    /// Keeps the entries of an older baseline whose path was not linted.
    #[must_use]
    pub fn keeping(mut self, old: Self, linted: &dyn Fn(&str) -> bool) -> Self {
        let kept = old
            .findings
            .into_iter()
            .filter(|entry| !linted(&entry.path));
        self.findings.extend(kept);
        self.findings.sort();
        self.findings.dedup();
        self
    }

    pub fn count(&self) -> usize {
        self.findings.len()
    }

    /// The text of the file, with a final newline.
    pub fn to_json(&self) -> String {
        // Strings and lists: printing cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If the text is not a baseline. The error never quotes the text, which may be secret.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let text = &text[mark_len(text)..];
        let no_baseline = |line, column| Err(ReadError::NoBaseline { line, column });
        match (Head::read(text), serde_json::from_str(text)) {
            (Some(head), _) if !head.is_todays() => Err(ReadError::OtherVersion),
            (_, Err(error)) => no_baseline(error.line(), error.column()),
            (None, Ok(_)) => no_baseline(1, 1),
            (Some(_), Ok(baseline)) => Ok(baseline),
        }
    }

    /// The findings that are not in the baseline, and the entries that match no finding any more.
    ///
    /// `text` is the baseline's own text in `file`. Entries are checked only if `linted` returns
    /// true for their path.
    pub fn apply(
        &self,
        diagnostics: Vec<Diagnostic>,
        sources: &Sources,
        root: Option<&Path>,
        file: FileId,
        linted: &dyn Fn(&str) -> bool,
    ) -> Vec<Diagnostic> {
        let prints = fingerprint::of(&diagnostics, sources, root);
        let entries = self.findings.iter();
        let mut open: BTreeMap<_, _> = entries.map(|e| (e.fingerprint.as_str(), e)).collect();
        let found = diagnostics.into_iter().zip(&prints);
        let mut kept: Vec<_> = found
            .filter_map(|(d, print)| open.remove(print.as_str()).is_none().then_some(d))
            .collect();
        let text = sources.get(file).text();
        let idle = open
            .into_values()
            .filter(|entry| linted(&entry.path) && !asks_server(&entry.rule));
        let mut idle: Vec<_> = idle.map(|entry| unused(entry, file, text)).collect();
        idle.sort_by_key(|d| d.span);
        kept.append(&mut idle);
        kept
    }
}

fn unused(entry: &Entry, file: FileId, text: &str) -> Diagnostic {
    // A fingerprint is in the file once, so its text is its place.
    let quoted = format!("\"{}\"", entry.fingerprint);
    let at = text.find(&quoted).unwrap_or_default();
    let span = Span::new(file, at..at + quoted.len());
    let message = format!(
        "this entry for `{}` matches no finding in {} any more",
        entry.rule, entry.path
    );
    rules::unused(span, message).help("update the baseline with `slosmith lint --write-baseline`")
}
