//! What the query of a Grafana variable asks for.

use super::Role;
use super::reader::Reader;
use crate::promql::Dialect;
use crate::yaml::Text;

/// Reads `label_values(selector, label)`, `query_result(expr)` or a plain selector; calls without any
/// (`metrics(…)`, `label_names()`) hold no query.
pub(super) fn read(reader: &mut Reader, name: &str, query: &Text) {
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
        Some((start, trimmed))
    };
    let Some((from, selector)) = found.filter(|(_, s)| !s.trim().is_empty()) else {
        return;
    };
    let from = from + selector.len() - selector.trim_start().len();
    if let Some(part) = query.part(from..from + selector.trim().len()) {
        reader.query(part, Dialect::Grafana, role);
    }
}
