//! Queries and files in the code fences of Markdown, and names of metrics in all code.

mod fence;
mod mention;

use std::ops::Range;

use super::reader::Reader;
use super::{Kind, Role};
use super::{document, rules};
use slosmith_promql::{Dialect, parse_with, reach};
use slosmith_text::yaml::{Body, Text, tree};

/// Reads every fence that names a language we know.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>) {
    reader.is_prose = true;
    let fences = fence::fences(body.text());
    for fence in &fences {
        let Some(text) = body.lines(fence.inner.clone(), fence.indent) else {
            continue;
        };
        if shows_mistake(last_line(&body.text()[..fence.whole.start])) {
            continue;
        }
        match fence.language.as_str() {
            "promql" => queries(reader, &text),
            "yaml" | "yml" => yaml(reader, &text),
            "json" => {
                let before = reader.artifact.faults.len();
                document::nested(reader, &text);
                // An excerpt need not be whole.
                reader.artifact.faults.truncate(before);
            }
            _ => {}
        }
    }
    mention::read(reader, body, &fences);
    // What a fence holds does not make the whole file that.
    reader.artifact.kind = match reader.artifact.queries.is_empty() {
        true => Kind::Unknown,
        false => Kind::Markdown,
    };
}

/// Queries with blank lines between them; lines of comments alone are none.
fn queries(reader: &mut Reader, text: &Text) {
    let mut at = 0;
    for part in text.value.split_inclusive("\n\n") {
        let start = at + part.len() - part.trim_start().len();
        at += part.len();
        let lines = part.lines().map(str::trim);
        let empty = lines
            .into_iter()
            .all(|line| line.is_empty() || line.starts_with('#'));
        if empty {
            continue;
        }
        for cut in single(part.trim()) {
            let end = cut.start + part.trim()[cut.clone()].trim_end().len();
            let comments = part.trim()[cut.start..end].lines().map(str::trim);
            let mut comments = comments.filter(|line| line.starts_with('#'));
            if let Some(query) = text.part(start + cut.start..start + end)
                && !comments.any(shows_mistake)
            {
                reader.query(query, Dialect::Grafana, Role::Fence);
            }
        }
    }
}

fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or_default()
}

/// True for a line that begins as one that announces an example of what not to write.
fn shows_mistake(line: &str) -> bool {
    const WORDS: [&str; 8] = [
        "avoid",
        "bad",
        "broken",
        "dont",
        "incorrect",
        "invalid",
        "never",
        "wrong",
    ];
    let line = line.to_lowercase().replace(['\'', '’'], "");
    let mut words = line.split(|c: char| !c.is_alphanumeric());
    let first = words.find(|word| !word.is_empty());
    line.contains(['❌', '✗', '✘']) || first.is_some_and(|word| WORDS.contains(&word))
}

/// Where single queries are in lines without a blank one among them: each goes as far as it can be read,
/// and the next one starts on a line of its own. Lines that nothing separates are one query, whatever is
/// wrong with it.
fn single(lines: &str) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        match end_of_query(lines, start) {
            Some(end) => cuts.push(start..end),
            None => return std::iter::once(0..lines.len()).collect(),
        }
        start = cuts.last().map_or(start, |cut| cut.end);
    }
    cuts
}

/// The line at which the query ends that begins at `start`.
fn end_of_query(lines: &str, start: usize) -> Option<usize> {
    let next = start + reach(&lines[start..], Dialect::Grafana)?;
    let end = match next == lines.len() {
        true => next,
        false => lines[..next].rfind('\n')? + 1,
    };
    let alone = lines[end..next].trim().is_empty() && end > start;
    (alone && parse_with(&lines[start..end], Dialect::Grafana).is_ok()).then_some(end)
}

/// A rule file, a resource, or rules without their group.
fn yaml(reader: &mut Reader, text: &Text) {
    let inside = Body::inside(text.map.clone(), &text.value);
    // An excerpt need not be whole.
    let Ok(documents) = tree(inside.file(), &text.value, &mut reader.allowance) else {
        return;
    };
    for root in documents {
        if root.items().iter().any(rules::is_rule) {
            let rules = root.into_items().into_iter();
            rules.for_each(|rule| rules::rule(reader, &inside, rule));
        } else if rules::is_rule(&root) {
            rules::rule(reader, &inside, root);
        } else {
            document::read(reader, &inside, root);
        }
    }
}
