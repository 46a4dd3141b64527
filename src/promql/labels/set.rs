//! Sets of labels: a finite set, or all but a finite set.

use std::collections::BTreeSet;
use std::rc::Rc;

/// Names of labels; copies share the names.
pub type Labels = BTreeSet<Rc<str>>;

/// The labels that a result can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// These at most.
    Only(Labels),
    /// Whatever the series have, but none of these. Nothing is known if that is empty.
    AllOf {
        /// Labels that are never there.
        without: Labels,
    },
}

impl Kept {
    /// No labels.
    pub fn none() -> Self {
        Self::Only(Labels::new())
    }

    /// Any labels.
    pub fn any() -> Self {
        Self::AllOf {
            without: Labels::new(),
        }
    }

    /// Whether a series of the result can have the label; false is certain.
    pub fn may_have(&self, label: &str) -> bool {
        match self {
            Self::Only(labels) => labels.contains(label),
            Self::AllOf { without } => !without.contains(label),
        }
    }

    /// The labels by name; none when they are not known.
    pub fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::Only(labels) => Some(labels.iter().map(ToString::to_string).collect()),
            Self::AllOf { .. } => None,
        }
    }

    /// The set with one more label.
    #[must_use]
    pub fn with(mut self, label: &str) -> Self {
        match &mut self {
            Self::Only(labels) => {
                labels.insert(label.into());
            }
            Self::AllOf { without } => {
                without.remove(label);
            }
        }
        self
    }

    /// The set with one label less.
    #[must_use]
    pub fn without(mut self, label: &str) -> Self {
        match &mut self {
            Self::Only(labels) => {
                labels.remove(label);
            }
            Self::AllOf { without } => {
                without.insert(label.into());
            }
        }
        self
    }

    /// What is in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a.into_iter().chain(b).collect()),
            (Self::AllOf { without }, Self::Only(labels))
            | (Self::Only(labels), Self::AllOf { without }) => Self::AllOf {
                without: without.difference(&labels).cloned().collect(),
            },
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => Self::AllOf {
                without: a.intersection(&b).cloned().collect(),
            },
        }
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(labels), other) => Self::Only(
                labels
                    .into_iter()
                    .filter(|label| other.may_have(label))
                    .collect(),
            ),
            (kept, Self::Only(labels)) => Self::Only(
                labels
                    .iter()
                    .filter(|label| kept.may_have(label))
                    .cloned()
                    .collect(),
            ),
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => Self::AllOf {
                without: a.into_iter().chain(b.iter().cloned()).collect(),
            },
        }
    }
}
