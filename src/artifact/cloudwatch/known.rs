//! What is known of a document before it is applied.
//!
//! `Period: !Ref Period` and `"region": "${var.region}"` are unknown; the fields around them are not.

use serde_json::{Map, Value};

use crate::artifact::raw;
use crate::cloudwatch::{may_have_more, unknown};
use crate::yaml::{Kind, MARK, Node, Tag};

/// Signs of a text that something fills in: CloudFormation and Terraform, dynamic references and mustaches,
/// Terraform's directives, Helm and Jinja.
const SIGNS: [&str; 4] = ["${", "{{", "%{", MARK];

/// Stands in a text for a value that something fills in; one of [`SIGNS`] finds it.
pub(in crate::artifact) const HOLE: &str = "${}";

/// True for a text that something fills in.
pub(super) fn is_filled_in(text: &str) -> bool {
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// The value of a node as far as it is known.
pub(super) fn value(node: &Node<'_>) -> Value {
    if node.tag != Tag::None {
        return unknown();
    }
    match &node.kind {
        Kind::Seq(items) => items.iter().map(value).collect(),
        Kind::Map(entries) => map(entries),
        Kind::Scalar(_) => match raw::plain(node) {
            Value::String(text) if is_filled_in(&text) => unknown(),
            known => known,
        },
    }
}

fn map(entries: &[(Node<'_>, Node<'_>)]) -> Value {
    if let [(key, _)] = entries
        && key.text().is_some_and(is_function)
    {
        return unknown();
    }
    let mut out = Map::new();
    for (key, inner) in entries {
        match key.text() {
            Some(key) if !is_function(key) && !is_filled_in(key) => {
                out.insert(key.to_owned(), value(inner));
            }
            _ => may_have_more(&mut out),
        }
    }
    Value::Object(out)
}

/// A function of CloudFormation in its long form.
fn is_function(key: &str) -> bool {
    key == "Ref" || key.starts_with("Fn::")
}
