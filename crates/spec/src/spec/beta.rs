//! The second document of a spec, of `apiVersion: slosmith/v1beta1`: what generates pages and scripts, and may still change.
//!
//! The spec and its second document are read as one tree. Fields that stand in the wrong document are errors, and
//! `slosmith migrate` moves them.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Advice, LoadTests, Map, Table, Text, Traces, Triage, parts};
use slosmith_text::diag::{Diagnostic, Edit, Fix, one_of};
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{self, Kind, Node};

pub const BETA_VERSION: &str = "slosmith/v1beta1";

/// What has a document of its own, behind `---`: pages and scripts, and no alerts. Its fields may change in any minor version.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Beta {
    /// Tables from combinations of signals to likely causes.
    pub triage: Map<Triage>,
    /// The span and attributes of each request's trace.
    pub traces: Option<Traces>,
    /// Load tests and their criteria.
    pub load_tests: Option<LoadTests>,
    /// Advice on configuration, with formulas.
    pub advice: Map<Advice>,
    /// Checklists.
    pub checklists: Map<Vec<Text>>,
    /// Reference tables, such as targets by use.
    pub tables: Map<Table>,
}

/// Both documents of a spec as one, with what stands in the wrong one of them.
pub(super) fn joined<'t>(
    file: FileId,
    text: &'t str,
) -> Result<(Node<'t>, Vec<Diagnostic>), Diagnostic> {
    let mut documents = yaml::documents(file, text)?.into_iter();
    let mut found = Vec::new();
    let Some(mut spec) = documents.next() else {
        return Ok((Node::new(0..0, Kind::Map(Vec::new())), found));
    };
    let of_beta = parts().fields("<beta>");
    let is_beta = |key: &Node<'_>| key.text().is_some_and(|key| of_beta.contains(&key));
    let behind: Vec<_> = documents.filter(|document| !document.is_null()).collect();
    let mut moved: Vec<_> = spec.entries().iter().collect();
    moved.retain(|(key, value)| is_beta(key) && !value.is_null());
    let mut edits = moves(file, text, &spec, behind.first(), &moved);
    for (key, _) in moved {
        let name = key.text().unwrap_or_default();
        let message = format!("`{name}` is now in a document of its own");
        let error = Diagnostic::error("renamed-field", Span::new(file, key.range()), message);
        let help = match edits {
            Some(_) => "`slosmith migrate` moves it",
            None => "move it",
        };
        let help = format!("{help} behind a line `---` and a line `apiVersion: {BETA_VERSION}`");
        // The first of them moves all.
        let fix = edits
            .as_mut()
            .map(std::mem::take)
            .filter(|edits| !edits.is_empty());
        let fix = fix.map(|edits| Fix::safe_edits("move to a document of its own", edits));
        found.push(error.help(help).maybe_fix(fix));
    }
    for document in behind {
        let version = document.get("apiVersion").and_then(Node::text);
        if version != Some(BETA_VERSION) || !spec.is_map() {
            let at = Span::new(file, separator(text, document.range().start));
            let message = "the file contains more than one YAML document";
            let error = Diagnostic::error("multiple-documents", at, message);
            found.push(error.help("split the file here: each spec needs its own file"));
            continue;
        }
        let (Kind::Map(all), Kind::Map(entries)) = (&mut spec.kind, document.kind) else {
            continue;
        };
        for (key, value) in entries {
            let name = key.text().unwrap_or_default();
            if is_beta(&key) {
                all.push((key, value));
            } else if name != "apiVersion" && !name.starts_with("x-") {
                let message = format!("unknown field `{name}` in a document of `{BETA_VERSION}`");
                let at = Span::new(file, key.range());
                let error = Diagnostic::error("unknown-field", at, message);
                found.push(error.help(format!("use {}", one_of(of_beta))));
            }
        }
    }
    Ok((spec, found))
}

/// The line that ends the document before the one at a place.
fn separator(text: &str, start: usize) -> Range<usize> {
    match text[..start].rfind("\n---") {
        Some(at) => at + 1..at + 4,
        None => start..start,
    }
}

/// Moves fields to the end of the file, with the comments above them; `None` where they do not begin lines of their own.
fn moves(
    file: FileId,
    text: &str,
    spec: &Node<'_>,
    behind: Option<&Node<'_>>,
    moved: &[&(Node<'_>, Node<'_>)],
) -> Option<Vec<Edit>> {
    let entries = spec.entries();
    let end = match behind {
        Some(first) => separator(text, first.range().start).start,
        None => text.len(),
    };
    // Fields that follow each other are one.
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (key, value) in moved {
        let from = commented(text, key.range().start)?;
        let after = entries.iter().map(|(key, _)| key.range().start);
        let after = after.filter(|at| *at > key.range().start).min();
        let to = match after {
            Some(at) => commented(text, at)?,
            None => end,
        };
        let block = text.get(from..to)?;
        // An anchor is known in its own document only.
        if [": *", "- *", ": &", "- &"]
            .iter()
            .any(|sign| block.contains(sign))
            || to < value.range().end
        {
            return None;
        }
        match ranges.last_mut().filter(|last| last.end == from) {
            Some(last) => last.end = to,
            None => ranges.push(from..to),
        }
    }
    let blocks = ranges.iter().map(|range| text[range.clone()].trim_end());
    let blocks = blocks.collect::<Vec<_>>().join("\n\n");
    let new = match behind {
        Some(_) => format!("\n{blocks}\n"),
        None => format!("---\napiVersion: {BETA_VERSION}\n\n{blocks}\n"),
    };
    let last = ranges.pop_if(|last| last.end == text.len());
    let at = last.unwrap_or(text.len()..text.len());
    let new = match text[..at.start].ends_with('\n') {
        true => new,
        false => format!("\n{new}"),
    };
    let deleted = ranges
        .into_iter()
        .map(|range| Edit::delete(Span::new(file, range)));
    let edits = deleted.chain([Edit::replace(Span::new(file, at), new)]);
    Some(edits.collect())
}

/// Where the comments above a line begin that starts with a key.
fn commented(text: &str, key: usize) -> Option<usize> {
    let mut at = key;
    if at > 0 && !text[..at].ends_with('\n') {
        return None;
    }
    for line in text[..key].lines().rev() {
        if !line.starts_with('#') {
            break;
        }
        at = text[..at].trim_end_matches(['\r', '\n']).len() - line.len();
    }
    Some(at)
}
