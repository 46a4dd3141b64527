//! Prometheus rules.

use crate::source::{Span, Spanned};
use crate::yaml::Text;

/// A label or an annotation.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Its name.
    pub key: Spanned<String>,
    /// Its value, which may be a template.
    pub value: Text,
}

/// A group of rules that are evaluated together.
#[derive(Clone, Debug)]
pub struct RuleGroup {
    /// Its name.
    pub name: Option<Text>,
    /// How often it is evaluated, as written.
    pub interval: Option<Spanned<String>>,
    /// How far back its queries look, as written.
    pub query_offset: Option<Spanned<String>>,
    /// Labels of all its rules (Prometheus 3).
    pub labels: Vec<Pair>,
    /// The whole group.
    pub span: Span,
}

/// An alerting rule.
#[derive(Clone, Debug)]
pub struct Alert {
    /// Its name.
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
    /// `for`, as written.
    pub hold: Option<Spanned<String>>,
    /// `keep_firing_for`, as written.
    pub keep_firing: Option<Spanned<String>>,
    /// Its labels.
    pub labels: Vec<Pair>,
    /// Its annotations.
    pub annotations: Vec<Pair>,
    /// The mapping key `annotations`, to point at and to insert behind, when there is one.
    pub annotations_key: Option<Span>,
    /// Index in [`Artifact::groups`](super::Artifact::groups).
    pub group: Option<usize>,
    /// The whole rule.
    pub span: Span,
}

/// A recording rule.
#[derive(Clone, Debug)]
pub struct Record {
    /// The series it writes.
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
    /// Labels it adds.
    pub labels: Vec<Pair>,
    /// Index in [`Artifact::groups`](super::Artifact::groups).
    pub group: Option<usize>,
    /// The whole rule.
    pub span: Span,
}

impl Alert {
    /// The annotation of this name.
    pub fn annotation(&self, name: &str) -> Option<&Text> {
        find(&self.annotations, name)
    }

    /// The label of this name.
    pub fn label(&self, name: &str) -> Option<&Text> {
        find(&self.labels, name)
    }
}

fn find<'p>(pairs: &'p [Pair], name: &str) -> Option<&'p Text> {
    let found = pairs.iter().find(|pair| pair.key.value == name);
    found.map(|pair| &pair.value)
}
