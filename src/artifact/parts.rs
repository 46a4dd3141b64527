//! Parts that say by themselves what they are, wherever they stand: in a resource of Kubernetes, in the values of a
//! Helm chart, in the configuration of an adapter.

mod adapter;
mod google;
mod scaler;

use super::field::word;
use super::reader::Reader;
use super::{classic, grafana_alert, json, rules};
use crate::yaml::{Body, Node};

/// Reads what it knows of a map; gives back whether that was all of it. The last argument is what it is a part of.
type Part = fn(&mut Reader, &Body<'_>, &Node<'_>, &str) -> bool;

const PARTS: [Part; 9] = [
    rules::part,
    grafana_alert::part,
    adapter::rule,
    scaler::keda,
    scaler::horizontal,
    scaler::kserve,
    scaler::aibrix,
    google::query,
    dashboards,
];

/// Reads all parts of a document.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, root: &Node<'_>) {
    walk(reader, body, root, &owner(root));
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
    let values = node.entries().iter().map(|(_, value)| value);
    for inner in values.chain(node.items()) {
        walk(reader, body, inner, of);
    }
}

/// Dashboards as text, as Grafana's Helm chart takes them. Other texts beside them are read on.
fn dashboards(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    for (_, value) in node.entries() {
        let text = value.text().unwrap_or_default();
        let likely = text.trim_start().starts_with('{') && text.contains("\"panels\"");
        if likely && json::parse(text).is_ok_and(|root| classic::is_dashboard(&root)) {
            body.read(value)
                .into_iter()
                .for_each(|text| reader.embed(text));
        }
    }
    false
}
