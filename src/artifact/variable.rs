//! What the query of a Grafana variable asks for.

use super::reader::Reader;
use super::{Language, Role};
use crate::promql::{Dialect, parse_with};
use crate::yaml::Text;

/// Reads `label_values(selector, label)`, `query_result(expr)` or a plain selector; calls without any
/// (`metrics(…)`, `label_names()`) hold no query. Without a data source, a text of another form may be in any language.
pub(super) fn read(reader: &mut Reader, name: &str, query: &Text, language: Option<Language>) {
    let text = query.value.as_str();
    let start = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let role = Role::Variable {
        name: name.to_owned(),
    };
    let inner = |call: &str| {
        let rest = trimmed.strip_prefix(call)?.trim_start().strip_prefix('(')?;
        let rest = rest.strip_suffix(')')?;
        let from = start + trimmed.len() - 1 - rest.len();
        Some((from, rest))
    };
    let found = if let Some((from, rest)) = inner("label_values") {
        // Without a selector there is only a label.
        rest.rfind(',')
            .filter(|at| !rest[*at..].contains(['}', '"']))
            .map(|at| (from, &rest[..at]))
    } else if let Some((from, rest)) = inner("query_result") {
        Some((from, rest))
    } else if inner("label_names").is_some() || inner("metrics").is_some() {
        None
    } else {
        let is_known = language.is_some() || parse_with(trimmed, Dialect::Grafana).is_ok();
        is_known.then_some((start, trimmed))
    };
    let Some((from, selector)) = found.filter(|(_, s)| !s.trim().is_empty()) else {
        return;
    };
    let from = from + selector.len() - selector.trim_start().len();
    if let Some(part) = query.part(from..from + selector.trim().len()) {
        reader.query_in(part, Dialect::Grafana, role, language);
    }
}
