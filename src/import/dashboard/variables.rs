//! Variables of a dashboard: a spec has those that select values of a label of its signals.

use indexmap::IndexMap;

use super::fields::VARIABLE;
use super::rest;
use crate::artifact::Raw;
use crate::import::context::Cx;
use crate::import::fields::start;
use crate::yaml::Node;

/// The variables of a dashboard.
pub(super) struct Variables {
    /// The value that is chosen at first, where it is one.
    pub(super) current: IndexMap<String, String>,
    /// Labels with the variable that selects their values, of those in the spec.
    kept: IndexMap<String, String>,
}

fn list(raw: &Raw) -> &[Node<'static>] {
    raw.node("/templating/list").map_or(&[], Node::items)
}

fn word<'n>(node: &'n Node<'_>, key: &str) -> &'n str {
    node.get(key).and_then(Node::text).unwrap_or_default()
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
            kept: IndexMap::new(),
        }
    }

    /// Keeps variables, each given with the label that it filters by.
    pub(super) fn keep(&mut self, filters: &IndexMap<String, String>) {
        self.kept.extend(filters.clone());
    }

    /// The labels that the spec's dashboard is filtered by.
    pub(super) fn labels(&self) -> Vec<String> {
        self.kept.keys().cloned().collect()
    }

    /// The label that a variable selects values of.
    pub(super) fn label(&self, variable: &str) -> Option<&String> {
        let mut kept = self.kept.iter();
        kept.find(|(_, name)| *name == variable)
            .map(|(label, _)| label)
    }

    /// Tells of all variables that are not in the spec as they are.
    pub(super) fn tell(&self, cx: &mut Cx<'_>, raw: &Raw) -> Vec<String> {
        let mut comments = Vec::new();
        for variable in list(raw) {
            let (name, kind) = (word(variable, "name"), word(variable, "type"));
            let at = start(raw.place(variable));
            let is_kept = self.label(name).is_some();
            if kind != "datasource" && !is_kept {
                let what = format!("the variable `{name}` ({kind})");
                comments.push(cx.lost(at, what, ""));
            }
            if let Some(label) = self.label(name).filter(|label| *label != name) {
                let what = format!("the variable `{name}` is `{label}` here, as its label");
                comments.push(cx.changed(at, what));
            }
            let mut more = rest::tell(cx, raw, variable, &VARIABLE);
            comments.append(&mut more);
        }
        comments
    }
}
