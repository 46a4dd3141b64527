//! Prometheus rule files.

pub(super) mod asked;

use super::field::{items, word};
use super::reader::Reader;
use super::{Alert, Artifact, Kind, Language, Pair, Record, Role, grafana_alert};
use slosmith_promql::Dialect;
use slosmith_text::source::Spanned;
use slosmith_text::yaml::{Body, Node};

/// Reads `groups`, of a rule file or of a resource's `spec`.
pub(super) fn groups(reader: &mut Reader, body: &Body<'_>, node: Node<'_>) {
    let groups = node.take("groups").map_or_else(Vec::new, flat);
    reserve(&mut reader.artifact, &groups);
    for group in groups {
        self::group(reader, body, group);
    }
}

/// The items of a list, and of the lists in it: what Terraform puts together is one.
fn flat(list: Node<'_>) -> Vec<Node<'_>> {
    let items = list.into_items();
    if !items.iter().any(Node::is_seq) {
        return items;
    }
    let items = items.into_iter().map(|item| match item.is_seq() {
        true => flat(item),
        false => vec![item],
    });
    items.flatten().collect()
}

/// Makes room for all rules at once: there may be very many.
fn reserve(artifact: &mut Artifact, groups: &[Node<'_>]) {
    let rules = groups.iter().flat_map(|group| items(group, &["rules"]));
    let (mut all, mut alerts) = (0, 0);
    for rule in rules {
        all += 1;
        alerts += usize::from(rule.get("alert").is_some());
    }
    artifact.queries.reserve(all);
    artifact.alerts.reserve(alerts);
    artifact.records.reserve(all - alerts);
}

fn group(reader: &mut Reader, body: &Body<'_>, group: Node<'_>) {
    let flavor = Flavor::of(&group);
    let rules = group.take("rules").map_or_else(Vec::new, flat);
    for rule in rules {
        if !grafana_alert::part(reader, body, &rule, "") {
            flavored(reader, body, rule, flavor);
        }
    }
}

/// Reads a group, or a rule outside of any, wherever it stands.
pub(super) fn part(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    let is_group = items(node, &["rules"]).iter().any(is_rule);
    if is_group {
        group(reader, body, node.clone());
    } else if is_rule(node) {
        rule(reader, body, node.clone());
    }
    is_group || is_rule(node)
}

pub(super) fn rule(reader: &mut Reader, body: &Body<'_>, node: Node<'_>) {
    flavored(reader, body, node, Flavor::Prometheus);
}

fn flavored(reader: &mut Reader, body: &Body<'_>, node: Node<'_>, flavor: Flavor) {
    let span = body.place(&node);
    let keys = [
        "expr",
        "expression",
        "alert",
        "record",
        "labels",
        "annotations",
    ];
    let [expr, azure, alert, record, labels, annotations] = node.take_all(keys);
    let text = |node: Option<Node<'_>>| body.take(node?);
    let Some(expr) = text(expr.or(azure)) else {
        return;
    };
    let language = flavor.language();
    if let Some(name) = text(alert) {
        let role = Role::Alert {
            name: name.value.clone(),
        };
        reader.is(Kind::Rules);
        let query = reader.query_in(expr, Dialect::Prometheus, role, language);
        let (labels, annotations) = (pairs(body, labels), pairs(body, annotations));
        for pair in labels.iter().chain(&annotations) {
            asked::read(reader, pair, &name.value, language);
        }
        reader.artifact.alerts.push(Alert {
            name,
            query,
            labels,
            annotations,
            is_partial: reader.is_extended(&span),
            span,
        });
    } else if let Some(name) = text(record) {
        let role = Role::Record {
            name: name.value.clone(),
        };
        reader.is(Kind::Rules);
        let query = reader.query_in(expr, Dialect::Prometheus, role, language);
        reader.artifact.records.push(Record { name, query });
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Flavor {
    Prometheus,
    Victoria,
    /// vmalert for Graphite or logs.
    Other,
}

impl Flavor {
    /// By what only vmalert's groups have.
    fn of(group: &Node<'_>) -> Self {
        const VMALERT: [&str; 9] = [
            "concurrency",
            "debug",
            "eval_alignment",
            "eval_delay",
            "eval_offset",
            "extra_filter_labels",
            "headers",
            "params",
            "tenant",
        ];
        match word(group, &["type"]) {
            Some("prometheus") => Self::Victoria,
            Some(_) => Self::Other,
            None if VMALERT.iter().any(|key| group.get(key).is_some()) => Self::Victoria,
            None => Self::Prometheus,
        }
    }

    fn language(self) -> Option<Language> {
        match self {
            Self::Prometheus => None,
            Self::Victoria => Some(Language::MetricsQl),
            Self::Other => Some(Language::Other),
        }
    }
}

fn pairs(body: &Body<'_>, node: Option<Node<'_>>) -> Vec<Pair> {
    let entries = node.map_or_else(Vec::new, Node::into_entries);
    let mut pairs = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let span = body.place(&key);
        if let (Some(key), Some(value)) = (key.into_text(), body.take(value)) {
            let key = Spanned::new(key, span);
            pairs.push(Pair { key, value });
        }
    }
    pairs
}

/// True for a single rule outside of any group, as documents show them.
pub(super) fn is_rule(node: &Node<'_>) -> bool {
    let named = word(node, &["alert"]).or_else(|| word(node, &["record"]));
    // Azure has the longer word.
    named.is_some() && (word(node, &["expr"]).is_some() || word(node, &["expression"]).is_some())
}
