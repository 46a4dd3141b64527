//! Parts that say by themselves what they are, wherever they stand: in a resource of Kubernetes or Terraform, in the
//! values of a Helm chart, in the configuration of an adapter.

mod adapter;
mod google;
mod patch;
mod rollout;
mod scaler;

use super::field::word;
use super::reader::Reader;
use super::{Kind, Role, classic, cloudwatch, code, document, grafana_alert, rules};
use crate::catalog::Catalog;
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// Reads what it knows of a map; gives back whether that was all of it. The last argument is what it is a part of.
type Part = fn(&mut Reader, &Body<'_>, &Node<'_>, &str) -> bool;

const PARTS: [Part; 13] = [
    rules::part,
    grafana_alert::part,
    adapter::rule,
    scaler::keda,
    scaler::horizontal,
    scaler::kserve,
    scaler::aibrix,
    google::query,
    rollout::analysis,
    rollout::flagger,
    rollout::probe,
    patch::value,
    classic::part,
];

/// Reads all parts of a document.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, root: &Node<'_>) {
    let of = owner(root);
    match cloudwatch::planned(root) {
        Some(resources) => resources
            .into_iter()
            .for_each(|values| walk(reader, body, values, &of)),
        None => walk(reader, body, root, &of),
    }
}

/// `ScaledObject queue`, for people.
fn owner(root: &Node<'_>) -> String {
    let name = word(root, &["metadata", "name"]).or_else(|| word(root, &["displayName"]));
    let words = [word(root, &["kind"]), name];
    let words: Vec<_> = words.into_iter().flatten().collect();
    words.join(" ")
}

fn walk(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) {
    let is_read = node.is_map() && PARTS.iter().any(|part| part(reader, body, node, of));
    if is_read {
        return;
    }
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        if !cloudwatch::owns(key, value) {
            inner(reader, body, value, key, of);
        }
    }
    for item in node.items() {
        inner(reader, body, item, "", of);
    }
}

/// Reads what stands behind a key or in a list: a resource, a text, or more of the same.
fn inner(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, key: &str, of: &str) {
    if word(node, &["apiVersion"]).is_some() && word(node, &["kind"]).is_some() {
        document::read(reader, body, node.clone());
    } else if let Some(value) = node.text() {
        text(reader, body, node, value, key, of);
    } else {
        walk(reader, body, node, of);
    }
}

/// Reads a text that is a document, or a whole query of a metric that is recorded.
fn text(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, value: &str, key: &str, of: &str) {
    // To look costs less than to parse. The tag of an image looks like a name, and `a/b` like a division.
    let may_ask = value.contains(Catalog::vllm().prefix()) && value.contains(['(', '{', '[', ' ']);
    let is_query = may_ask && code::is_query(value, Dialect::Template);
    if !is_query && !value.contains(['\n', '{']) {
        return;
    }
    let Some(text) = body.read(node) else {
        return;
    };
    if is_query {
        let (part, of) = (key.to_owned(), of.to_owned());
        reader.is(Kind::Scaler);
        reader.query(text, Dialect::Template, Role::Part { part, of });
    } else {
        reader.embed_likely(text, None);
    }
}
