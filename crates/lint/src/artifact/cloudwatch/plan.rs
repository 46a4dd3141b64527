//! What `terraform show -json` prints of a plan or a state.
//!
//! If the threshold of a change is known only after apply, everything but the threshold is checked.

use serde_json::Value;

use super::known::is_ours;
use super::terraform;
use crate::artifact::field::{items, word};
use crate::artifact::raw::{self, HOLE};
use crate::artifact::reader::Reader;
use slosmith_text::yaml::{Body, Node};

/// Modules in modules are followed this far.
const DEEPEST: usize = 32;

pub(super) fn is_any(node: &Node<'_>) -> bool {
    found(node).iter().any(|(kind, ..)| is_ours(kind))
}

/// The values of all other resources of a plan or a state; none for another document.
pub(in crate::artifact) fn planned<'n, 't>(node: &'n Node<'t>) -> Option<Vec<&'n Node<'t>>> {
    let is_one =
        node.get("resource_changes").is_some() || node.at(&["values", "root_module"]).is_some();
    let all = is_one.then(|| found(node))?.into_iter();
    let others = all.filter(|(kind, ..)| !is_ours(kind));
    Some(others.map(|(_, values, _)| values).collect())
}

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let all = found(node).into_iter();
    for (kind, values, unknown) in all.filter(|(kind, ..)| is_ours(kind)) {
        let mut known = raw::plain(values);
        if let Some(unknown) = unknown {
            overlay(&mut known, &raw::plain(unknown));
        }
        terraform::resource(reader, body, kind, values, &known);
    }
}

type Found<'n, 't> = (&'n str, &'n Node<'t>, Option<&'n Node<'t>>);

/// Types, values, and which of these are unknown.
fn found<'n, 't>(node: &'n Node<'t>) -> Vec<Found<'n, 't>> {
    let mut found = Vec::new();
    for change in items(node, &["resource_changes"]) {
        let after = change
            .at(&["change", "after"])
            .filter(|after| after.is_map());
        if let (Some(kind), Some(after)) = (word(change, &["type"]), after) {
            found.push((kind, after, change.at(&["change", "after_unknown"])));
        }
    }
    if let Some(root) = node.at(&["values", "root_module"]) {
        module(root, DEEPEST, &mut found);
    }
    found
}

fn module<'n, 't>(node: &'n Node<'t>, depth: usize, found: &mut Vec<Found<'n, 't>>) {
    for resource in items(node, &["resources"]) {
        if let (Some(kind), Some(values)) = (word(resource, &["type"]), resource.get("values")) {
            found.push((kind, values, None));
        }
    }
    if depth > 0 {
        for child in items(node, &["child_modules"]) {
            module(child, depth - 1, found);
        }
    }
}

/// Puts a hole where `unknown` says `true`.
fn overlay(value: &mut Value, unknown: &Value) {
    match (value, unknown) {
        (value, Value::Bool(true)) => *value = Value::String(HOLE.to_owned()),
        (Value::Object(map), Value::Object(unknown)) => {
            for (key, unknown) in unknown {
                overlay(map.entry(key.clone()).or_insert(Value::Null), unknown);
            }
        }
        (Value::Array(items), Value::Array(unknown)) => {
            for (i, unknown) in unknown.iter().enumerate() {
                if i == items.len() {
                    items.push(Value::Null);
                }
                overlay(&mut items[i], unknown);
            }
        }
        (value @ Value::Null, Value::Object(_) | Value::Array(_)) if has_hole(unknown) => {
            *value = Value::String(HOLE.to_owned());
        }
        _ => {}
    }
}

fn has_hole(unknown: &Value) -> bool {
    match unknown {
        Value::Bool(truth) => *truth,
        Value::Array(items) => items.iter().any(has_hole),
        Value::Object(map) => map.values().any(has_hole),
        _ => false,
    }
}
