//! Kubernetes resources that hold rules or dashboards.

use super::field::text;
use super::reader::{Embedded, Reader};
use super::{Kind, classic, rules, v2};
use slosmith_text::yaml::{Body, Node};

pub(super) fn rules(reader: &mut Reader, body: &Body<'_>, node: Node<'_>) {
    reader.is(Kind::Rules);
    if let Some(spec) = node.take("spec") {
        rules::groups(reader, body, spec);
    }
}

/// `ConfigMap`: every file in it that is JSON or YAML by its name, or looks like it.
pub(super) fn config_map(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let entries = node.get("data").map_or(&[][..], Node::entries);
    for (key, value) in entries {
        let name = key.text().unwrap_or_default();
        let likely = [".json", ".yaml", ".yml", ".rules"];
        let Some(text) = body.read(value) else {
            continue;
        };
        let kind = Some(Kind::ConfigMap);
        match likely.iter().any(|ending| name.ends_with(ending)) {
            true => reader.embedded.push(Embedded {
                kind,
                ..Embedded::new(text)
            }),
            false => drop(reader.embed_likely(text, kind)),
        }
    }
}

pub(super) fn grafana(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    if let Some(text) = text(body, node, &["spec", "json"]) {
        reader.embed(text);
    }
}

pub(super) fn resource(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let Some(spec) = node.get("spec") else {
        return;
    };
    if spec.get("elements").is_some() {
        v2::read(reader, body, spec, text(body, node, &["metadata", "name"]));
    } else if classic::is_dashboard(spec) {
        classic::read(reader, body, spec);
    }
}
