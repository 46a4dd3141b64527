//! Variables of a dashboard: a spec has those that select values of a label of its signals.

use indexmap::IndexMap;

use super::{queries, rest};
use crate::context::Cx;
use crate::fields::start;
use slosmith_lint::artifact::Raw;
use slosmith_text::yaml::Node;

pub(super) struct Variables {
    /// The value that is chosen at first, where it is one.
    pub(super) current: IndexMap<String, String>,
    pub(super) constants: IndexMap<String, String>,
    /// Labels with the variable that selects their values, of those in the spec.
    kept: IndexMap<String, String>,
}

fn list(raw: &Raw) -> &[Node<'static>] {
    raw.node("/templating/list").map_or(&[], Node::items)
}

fn word<'n>(node: &'n Node<'_>, key: &str) -> &'n str {
    node.get(key).and_then(Node::text).unwrap_or_default()
}

/// What a variable takes its values from: a text, or since Grafana 8 a map with one.
fn query<'n>(variable: &'n Node<'_>) -> &'n str {
    let inner = variable.at(&["query", "query"]);
    let query = inner.and_then(Node::text);
    query.unwrap_or_else(|| word(variable, "query"))
}

fn constant(variable: &Node<'_>) -> Option<(String, String)> {
    let is_constant = word(variable, "type") == "constant";
    is_constant.then(|| {
        (
            word(variable, "name").to_owned(),
            query(variable).to_owned(),
        )
    })
}

/// Whether a query is `label_values(LABEL)` or `label_values(METRIC, LABEL)`, without a filter.
fn lists(query: &str, label: &str) -> bool {
    let inner = query.trim().strip_prefix("label_values(");
    let inner = inner.and_then(|inner| inner.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let last = inner.rsplit(',').next().unwrap_or_default();
        last.trim() == label && !inner.contains(['{', '['])
    })
}

impl Variables {
    pub(super) fn of(raw: &Raw) -> Self {
        let pair = |variable: &Node<'_>| {
            let value = variable.at(&["current", "value"])?.text()?;
            let is_one = !value.is_empty()
                && !value.starts_with('$')
                && word(variable, "type") != "datasource";
            is_one.then(|| (word(variable, "name").to_owned(), value.to_owned()))
        };
        Self {
            current: list(raw).iter().filter_map(pair).collect(),
            constants: list(raw).iter().filter_map(constant).collect(),
            kept: IndexMap::new(),
        }
    }

    pub(super) fn keep(&mut self, filters: &IndexMap<String, String>) {
        self.kept.extend(filters.clone());
    }

    pub(super) fn labels(&self) -> Vec<String> {
        self.kept.keys().cloned().collect()
    }

    pub(super) fn label(&self, variable: &str) -> Option<&String> {
        let mut kept = self.kept.iter();
        kept.find(|(_, name)| *name == variable)
            .map(|(label, _)| label)
    }

    /// A title with the variables of the spec, and with the values of those that queries have a value of.
    pub(super) fn text(&self, text: &str, filled: &[String]) -> String {
        queries::filled(text, |name| match self.label(name) {
            Some(label) => Some(format!("${label}")),
            None if filled.iter().any(|other| other == name) => self.current.get(name).cloned(),
            None => None,
        })
    }

    pub(super) fn tell(&self, cx: &mut Cx<'_>, raw: &Raw) -> Vec<String> {
        let mut comments = Vec::new();
        for variable in list(raw) {
            let (name, kind) = (word(variable, "name"), word(variable, "type"));
            let query = query(variable);
            let at = start(raw.place(variable));
            match self.label(name) {
                Some(label) => {
                    if label != name {
                        let what = format!(
                            "variable `{name}` renamed to `{label}`, the name of its label"
                        );
                        comments.push(cx.changed(at, what));
                    }
                    if !lists(query, label) {
                        let what = format!(
                            "variable `{name}` lists all values of `{label}`, not only the values of `{query}`"
                        );
                        comments.push(cx.changed(at, what));
                    }
                }
                None if kind == "constant" => {}
                None if kind == "datasource" && matches!(query, "prometheus" | "") => {}
                None => {
                    let what = format!("variable `{name}` ({kind}) with `{query}`");
                    comments.push(cx.lost(at, what, ""));
                }
            }
            let what = format!("fields of the variable `{name}`");
            comments.extend(rest::tell(cx, raw, variable, &rest::PARTS.variable, &what));
        }
        comments
    }
}
