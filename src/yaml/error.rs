//! The reader's errors in our words, at our places.

use serde_saphyr::Error;

use super::spanned::span_at;
use crate::diag::{Diagnostic, did_you_mean};
use crate::source::{FileId, Span};

/// Turns a reader error into a finding.
pub(super) fn diagnostic(error: &Error, file: FileId, text: &str) -> Diagnostic {
    let error = error.without_snippet();
    let span = error
        .location()
        .and_then(|location| span_at(file, &location))
        .unwrap_or_else(|| Span::new(file, 0..0));
    let span = visible(span, text);
    match error {
        Error::SerdeUnknownField {
            field, expected, ..
        } => Diagnostic::error("unknown-field", span, format!("unknown field `{field}`"))
            .maybe_help(did_you_mean(field, expected.iter().copied()))
            .help(format!("expected one of {}", list(expected))),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => Diagnostic::error("unknown-value", span, format!("unknown value `{variant}`"))
            .maybe_help(did_you_mean(variant, expected.iter().copied()))
            .help(format!("expected one of {}", list(expected))),
        Error::SerdeMissingField { field, .. } => {
            Diagnostic::error("missing-field", span, format!("missing field `{field}`"))
        }
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            Diagnostic::error("duplicate-name", span, format!("`{key}` stands twice"))
                .help("remove one of the two")
        }
        Error::SerdeInvalidType {
            unexpected,
            expected,
            ..
        } => wrong_type(span, expected, unexpected),
        Error::SerdeInvalidValue {
            unexpected,
            expected,
            ..
        } => wrong_type(span, expected, unexpected),
        Error::Eof { .. } => Diagnostic::error("empty-file", span, "the document is empty"),
        Error::MultipleDocuments { .. } => Diagnostic::error(
            "multiple-documents",
            span,
            "the file holds more than one YAML document",
        )
        .help("one file holds one spec: split it at `---`"),
        Error::Message { msg, .. } => Diagnostic::error("invalid-value", span, msg.clone()),
        other => Diagnostic::error("invalid-yaml", span, plain(&other.to_string())),
    }
}

fn wrong_type(span: Span, expected: &str, unexpected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {unexpected}");
    Diagnostic::error("wrong-type", span, message)
}

/// The first line of the reader's message, without the place that we show ourselves.
fn plain(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    match line.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") => rest.to_owned(),
        _ => line.to_owned(),
    }
}

/// An empty span is widened to one character, so that there is something to underline.
fn visible(span: Span, text: &str) -> Span {
    if span.end > span.start {
        return span;
    }
    let rest = text.get(span.range().start..).unwrap_or_default();
    let width = rest
        .chars()
        .next()
        .filter(|c| *c != '\n')
        .map_or(0, char::len_utf8);
    Span::new(span.file, span.range().start..span.range().start + width)
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|w| format!("`{w}`")).collect();
    quoted.join(", ")
}
