//! What the query of a Grafana variable asks for.

use super::reader::Reader;
use super::{Language, Role, metric};
use slosmith_catalog::Catalog;
use slosmith_promql::{Dialect, parse_with};
use slosmith_text::yaml::Text;

/// Reads `label_values(selector, label)`, `label_names(selector)`, `query_result(expr)` or a plain selector. Of
/// `metrics(pattern)`, which may match any part of a name, only a name is read that some release serves. Without a data
/// source, a text of another form may be in any language.
pub(super) fn read(reader: &mut Reader, name: &str, query: &Text, language: Option<Language>) {
    let text = query.value.as_str();
    let start = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let inner = |call: &str| {
        let rest = trimmed.strip_prefix(call)?.trim_start().strip_prefix('(')?;
        let rest = rest.strip_suffix(')')?;
        let from = start + trimmed.len() - 1 - rest.len();
        Some((from, rest))
    };
    if let Some((from, pattern)) = inner("metrics") {
        if Catalog::vllm().series_of(pattern).is_some() {
            let of = format!("variable {name}");
            metric::part(reader, query, from..from + pattern.len(), &of);
        }
        return;
    }
    let mut listed = None;
    let (from, selector) = if let Some((from, rest)) = inner("label_values") {
        // Without a selector there is only a label.
        let comma = rest
            .rfind(',')
            .filter(|at| !rest[*at..].contains(['}', '"']));
        let Some(at) = comma else {
            return;
        };
        let label = rest[at + 1..].trim();
        let begin = from + rest.len() - rest[at + 1..].trim_start().len();
        listed = query.part(begin..begin + label.len());
        (from, &rest[..at])
    } else if let Some(inside) = inner("query_result").or_else(|| inner("label_names")) {
        inside
    } else if language.is_some() || parse_with(trimmed, Dialect::Grafana).is_ok() {
        (start, trimmed)
    } else {
        return;
    };
    let from = from + selector.len() - selector.trim_start().len();
    let part = query.part(from..from + selector.trim().len());
    if let Some(part) = part.filter(|part| !part.value.is_empty()) {
        let name = name.to_owned();
        let index = reader.query_in(part, Dialect::Grafana, Role::Variable { name }, language);
        reader.artifact.queries[index].listed = listed.map(Box::new);
    }
}
