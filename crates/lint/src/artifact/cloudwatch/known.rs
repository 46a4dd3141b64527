//! What is known of a document before it is applied.
//!
//! `Period: !Ref Period` and `"region": "${var.region}"` are unknown; the fields around them are not.

use serde_json::{Map, Value};

use crate::artifact::raw;
use slosmith_cloudwatch::{may_have_more, unknown, unknown_item};
use slosmith_text::yaml::{Kind, MARK, Node, Tag};

/// Signs of a text that something fills in: CloudFormation and Terraform, dynamic references and mustaches,
/// Terraform's directives, Helm and Jinja.
const SIGNS: [&str; 4] = ["${", "{{", "%{", MARK];

/// Rules of Prometheus in CloudFormation, as a text.
pub(super) const RULES: &str = "AWS::APS::RuleGroupsNamespace";

pub(super) fn is_ours(kind: &str) -> bool {
    let prefixes = ["AWS::CloudWatch::", "aws_cloudwatch_"];
    kind == RULES || prefixes.iter().any(|prefix| kind.starts_with(prefix))
}

pub(super) fn is_filled_in(text: &str) -> bool {
    SIGNS.iter().any(|sign| text.contains(sign))
}

pub(super) fn value(node: &Node<'_>) -> Value {
    match node.tag {
        Tag::None => {}
        Tag::Sub | Tag::Join => return unknown_item(),
        Tag::Ref => return referred(node),
        _ => return unknown(),
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
    if let [(key, inner)] = entries
        && let Some(name) = key.text().filter(|key| is_function(key))
    {
        return match name {
            "Ref" => referred(inner),
            "Fn::Sub" | "Fn::Join" => unknown_item(),
            _ => unknown(),
        };
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

/// What a name refers to: a value, unless it says that there is none.
fn referred(name: &Node<'_>) -> Value {
    match name.text() {
        Some("AWS::NoValue") | None => unknown(),
        Some(_) => unknown_item(),
    }
}

/// A function of CloudFormation in its long form.
fn is_function(key: &str) -> bool {
    key == "Ref" || key.starts_with("Fn::")
}
