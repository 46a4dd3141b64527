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

/// An alerting rule.
#[derive(Clone, Debug)]
pub struct Alert {
    /// Its name.
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
    /// Its labels.
    pub labels: Vec<Pair>,
    /// Its annotations.
    pub annotations: Vec<Pair>,
    /// The whole rule.
    pub span: Span,
    /// A template may add labels and annotations to it.
    pub is_partial: bool,
}

/// A recording rule.
#[derive(Clone, Debug)]
pub struct Record {
    /// The series it writes.
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
}

impl Alert {
    /// The annotation of this name.
    pub fn annotation(&self, name: &str) -> Option<&Text> {
        let found = self.annotations.iter().find(|pair| pair.key.value == name);
        found.map(|pair| &pair.value)
    }
}
