//! What decides on a rollout, an experiment or a number of replicas by a query: Argo Rollouts, Flagger, LitmusChaos,
//! Kthena. They fill in `{{ … }}`.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// The `provider` of a metric of an `AnalysisTemplate`, and what is like it.
pub(super) fn analysis(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let is_server = |inner: &&Node<'_>| {
        let keys = ["address", "serverAddress", "serverURL"];
        keys.iter().any(|key| inner.get(key).is_some())
    };
    let inner = node.get("prometheus").filter(is_server);
    inner.is_some_and(|inner| query(reader, body, inner, of))
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
