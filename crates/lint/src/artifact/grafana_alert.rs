//! Rules that Grafana itself evaluates: files for provisioning, exports of its API, resources of its operator.

use super::cloudwatch::blocks;
use super::datasource::Sources;
use super::field::{text, word};
use super::reader::Reader;
use super::{Kind, Language, Role, json};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

/// Reads a rule: some queries with a letter each, and expressions over them that are no PromQL.
pub(super) fn part(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    let data = node.get("data").map_or(&[][..], blocks);
    if !data.iter().any(is_query) {
        return false;
    }
    let name = word(node, &["title"]).or_else(|| word(node, &["name"]));
    for query in data.iter().filter(|query| is_query(query)) {
        let Some(model) = query.get("model") else {
            continue;
        };
        if model.is_map() {
            self::query(reader, body, query, model, name);
        } else if let Some(text) = body.read(model) {
            // Terraform and its plans have the model as JSON.
            let inside = Body::inside(text.map.clone(), &text.value);
            if let Ok(model) = json::parse_filled(&text.value) {
                self::query(reader, &inside, query, &model, name);
            }
        }
    }
    true
}

fn query(
    reader: &mut Reader,
    body: &Body<'_>,
    node: &Node<'_>,
    model: &Node<'_>,
    name: Option<&str>,
) {
    let expr = text(body, model, &["expr"]);
    let Some(expr) = expr.filter(|expr| !expr.value.trim().is_empty()) else {
        return;
    };
    reader.is(Kind::Grafana);
    let role = Role::Alert {
        name: name.unwrap_or_default().to_owned(),
    };
    reader.query_in(expr, Dialect::Grafana, role, language(node, model));
}

/// True for a query of a data source, or an expression, of a rule.
fn is_query(node: &Node<'_>) -> bool {
    let signs = [
        "datasourceUid",
        "datasource_uid",
        "relativeTimeRange",
        "relative_time_range",
    ];
    signs.iter().any(|key| node.get(key).is_some()) && node.get("model").is_some()
}

fn language(query: &Node<'_>, model: &Node<'_>) -> Option<Language> {
    let sources = Sources::default();
    let uid = word(query, &["datasourceUid"]).or_else(|| word(query, &["datasource_uid"]));
    let declared = sources.language(model);
    declared.or_else(|| sources.named(uid?))
}
