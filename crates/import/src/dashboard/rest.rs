//! Reports all fields of a part of a dashboard that no reader uses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::context::Cx;
use crate::fields::{first_line, is_blank, start};
use slosmith_lint::artifact::Raw;
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{self, Node};

/// What is known of the fields of each part; `fields.yaml` says what the lists are.
#[derive(Deserialize)]
pub(super) struct Parts {
    pub(super) dashboard: Known,
    pub(super) variable: Known,
    pub(super) row: Known,
    pub(super) panel: Known,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    read: Vec<String>,
    usual: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    own: BTreeMap<String, String>,
}

pub(super) static PARTS: LazyLock<Parts> = LazyLock::new(|| {
    let parts = yaml::read(FileId(u32::MAX), include_str!("fields.yaml"));
    parts.expect("the fields of dashboards, which a test reads")
});

#[derive(Default)]
struct Found {
    others: Vec<String>,
    own: IndexMap<&'static str, (Span, &'static str, Vec<String>)>,
}

/// Reports all fields of a part that no reader uses, together as `what`; returns the comments.
pub(super) fn tell(
    cx: &mut Cx<'_>,
    raw: &Raw,
    node: &Node<'_>,
    known: &'static Known,
    what: &str,
) -> Vec<String> {
    let mut found = Found::default();
    collect(raw, node, "", known, &mut found);
    let mut comments = Vec::new();
    for (key, (at, why, leaves)) in found.own {
        comments.push(cx.lost(at, format!("`{key}` ({}): {why}", leaves.join(", ")), ""));
    }
    if !found.others.is_empty() {
        let what = format!("{what}: {}", found.others.join(", "));
        comments.push(cx.lost(start(raw.place(node)), what, ""));
    }
    comments
}

fn collect(raw: &Raw, node: &Node<'_>, path: &str, known: &'static Known, found: &mut Found) {
    for (key, value) in node.entries() {
        let name = key.text().unwrap_or_default();
        let path = match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        if is_blank(value) || known.is_read(&path, value) {
            continue;
        }
        if let Some((key_path, why)) = known.own.get_key_value(&path) {
            let at = raw.place(key);
            let entry = found.own.entry(key_path).or_insert((at, why, Vec::new()));
            leaves(value, "", &mut entry.2);
        } else if value.is_map() {
            collect(raw, value, &path, known, found);
        } else if value.is_seq() && value.items().iter().any(Node::is_map) {
            let path = format!("{path}[]");
            for item in value.items() {
                collect(raw, item, &path, known, found);
            }
        } else {
            leaves(value, &path, &mut found.others);
        }
    }
}

impl Known {
    fn is_read(&self, path: &str, value: &Node<'_>) -> bool {
        // Of a map with known fields, the others are reported.
        let below = format!("{path}.");
        let is_map = value.is_map() && self.read.iter().any(|known| known.starts_with(&below));
        let is = |known: &str| match known.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == known && !is_map,
        };
        let usual = || {
            let values = self.usual.get(path)?;
            let known = |node: &Node<'_>| {
                let word = node.text();
                word.is_some_and(|word| values.iter().any(|value| value == word))
            };
            Some(match value.is_seq() {
                true => value.items().iter().all(known),
                false => known(value),
            })
        };
        self.read.iter().any(|known| is(known)) || usual() == Some(true)
    }
}

/// All values below a node, each with the way to it.
fn leaves(node: &Node<'_>, path: &str, out: &mut Vec<String>) {
    if let Some(text) = node.text().filter(|_| !node.is_map() && !node.is_seq()) {
        let text = first_line(text);
        out.push(match path {
            "" => format!("`{text}`"),
            path => format!("`{path}: {text}`"),
        });
    }
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        let path = if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        };
        leaves(value, &path, out);
    }
    node.items().iter().for_each(|item| leaves(item, path, out));
}
