//! Rules of prometheus-adapter, in its own file, in a ConfigMap or in the values of its Helm chart.

use crate::artifact::field::{items, text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role, metric};
use slosmith_promql::{Dialect, alternatives};
use slosmith_text::yaml::{Body, Node};

/// Reads a rule: which series it finds, which names it takes of those, and what it asks of them.
pub(super) fn rule(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    let Some(series) = text(body, node, &["seriesQuery"]) else {
        return false;
    };
    reader.is(Kind::Adapter);
    let of = format!(
        "adapter rule {}",
        word(node, &["name", "as"]).unwrap_or_default()
    );
    let of = of.trim_end().to_owned();
    let role = Role::Discovery { of: of.clone() };
    if !series.value.trim().is_empty() {
        reader.query(series, Dialect::Adapter, role);
    }
    patterns(reader, body, node.at(&["name", "matches"]), &of);
    for filter in items(node, &["seriesFilters"]) {
        patterns(reader, body, filter.get("is"), &of);
    }
    if let Some(query) = text(body, node, &["metricsQuery"]).filter(|q| !q.value.is_empty()) {
        let part = "metricsQuery".to_owned();
        reader.query(query, Dialect::Adapter, Role::Part { part, of });
    }
    true
}

/// Names that a pattern matches, where it is nothing but names.
fn patterns(reader: &mut Reader, body: &Body<'_>, node: Option<&Node<'_>>, of: &str) {
    let Some(text) = node.and_then(|node| body.read(node)) else {
        return;
    };
    for place in alternatives(&text.value).unwrap_or_default() {
        metric::part(reader, &text, place, of);
    }
}
