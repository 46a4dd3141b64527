//! The reader's errors in our words, at our places.

use std::ops::Range;

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::spanned::span_at;
use crate::diag::{Diagnostic, did_you_mean, one_of};
use crate::source::{FileId, Span};

pub(super) fn diagnostic(error: &Error, file: FileId, text: &str) -> Diagnostic {
    let error = error.without_snippet();
    let span = error
        .location()
        .and_then(|location| span_at(file, text, &location))
        .unwrap_or_else(|| Span::new(file, 0..0));
    let error = match error {
        Error::AliasError { error, .. } => error.without_snippet(),
        other => other,
    };
    let mut found = of_shape(error, span).unwrap_or_else(|| of_syntax(error, span, text));
    found.span = Span::new(found.span.file, visible(found.span.range(), text));
    found
}

/// What is wrong with values; only a duplicate key and the words of our own parsers concern more than our own files.
fn of_shape(error: &Error, span: Span) -> Option<Diagnostic> {
    Some(match error {
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            Diagnostic::error("duplicate-name", span, format!("`{key}` appears twice"))
                .help("remove one of the two")
        }
        Error::Message { msg, .. } => by_value(msg, span),
        _ => return None,
    })
}

pub(super) fn empty(file: FileId) -> Diagnostic {
    let start = Span::new(file, 0..0);
    Diagnostic::error("empty-file", start, "the file is empty")
        .help("start with `apiVersion: slosmith/v1`")
}

fn of_syntax(error: &Error, span: Span, text: &str) -> Diagnostic {
    match error {
        Error::Eof { .. } => empty(span.file),
        Error::MultipleDocuments { .. } => {
            let message = "the file contains more than one YAML document";
            Diagnostic::error("multiple-documents", separator(span, text), message)
                .help("split the file here: each spec needs its own file")
        }
        Error::Budget {
            breach: BudgetBreach::Depth { .. },
            ..
        } => Diagnostic::error("too-deep", span, "the YAML is nested too deeply"),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => Diagnostic::error(
            "too-large",
            span,
            "the YAML aliases expand to too much text",
        )
        .help("replace the aliases (`*name`) with their values"),
        Error::ExternalMessage { msg, .. } if msg.starts_with("recursion limit") => {
            Diagnostic::error("too-deep", span, "the YAML is nested too deeply")
        }
        Error::ExternalMessage { msg, .. } if msg.starts_with("unexpected character") => {
            Diagnostic::error("invalid-yaml", unprintable(span, text), plain(msg))
        }
        Error::ExternalMessage { msg, .. } => Diagnostic::error("invalid-yaml", span, plain(msg)),
        other => Diagnostic::error("invalid-yaml", span, plain(&other.to_string())),
    }
}

pub(super) fn suggest(error: Diagnostic, word: &str, known: &[&str]) -> Diagnostic {
    match did_you_mean(word, known.iter().copied()) {
        Some(meant) => error.help(meant),
        None => error.help(format!("use {}", one_of(known))),
    }
}

/// An error of our own value parsers: the message in the first line, a help in each of the others.
pub(super) fn by_value(message: &str, span: Span) -> Diagnostic {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    lines.fold(
        Diagnostic::error("invalid-value", span, first),
        |error, help| error.help(help),
    )
}

/// The reader names the start of the text that holds a character which YAML does not allow.
fn unprintable(span: Span, text: &str) -> Span {
    let start = span.range().start;
    let rest = text.get(start..).unwrap_or_default();
    let allowed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{85}');
    match rest.char_indices().find(|(_, c)| !allowed(*c)) {
        Some((i, c)) => Span::new(span.file, start + i..start + i + c.len_utf8()),
        None => span,
    }
}

/// The reader names the first entry of the second document; its `---` precedes it.
fn separator(span: Span, text: &str) -> Span {
    let before = text.get(..span.range().start).unwrap_or_default();
    match before.rfind("\n---") {
        Some(at) => Span::new(span.file, at + 1..at + 4),
        None => span,
    }
}

/// The first line of the reader's message, without the place that we show ourselves.
fn plain(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = match line.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") => rest,
        _ => line,
    };
    let line = line.find(" at line ").map_or(line, |end| &line[..end]);
    let mut chars = line.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    let line: String = first.into_iter().chain(chars).collect();
    // The reader opens quotes with a backtick and closes them with an apostrophe.
    match line.strip_suffix('\'') {
        Some(rest) if rest.contains('`') => format!("{rest}`"),
        _ => line,
    }
}

/// An empty place is widened to one character, so that there is something to underline.
pub(super) fn visible(range: Range<usize>, text: &str) -> Range<usize> {
    if range.end > range.start {
        return range;
    }
    let rest = text.get(range.start..).unwrap_or_default();
    let width = rest.chars().next().filter(|c| *c != '\n');
    range.start..range.start + width.map_or(0, char::len_utf8)
}

pub(super) fn addition(field: &str) -> Option<String> {
    let example = match field {
        "service" => "add `service: {name: NAME, owner: TEAM}`",
        "severity" => "add `severity: critical` or `severity: warning`",
        "period" => "add the SLO window, such as `period: 30d`",
        "objective" => "add the share of good events, such as `objective: 99.9%`",
        "when" => "add a condition: `when: {signal: NAME, above: 10}`",
        "total" => "add `total` with the signal that counts all events",
        "over" => "add `over` with the signal to divide by",
        "grafana" => "add the URL of Grafana: `grafana: https://…`",
        "name" => "add `name: NAME`",
        _ => return None,
    };
    Some(example.to_owned())
}
