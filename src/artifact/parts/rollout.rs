//! What decides on a rollout or an experiment by a query: Argo Rollouts, Flagger, LitmusChaos. They fill in `{{ … }}`.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// The `provider` of a metric of an `AnalysisTemplate`.
pub(super) fn analysis(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let inner = node.get("prometheus");
    inner.is_some_and(|inner| inner.get("address").is_some() && query(reader, body, inner, of))
}

/// The `spec` of a `MetricTemplate`.
pub(super) fn flagger(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    word(node, &["provider", "type"]) == Some("prometheus") && query(reader, body, node, of)
}

/// A probe of a `ChaosEngine`.
pub(super) fn probe(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let inner = node.get("promProbe/inputs");
    inner.is_some_and(|inner| query(reader, body, inner, of))
}

fn query(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let Some(query) = text(body, node, &["query"]) else {
        return false;
    };
    reader.is(Kind::Scaler);
    let (part, of) = ("query".to_owned(), of.to_owned());
    reader.query(query, Dialect::Template, Role::Part { part, of });
    true
}
