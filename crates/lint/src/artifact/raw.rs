//! A dashboard or alarm as a whole, for schemas and limits.

use serde_json::Value;

use slosmith_text::source::Span;
use slosmith_text::yaml::{Body, Kind, Node, Place, Style, Tag};

/// Stands in a text for a value that something fills in.
pub(super) const HOLE: &str = "${}";

#[derive(Clone, Debug)]
pub struct Raw {
    root: Node<'static>,
    place: Place,
}

impl Raw {
    pub(super) fn new(body: &Body<'_>, node: &Node<'_>) -> Self {
        Self {
            root: node.clone().into_owned(),
            place: body.keep(),
        }
    }

    /// The whole as a JSON value; of keys that appear twice the last wins, as everywhere.
    pub fn value(&self) -> Value {
        plain(&self.root)
    }

    pub fn value_at(&self, pointer: &str) -> Option<Value> {
        self.node(pointer).map(plain)
    }

    pub fn node(&self, pointer: &str) -> Option<&Node<'static>> {
        self.steps(pointer)?.1
    }

    /// The bytes of the value at a JSON pointer, or of the nearest value around it that exists.
    pub fn span(&self, pointer: &str) -> Span {
        let around = self.steps(pointer).map_or(&self.root, |(around, _)| around);
        self.place.span(around.range())
    }

    /// The bytes of the key whose value is at a JSON pointer.
    pub fn key_span(&self, pointer: &str) -> Option<Span> {
        let (parent, key) = pointer.rsplit_once('/')?;
        let (key, _) = self.node(parent)?.entry(&unescaped(key))?;
        Some(self.place.span(key.range()))
    }

    pub fn place(&self, node: &Node<'_>) -> Span {
        self.place.span(node.range())
    }

    /// The deepest node on the way, and the node at the end of it.
    fn steps(&self, pointer: &str) -> Option<(&Node<'static>, Option<&Node<'static>>)> {
        let mut node = &self.root;
        if pointer.is_empty() {
            return Some((node, Some(node)));
        }
        for step in pointer.strip_prefix('/')?.split('/') {
            let step = unescaped(step);
            let next = match &node.kind {
                Kind::Map(entries) => {
                    let found = entries.iter().rev().find(|(k, _)| key(k) == Some(&*step));
                    found.map(|(_, value)| value)
                }
                Kind::Seq(items) => step.parse().ok().and_then(|n: usize| items.get(n)),
                Kind::Scalar(_) => None,
            };
            match next {
                Some(next) => node = next,
                None => return Some((node, None)),
            }
        }
        Some((node, Some(node)))
    }
}

fn key<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(&scalar.value),
        Kind::Seq(_) | Kind::Map(_) => None,
    }
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

pub(super) fn plain(node: &Node<'_>) -> Value {
    match &node.kind {
        _ if node.tag == Tag::Made => Value::String(HOLE.to_owned()),
        Kind::Seq(items) => Value::Array(items.iter().map(plain).collect()),
        Kind::Map(entries) => {
            let entry = |(k, v): &(Node<'_>, Node<'_>)| Some((key(k)?.to_owned(), plain(v)));
            Value::Object(entries.iter().filter_map(entry).collect())
        }
        Kind::Scalar(scalar) => match scalar.style {
            _ if scalar.is_null() => Value::Null,
            Style::Plain | Style::PlainInFlow | Style::JsonLiteral => resolved(&scalar.value),
            _ => Value::String(scalar.value.to_string()),
        },
    }
}

/// What a plain scalar means: a truth value, a number, else text.
fn resolved(text: &str) -> Value {
    match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match serde_json::from_str::<Value>(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => Value::String(text.to_owned()),
        },
    }
}
