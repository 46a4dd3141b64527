//! What readers of documents work with.

use super::{Artifact, Kind, Language, Query, Role};
use crate::promql::Dialect;
use crate::source::FileId;
use crate::yaml::{Allowance, Text};

/// Gathers what is read from a file.
pub(super) struct Reader {
    pub(super) artifact: Artifact,
    /// What aliases may still copy.
    pub(super) allowance: Allowance,
    /// How many documents are around the one that is read.
    pub(super) depth: u32,
    /// Texts of the document that are documents of their own, still to be read.
    pub(super) embedded: Vec<Embedded>,
}

/// A text inside of a document that is one itself: a dashboard in a ConfigMap.
pub(super) struct Embedded {
    pub(super) text: Text,
    /// What the file is, should there be queries in the text.
    pub(super) kind: Option<Kind>,
}

impl Reader {
    pub(super) fn new(file: FileId) -> Self {
        Self {
            artifact: Artifact {
                file,
                ..Artifact::default()
            },
            allowance: Allowance::default(),
            depth: 0,
            embedded: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Artifact {
        self.artifact
    }

    /// Notes what the file is, unless something before decided that.
    pub(super) fn is(&mut self, kind: Kind) {
        if self.artifact.kind == Kind::Unknown {
            self.artifact.kind = kind;
        }
    }

    /// Adds a PromQL query; gives back its index.
    pub(super) fn query(&mut self, text: Text, dialect: Dialect, role: Role) -> usize {
        self.query_in(text, dialect, role, Language::PromQl)
    }

    /// Adds a query in any language; gives back its index.
    pub(super) fn query_in(
        &mut self,
        text: Text,
        dialect: Dialect,
        role: Role,
        language: Language,
    ) -> usize {
        self.artifact.queries.push(Query {
            text: text.value,
            map: text.map,
            dialect,
            language,
            role,
        });
        self.artifact.queries.len() - 1
    }

    /// Leaves a text to be read when the document around it is done.
    pub(super) fn embed(&mut self, text: Text) {
        self.embedded.push(Embedded { text, kind: None });
    }
}
