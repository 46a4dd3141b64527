//! Names of metrics that may be vLLM's, as series: what is known of those is known of them.

use crate::artifact::Role;
use crate::artifact::reader::Reader;
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// Reads the name of a metric; one of another exporter is passed over.
pub(super) fn name(reader: &mut Reader, body: &Body<'_>, node: Option<&Node<'_>>, of: &str) {
    let Some(text) = node.and_then(|node| body.read(node)) else {
        return;
    };
    let series = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    if text.value.starts_with("vllm") && text.value.chars().all(series) {
        let of = of.to_owned();
        reader.query(text, Dialect::Prometheus, Role::Metric { of });
    }
}
