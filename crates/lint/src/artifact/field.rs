//! Small questions to a tree.

use slosmith_text::source::Spanned;
use slosmith_text::yaml::{Body, Node, Text};

pub(super) fn text(body: &Body<'_>, node: &Node<'_>, path: &[&str]) -> Option<Text> {
    body.read(node.at(path)?)
}

pub(super) fn word<'n>(node: &'n Node<'_>, path: &[&str]) -> Option<&'n str> {
    node.at(path)?.text()
}

pub(super) fn spanned(body: &Body<'_>, node: &Node<'_>, path: &[&str]) -> Option<Spanned<String>> {
    let node = node.at(path)?;
    Some(Spanned::new(node.text()?.to_owned(), body.place(node)))
}

pub(super) fn number(body: &Body<'_>, node: &Node<'_>, path: &[&str]) -> Option<Spanned<f64>> {
    let word = spanned(body, node, path)?;
    let value = word.value.parse().ok()?;
    Some(Spanned::new(value, word.span))
}

/// The list at a path of keys; empty when there is none.
pub(super) fn items<'n, 't>(node: &'n Node<'t>, path: &[&str]) -> &'n [Node<'t>] {
    node.at(path).map_or(&[], Node::items)
}

pub(super) fn is_true(node: &Node<'_>, path: &[&str]) -> bool {
    word(node, path) == Some("true")
}
