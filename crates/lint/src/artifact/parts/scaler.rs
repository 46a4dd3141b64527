//! What scales by metrics (KEDA, the HorizontalPodAutoscaler, KServe, AIBrix), what decides on a rollout or an experiment
//! by a query (Argo Rollouts, Flagger, LitmusChaos, Kthena), and values that are put into another file.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role, metric};
use slosmith_promql::{Dialect, parse_with};
use slosmith_text::yaml::{Body, Node, Text};

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
    let query = node.and_then(|node| text(body, node, &["query"]));
    take(reader, query, Dialect::Prometheus, part, of)
}

fn take(reader: &mut Reader, query: Option<Text>, dialect: Dialect, part: &str, of: &str) -> bool {
    let Some(query) = query else {
        return false;
    };
    reader.is(Kind::Scaler);
    let (part, of) = (part.to_owned(), of.to_owned());
    reader.query(query, dialect, Role::Part { part, of });
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

/// The `provider` of a metric of an `AnalysisTemplate`, and what is like it.
pub(super) fn analysis(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let is_server = |inner: &&Node<'_>| {
        let keys = ["address", "serverAddress", "serverURL"];
        keys.iter().any(|key| inner.get(key).is_some())
    };
    let inner = node.get("prometheus").filter(is_server);
    inner.is_some_and(|inner| filled(reader, body, inner, of))
}

/// The `spec` of a `MetricTemplate`.
pub(super) fn flagger(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    word(node, &["provider", "type"]) == Some("prometheus") && filled(reader, body, node, of)
}

/// A probe of a `ChaosEngine`.
pub(super) fn probe(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let inner = node.get("promProbe/inputs");
    inner.is_some_and(|inner| filled(reader, body, inner, of))
}

/// A query in which the program fills in `{{ … }}`.
fn filled(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let query = text(body, node, &["query"]);
    take(reader, query, Dialect::Template, "query", of)
}

/// Last keys of places where a query belongs.
const KEYS: [&str; 4] = ["expr", "metricsQuery", "promql", "query"];

/// `set` of Helm, or a patch of Kustomize: reads `{name: a.b.expr, value: …}` and `{path: /a/b/query, value: …}`. Other databases have
/// queries at such places, too: what is not PromQL is none.
pub(super) fn patch(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let place = word(node, &["path"]).or_else(|| word(node, &["name"]));
    let key = place.and_then(|place| place.rsplit(['.', '/']).next());
    let Some(key) = key.filter(|key| KEYS.contains(key)) else {
        return false;
    };
    let query = text(body, node, &["value"]);
    let query = query.filter(|q| parse_with(&q.value, Dialect::Template).is_ok());
    take(reader, query, Dialect::Template, key, of)
}
