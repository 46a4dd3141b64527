//! Templates of CloudFormation, and those of SAM, CDK and the Serverless Framework.

use super::known::RULES;
use super::references::{self, References};
use super::{Names, alarm, is_composite, put_dashboard};
use crate::artifact::field::word;
use crate::artifact::raw::HOLE;
use crate::artifact::reader::Reader;
use slosmith_cloudwatch::Form;
use slosmith_text::yaml::{Body, Kind, Node, Tag, Text};

/// Maps of resources in a document: at its top, or below `resources`, once or several times.
pub(super) fn resources<'n, 't>(node: &'n Node<'t>) -> Vec<&'n Node<'t>> {
    let below = node.get("resources");
    let list = below.map_or(&[][..], Node::items).iter();
    let all = std::iter::once(node).chain(below).chain(list);
    all.filter_map(|document| document.get("Resources"))
        .collect()
}

pub(super) fn types<'n>(node: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let all = resources(node).into_iter().flat_map(each);
    all.filter_map(|(_, resource)| word(resource, &["Type"]))
}

/// The resources of a map by their names; of a loop, what it repeats, without a name.
fn each<'n, 't>(resources: &'n Node<'t>) -> Vec<(Option<&'n str>, &'n Node<'t>)> {
    let mut found = Vec::new();
    for (key, resource) in resources.entries() {
        let name = key.text();
        match resource.items() {
            [_, _, repeated] if name.is_some_and(|name| name.starts_with("Fn::ForEach::")) => {
                found.extend(repeated.entries().iter().map(|(_, inner)| (None, inner)));
            }
            _ => found.push((name, resource)),
        }
    }
    found
}

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let mut names = Names::default();
    let references = References::of(node);
    for (name, resource) in resources(node).into_iter().flat_map(each) {
        let nothing = Node::new(resource.range(), Kind::Map(Vec::new()));
        let properties = match resource.get("Properties") {
            Some(properties) => properties,
            // A transform may add them.
            None if resource
                .entries()
                .iter()
                .any(|(key, _)| key.text() == Some("Fn::Transform")) =>
            {
                continue;
            }
            None => &nothing,
        };
        match word(resource, &["Type"]) {
            Some(kind @ ("AWS::CloudWatch::Alarm" | "AWS::CloudWatch::CompositeAlarm")) => {
                alarm(reader, body, properties, Form::Formation);
                if kind == "AWS::CloudWatch::CompositeAlarm" {
                    is_composite(reader);
                    composed(reader, body, properties);
                }
                if let Some(name) = name.filter(|_| resource.get("Condition").is_none()) {
                    names.take(reader, name, "/AlarmName");
                }
            }
            Some("AWS::CloudWatch::Dashboard") => {
                put_dashboard(reader, body, properties, Form::Formation);
                let inner = properties.get("DashboardBody");
                let inner = inner.and_then(|inner| text(body, inner));
                inner
                    .into_iter()
                    .for_each(|inner| reader.embed_board(inner));
            }
            Some(RULES) => {
                let inner = properties.get("Data").and_then(|inner| text(body, inner));
                inner.into_iter().for_each(|inner| reader.embed(inner));
            }
            _ => {}
        }
        let is_ours = word(resource, &["Type"]).is_some_and(super::known::is_ours);
        if let Some(last) = reader.artifact.resources.last_mut().filter(|_| is_ours) {
            last.faults.extend(references.faults(resource, properties));
        }
    }
}

/// Checks a rule that functions put together.
fn composed(reader: &mut Reader, body: &Body<'_>, properties: &Node<'_>) {
    let rule = properties.get("AlarmRule");
    let made = rule.filter(|rule| rule.tag != Tag::None || !rule.entries().is_empty());
    let fault = made.and_then(|made| references::rule(&text(body, made)?.value));
    if let Some(alarm) = reader.artifact.resources.last_mut() {
        alarm.faults.extend(fault);
    }
}

/// A text, with holes where functions fill it in; nothing for what only a function gives.
fn text(body: &Body<'_>, node: &Node<'_>) -> Option<Text> {
    match (node.tag, node.entries()) {
        (Tag::None, [(name, inner)]) => match name.text()? {
            "Fn::Sub" => substituted(body, inner),
            "Fn::Join" => joined(body, inner),
            _ => None,
        },
        (Tag::Sub, _) => substituted(body, node),
        (Tag::Join, _) => joined(body, node),
        (Tag::None, _) => body.read(node),
        _ => None,
    }
}

/// `text`, or `[text, values]`.
fn substituted(body: &Body<'_>, node: &Node<'_>) -> Option<Text> {
    body.read(node.items().first().unwrap_or(node))
}

/// `[between, texts]`.
fn joined(body: &Body<'_>, node: &Node<'_>) -> Option<Text> {
    let [between, parts] = node.items() else {
        return None;
    };
    let between = between.text().unwrap_or_default();
    parts.is_seq().then(|| body.joined(parts, between, HOLE))
}
