//! Rules that Grafana itself evaluates: files for provisioning, exports of its API, resources of its operator.

use super::datasource::Sources;
use super::field::{items, text, word};
use super::reader::Reader;
use super::{Kind, Language, Role};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// Reads a rule: some queries with a letter each, and expressions over them that are no PromQL.
pub(super) fn part(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    let data = items(node, &["data"]);
    if !data.iter().any(is_query) {
        return false;
    }
    let name = word(node, &["title"]).unwrap_or_default();
    for query in data.iter().filter(|query| is_query(query)) {
        let Some(expr) = text(body, query, &["model", "expr"]) else {
            continue;
        };
        if expr.value.trim().is_empty() {
            continue;
        }
        reader.is(Kind::Grafana);
        let role = Role::Alert {
            name: name.to_owned(),
        };
        reader.query_in(expr, Dialect::Grafana, role, language(query));
    }
    true
}

/// True for a query of a data source, or an expression, of a rule.
fn is_query(node: &Node<'_>) -> bool {
    let is_signed = node.get("datasourceUid").is_some() || node.get("relativeTimeRange").is_some();
    is_signed && node.get("model").is_some_and(Node::is_map)
}

fn language(query: &Node<'_>) -> Option<Language> {
    let sources = Sources::default();
    let declared = query.get("model").and_then(|model| sources.language(model));
    let named = || sources.named(word(query, &["datasourceUid"])?);
    declared.or_else(named)
}
