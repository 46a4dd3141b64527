//! Sets of labels: a finite set, or all but a finite set.

use std::collections::BTreeSet;
use std::rc::Rc;

/// Names of labels; copies share the names.
pub type Labels = BTreeSet<Rc<str>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    Only(Labels),
    AllOf {
        /// Labels that are never there.
        without: Labels,
    },
}

impl Kept {
    pub fn none() -> Self {
        Self::Only(Labels::new())
    }

    pub fn any() -> Self {
        Self::AllOf {
            without: Labels::new(),
        }
    }

    pub fn may_have(&self, label: &str) -> bool {
        match self {
            Self::Only(labels) => labels.contains(label),
            Self::AllOf { without } => !without.contains(label),
        }
    }

    pub fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::Only(labels) => Some(labels.iter().map(ToString::to_string).collect()),
            Self::AllOf { .. } => None,
        }
    }

    #[must_use]
    pub fn with(mut self, label: &str) -> Self {
        match &mut self {
            Self::Only(labels) => labels.insert(label.into()),
            Self::AllOf { without } => without.remove(label),
        };
        self
    }

    #[must_use]
    pub fn without(mut self, label: &str) -> Self {
        match &mut self {
            Self::Only(labels) => labels.remove(label),
            Self::AllOf { without } => without.insert(label.into()),
        };
        self
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(&a | &b),
            (Self::AllOf { without }, Self::Only(labels))
            | (Self::Only(labels), Self::AllOf { without }) => Self::AllOf {
                without: &without - &labels,
            },
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => {
                Self::AllOf { without: &a & &b }
            }
        }
    }

    #[must_use]
    pub fn intersection(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(mut labels), other) => {
                labels.retain(|label| other.may_have(label));
                Self::Only(labels)
            }
            (Self::AllOf { without }, Self::Only(labels)) => Self::Only(labels - &without),
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => {
                Self::AllOf { without: &a | b }
            }
        }
    }
}
