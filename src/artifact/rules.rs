//! Prometheus rule files.

use super::field::{items, text, word};
use super::reader::Reader;
use super::{Alert, Kind, Pair, Record, Role};
use crate::promql::Dialect;
use crate::source::Spanned;
use crate::yaml::{Body, Node};

/// Reads `groups`, of a rule file or of a resource's `spec`.
pub(super) fn groups(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for group in items(node, &["groups"]) {
        for rule in items(group, &["rules"]) {
            self::rule(reader, body, rule);
        }
    }
}

/// Reads one rule, if it is one.
pub(super) fn rule(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let Some(expr) = text(body, node, &["expr"]) else {
        return;
    };
    if let Some(name) = text(body, node, &["alert"]) {
        let role = Role::Alert {
            name: name.value.clone(),
        };
        reader.is(Kind::Rules);
        let query = reader.query(expr, Dialect::Prometheus, role);
        reader.artifact.alerts.push(Alert {
            name,
            query,
            labels: pairs(body, node.get("labels")),
            annotations: pairs(body, node.get("annotations")),
            span: body.place(node),
            is_partial: reader.is_extended(&body.place(node)),
        });
    } else if let Some(name) = text(body, node, &["record"]) {
        let role = Role::Record {
            name: name.value.clone(),
        };
        reader.is(Kind::Rules);
        let query = reader.query(expr, Dialect::Prometheus, role);
        reader.artifact.records.push(Record { name, query });
    }
}

fn pairs(body: &Body<'_>, node: Option<&Node<'_>>) -> Vec<Pair> {
    let entries = node.map_or(&[][..], Node::entries);
    let pair = |(key, value): &(Node<'_>, Node<'_>)| {
        Some(Pair {
            key: Spanned::new(key.text()?.to_owned(), body.place(key)),
            value: body.read(value)?,
        })
    };
    entries.iter().filter_map(pair).collect()
}

/// True for a single rule outside of any group, as documents show them.
pub(super) fn is_rule(node: &Node<'_>) -> bool {
    let named = word(node, &["alert"]).or_else(|| word(node, &["record"]));
    named.is_some() && word(node, &["expr"]).is_some()
}
