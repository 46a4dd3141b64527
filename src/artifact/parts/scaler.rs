//! What scales by metrics: KEDA, the HorizontalPodAutoscaler, KServe, AIBrix.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role, metric};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// A trigger of a `ScaledObject` or `ScaledJob`, also in the values of a Helm chart.
pub(super) fn keda(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let is_trigger = word(node, &["type"]) == Some("prometheus")
        && (node.at(&["metadata", "serverAddress"]).is_some()
            || node.at(&["metadata", "threshold"]).is_some());
    is_trigger && query(reader, body, node.get("metadata"), "trigger", of)
}

pub(super) fn kserve(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let is_metric = word(node, &["backend"]) == Some("prometheus");
    is_metric && query(reader, body, Some(node), "metric", of)
}

fn query(
    reader: &mut Reader,
    body: &Body<'_>,
    node: Option<&Node<'_>>,
    part: &str,
    of: &str,
) -> bool {
    let Some(query) = node.and_then(|node| text(body, node, &["query"])) else {
        return false;
    };
    reader.is(Kind::Scaler);
    let (part, of) = (part.to_owned(), of.to_owned());
    reader.query(query, Dialect::Prometheus, Role::Part { part, of });
    true
}

/// A metric of a `HorizontalPodAutoscaler`. Names without vLLM's colon are the adapter's own.
pub(super) fn horizontal(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let source = match word(node, &["type"]) {
        Some("Pods") => "pods",
        Some("External") => "external",
        Some("Object") => "object",
        _ => return false,
    };
    let Some(source) = node.get(source) else {
        return false;
    };
    let name = source
        .at(&["metric", "name"])
        .or_else(|| source.get("metricName"));
    let Some(text) = name.and_then(|name| body.read(name)) else {
        return false;
    };
    reader.is(Kind::Scaler);
    if !metric::google(reader, &text, of) {
        metric::served(reader, body, name, of);
    }
    true
}

/// A source of a `PodAutoscaler`: names without a colon are AIBrix's own, and another endpoint has other metrics.
pub(super) fn aibrix(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let kind = word(node, &["metricSourceType"]);
    if kind.is_none() || node.get("targetMetric").is_none() {
        return false;
    }
    reader.is(Kind::Scaler);
    if kind == Some("pod") {
        metric::served(reader, body, node.get("targetMetric"), of);
    }
    true
}
