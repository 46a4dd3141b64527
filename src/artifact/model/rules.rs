//! Prometheus rules.

use crate::source::{Span, Spanned};
use crate::yaml::Text;

#[derive(Clone, Debug)]
pub struct Pair {
    pub key: Spanned<String>,
    /// Its value, which may be a template.
    pub value: Text,
}

#[derive(Clone, Debug)]
pub struct Alert {
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
    pub labels: Vec<Pair>,
    pub annotations: Vec<Pair>,
    pub span: Span,
    /// A template may add labels and annotations to it.
    pub is_partial: bool,
}

#[derive(Clone, Debug)]
pub struct Record {
    /// The series it writes.
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](super::Artifact::queries).
    pub query: usize,
}

impl Alert {
    pub fn annotation(&self, name: &str) -> Option<&Text> {
        let found = self.annotations.iter().find(|pair| pair.key.value == name);
        found.map(|pair| &pair.value)
    }
}
