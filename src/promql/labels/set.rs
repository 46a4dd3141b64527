//! Sets of labels: a finite set, or all but a finite set.

use std::rc::Rc;
use std::{slice, vec};

/// Names of labels, each once; copies share the names.
///
/// A sorted list: such sets are small, and combined and copied much more often than changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Vec<Rc<str>>);

impl Labels {
    /// No labels.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The labels by name.
    pub fn iter(&self) -> slice::Iter<'_, Rc<str>> {
        self.0.iter()
    }

    /// Whether the label is one of them.
    pub fn contains(&self, label: &str) -> bool {
        self.place(label).is_ok()
    }

    /// Adds a label.
    pub fn insert(&mut self, label: &str) {
        if let Err(place) = self.place(label) {
            self.0.insert(place, label.into());
        }
    }

    /// Takes a label away.
    pub fn remove(&mut self, label: &str) {
        if let Ok(place) = self.place(label) {
            self.0.remove(place);
        }
    }

    /// Those for which `keep` is true.
    #[must_use]
    pub fn filter(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|label| keep(label));
        self
    }

    /// Those that are also in `other`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let both = self.iter().filter(|label| other.contains(label));
        Self(both.cloned().collect())
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let rest = self.iter().filter(|label| !other.contains(label));
        Self(rest.cloned().collect())
    }

    /// Those of either set.
    #[must_use]
    pub fn union(self, other: &Self) -> Self {
        if other.is_empty() {
            return self;
        }
        self.into_iter().chain(other.iter().cloned()).collect()
    }

    /// Where the label is, or would be.
    fn place(&self, label: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|own| (**own).cmp(label))
    }
}

impl FromIterator<Rc<str>> for Labels {
    fn from_iter<I: IntoIterator<Item = Rc<str>>>(labels: I) -> Self {
        let mut labels: Vec<_> = labels.into_iter().collect();
        labels.sort_unstable();
        labels.dedup();
        Self(labels)
    }
}

impl IntoIterator for Labels {
    type Item = Rc<str>;
    type IntoIter = vec::IntoIter<Rc<str>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

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
                labels.insert(label);
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
                without.insert(label);
            }
        }
        self
    }

    /// What is in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a.union(&b)),
            (Self::AllOf { without }, Self::Only(labels))
            | (Self::Only(labels), Self::AllOf { without }) => Self::AllOf {
                without: without.difference(&labels),
            },
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => Self::AllOf {
                without: a.intersection(&b),
            },
        }
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(labels), other) => Self::Only(labels.filter(|label| other.may_have(label))),
            (Self::AllOf { without }, Self::Only(labels)) => {
                Self::Only(labels.difference(&without))
            }
            (Self::AllOf { without: a }, Self::AllOf { without: b }) => Self::AllOf {
                without: a.union(b),
            },
        }
    }
}
