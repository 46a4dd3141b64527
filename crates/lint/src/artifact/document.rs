//! One document of any kind: what it is, and who reads it.

use super::Language;
use super::field::word;
use super::reader::Reader;
use super::{classic, cloudwatch, json, kubernetes, parts, perses, rules, slo, unit_tests, v2};
use slosmith_text::yaml::{Body, Node, Text, tree};

/// Documents inside of documents (a dashboard in a ConfigMap in a list) are followed this far.
const DEEPEST: u32 = 8;

/// Reads a document; what holds no queries is passed over.
///
/// A node goes where it is read: a file of rules may be large, and is in memory once this way.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: Node<'_>) {
    if reader.depth == DEEPEST {
        return;
    }
    reader.depth += 1;
    let around = reader.usual;
    reader.usual = language(&node).or(around);
    if node.is_seq() {
        node.into_items()
            .into_iter()
            .for_each(|item| read(reader, body, item));
    } else {
        map(reader, body, node);
    }
    for inner in std::mem::take(&mut reader.embedded) {
        let before = reader.artifact.queries.len();
        let faults = reader.artifact.faults.len();
        match inner.is_board {
            true => cloudwatch::body(reader, &inner.text),
            false => nested(reader, &inner.text),
        }
        if inner.is_guess {
            reader.artifact.faults.truncate(faults);
        }
        if let Some(kind) = inner
            .kind
            .filter(|_| reader.artifact.queries.len() > before)
        {
            reader.artifact.kind = kind;
        }
    }
    reader.usual = around;
    reader.depth -= 1;
}

/// The language of the queries in a document whose kind decides that: those of VictoriaMetrics' and Loki's operators, and
/// ConfigMaps that Loki's ruler reads.
fn language(node: &Node<'_>) -> Option<Language> {
    let api = word(node, &["apiVersion"]).unwrap_or_default();
    let is_log = api.starts_with("loki.grafana.com/")
        || node.at(&["metadata", "labels", "loki_rule"]).is_some();
    let is_victoria =
        api.starts_with("operator.victoriametrics.com/") || word(node, &["kind"]) == Some("VMRule");
    match is_log {
        true => Some(Language::Other),
        false => is_victoria.then_some(Language::MetricsQl),
    }
}

fn map(reader: &mut Reader, body: &Body<'_>, owned: Node<'_>) {
    let node = &owned;
    let api = word(node, &["apiVersion"]).unwrap_or_default();
    match word(node, &["kind"]).unwrap_or_default() {
        kind if kind == "List" || (kind.ends_with("List") && node.get("items").is_some()) => {
            let items = owned.take("items").map(Node::into_items);
            let items = items.into_iter().flatten();
            items.for_each(|item| read(reader, body, item));
        }
        "ConfigMap" => kubernetes::config_map(reader, body, node),
        "PrometheusRule" | "VMRule" => kubernetes::rules(reader, body, owned),
        "GrafanaDashboard" => kubernetes::grafana(reader, body, node),
        "PrometheusServiceLevel" => slo::resource(reader, body, node),
        "SLO" if api.starts_with("openslo") => slo::open_slo(reader, body, node),
        "Dashboard"
            if ["dashboard.grafana.app/", "grizzly.grafana.com/"]
                .iter()
                .any(|group| api.starts_with(group)) =>
        {
            kubernetes::resource(reader, body, node)
        }
        "Dashboard" | "PersesDashboard"
            if node.at(&["spec", "panels"]).is_some_and(Node::is_map) =>
        {
            perses::read(reader, body, node);
        }
        _ => plain(reader, body, owned),
    }
}

/// Documents that do not say what they are.
fn plain(reader: &mut Reader, body: &Body<'_>, owned: Node<'_>) {
    let node = &owned;
    let api = word(node, &["apiVersion"]).unwrap_or_default();
    let is_list = |key: &str| node.get(key).is_some_and(Node::is_seq);
    let is_map = |key: &str| node.get(key).is_some_and(Node::is_map);
    if api.starts_with("slosmith/") {
        slo::own(reader, body, node);
    } else if word(node, &["version"]) == Some("prometheus/v1") && is_list("slos") {
        slo::sloth(reader, body, node);
    } else if is_map("dashboard") {
        let inner = owned.take("dashboard").into_iter();
        inner.for_each(|inner| read(reader, body, inner));
    } else if is_map("elements") && word(node, &["layout", "kind"]).is_some() {
        v2::read(reader, body, node, None);
    } else if classic::is_dashboard(node) {
        classic::read(reader, body, node);
    } else if is_list("groups") {
        rules::groups(reader, body, owned);
    } else if unit_tests::is_any(node) {
        unit_tests::read(reader, body, node);
    } else {
        if cloudwatch::is_any(node) {
            cloudwatch::read(reader, body, node);
        }
        if !cloudwatch::is_whole(node) {
            parts::read(reader, body, node, read);
        }
    }
}

pub(super) fn nested(reader: &mut Reader, text: &Text) {
    let inside = Body::inside(text.map.clone(), &text.value);
    if json::is_likely(&text.value) {
        let root = match reader.template {
            Some(_) => json::parse_filled(&text.value),
            None => json::parse(&text.value),
        };
        match root {
            Ok(root) => read(reader, &inside, root),
            Err(fault) => reader.artifact.faults.push(fault.in_body(&inside)),
        }
        return;
    }
    match tree(inside.file(), &text.value, &mut reader.allowance) {
        Ok(documents) => {
            documents
                .into_iter()
                .for_each(|document| read(reader, &inside, document));
        }
        Err(mut fault) => {
            fault.span = inside.span(fault.span.range());
            reader.artifact.faults.push(fault);
        }
    }
}
