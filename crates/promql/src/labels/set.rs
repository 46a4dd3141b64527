//! Sets of labels: a finite set, or all but a finite set.

use std::rc::Rc;
use std::{slice, vec};

/// Names of labels, each once; copies share the names.
///
/// A sorted list: such sets are small, and combined and copied much more often than changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Vec<Rc<str>>);

impl Labels {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> slice::Iter<'_, Rc<str>> {
        self.0.iter()
    }

    pub fn contains(&self, label: &str) -> bool {
        self.place(label).is_ok()
    }

    pub fn insert(&mut self, label: &str) {
        if let Err(place) = self.place(label) {
            self.0.insert(place, label.into());
        }
    }

    pub fn remove(&mut self, label: &str) {
        if let Ok(place) = self.place(label) {
            self.0.remove(place);
        }
    }

    #[must_use]
    pub fn filter(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|label| keep(label));
        self
    }

    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let both = self.iter().filter(|label| other.contains(label));
        Self(both.cloned().collect())
    }

    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let rest = self.iter().filter(|label| !other.contains(label));
        Self(rest.cloned().collect())
    }

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
            Self::Only(labels) => {
                labels.insert(label);
            }
            Self::AllOf { without } => {
                without.remove(label);
            }
        }
        self
    }

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
