//! Parts that say by themselves what they are, wherever they stand: in a resource of Kubernetes or Terraform, in the
//! values of a Helm chart, in the configuration of an adapter.

mod adapter;
mod google;
mod scaler;

use super::field::word;
use super::reader::Reader;
use super::{Kind, Role, classic, cloudwatch, code, grafana_alert, rules};
use slosmith_catalog as catalog;
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

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
    scaler::analysis,
    scaler::flagger,
    scaler::probe,
    scaler::patch,
    classic::part,
];

type Resource = fn(&mut Reader, &Body<'_>, Node<'_>);

/// Reads all parts of a document, with `resource` those that are documents themselves.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, root: &Node<'_>, resource: Resource) {
    let of = owner(root);
    let walk = Walk { of: &of, resource };
    match cloudwatch::planned(root) {
        Some(all) => all
            .into_iter()
            .for_each(|values| walk.all(reader, body, values)),
        None => walk.all(reader, body, root),
    }
}

/// `ScaledObject queue`, for people.
fn owner(root: &Node<'_>) -> String {
    let name = word(root, &["metadata", "name"]).or_else(|| word(root, &["displayName"]));
    let words = [word(root, &["kind"]), name];
    let words: Vec<_> = words.into_iter().flatten().collect();
    words.join(" ")
}

struct Walk<'w> {
    of: &'w str,
    resource: Resource,
}

impl Walk<'_> {
    fn all(&self, reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
        let is_read = node.is_map() && PARTS.iter().any(|part| part(reader, body, node, self.of));
        if is_read {
            return;
        }
        for (key, value) in node.entries() {
            let key = key.text().unwrap_or_default();
            if !cloudwatch::owns(key, value) {
                self.inner(reader, body, value, key);
            }
        }
        for item in node.items() {
            self.inner(reader, body, item, "");
        }
    }

    /// Reads what stands behind a key or in a list: a resource, a text, or more of the same.
    fn inner(&self, reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, key: &str) {
        if word(node, &["apiVersion"]).is_some() && word(node, &["kind"]).is_some() {
            (self.resource)(reader, body, node.clone());
        } else if let Some(value) = node.text() {
            self.text(reader, body, node, value, key);
        } else {
            self.all(reader, body, node);
        }
    }

    /// Reads a text that is a document, or a whole query of a metric that is recorded.
    fn text(&self, reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, value: &str, key: &str) {
        // To look costs less than to parse. The tag of an image looks like a name, and `a/b` like a division.
        let may_ask =
            value.contains(['(', '{', '[', ' ']) && catalog::mentions(value).next().is_some();
        let is_query = may_ask && code::is_query(value, Dialect::Template);
        if !is_query && !value.contains(['\n', '{']) {
            return;
        }
        let Some(text) = body.read(node) else {
            return;
        };
        if is_query {
            let (part, of) = (key.to_owned(), self.of.to_owned());
            reader.is(Kind::Scaler);
            reader.query(text, Dialect::Template, Role::Part { part, of });
        } else {
            reader.embed_likely(text, None);
        }
    }
}
