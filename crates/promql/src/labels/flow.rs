//! What is known of the labels of a result.

use super::set::{Kept, Labels};
use crate::ast::{Name, Selector};
use crate::functions::ValueType;

pub(super) const METRIC_NAME: &str = "__name__";

/// Tells what labels the series of a selector have before its matchers are looked at.
pub trait Leaf {
    fn labels(&self, selector: &Selector) -> Flow;
}

/// The [`Leaf`] that knows nothing.
pub struct AnySeries;

impl Leaf for AnySeries {
    fn labels(&self, _: &Selector) -> Flow {
        Flow::unknown()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Sure,
    May,
    Never,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// On each series. Always a part of `possible`.
    pub sure: Labels,
    /// On some series, perhaps.
    pub possible: Kept,
}

impl Flow {
    /// Of series that have the labels in `sure`, each with a value that is not empty, and no others than those in `more`;
    /// `None` if they can have any.
    pub fn of_series(sure: Labels, more: Option<Labels>) -> Self {
        let possible = match more {
            None => Kept::any(),
            Some(more) => Kept::Only(&more | &sure).with(METRIC_NAME),
        };
        Self::new(sure, possible)
    }

    pub(super) fn new(mut sure: Labels, possible: Kept) -> Self {
        // What is both sure and impossible is on no series, because there is none.
        sure.retain(|label| &**label != METRIC_NAME && possible.may_have(label));
        Self { sure, possible }
    }

    pub(super) fn none() -> Self {
        Self::new(Labels::new(), Kept::none())
    }

    pub fn unknown() -> Self {
        Self::new(Labels::new(), Kept::any())
    }

    pub fn presence(&self, label: &str) -> Presence {
        if self.sure.contains(label) {
            Presence::Sure
        } else if self.possible.may_have(label) {
            Presence::May
        } else {
            Presence::Never
        }
    }

    /// What is known if the result is either this or `other`.
    pub(super) fn or(self, other: Self) -> Self {
        let sure = &self.sure & &other.sure;
        Self::new(sure, self.possible.union(other.possible))
    }

    #[must_use]
    pub fn without(mut self, label: &str) -> Self {
        self.sure.remove(label);
        self.possible = self.possible.without(label);
        self
    }

    pub(super) fn with(mut self, label: &str, presence: Presence) -> Self {
        match presence {
            Presence::Never => return self.without(label),
            Presence::May => self.sure.remove(label),
            Presence::Sure => self.sure.insert(label.into()),
        };
        self.possible = self.possible.with(label);
        self
    }
}

/// The labels of an expression and its type, as `known_type` has it: asked at each operation of a long chain, that
/// would look at all before it.
pub(super) struct Typed {
    pub(super) flow: Flow,
    pub(super) of: Option<ValueType>,
}

impl Typed {
    pub(super) fn is_vector(&self) -> bool {
        self.of == Some(ValueType::Vector)
    }
}

pub(super) struct Named {
    pub(super) known: Labels,
    pub(super) open: bool,
}

impl Named {
    pub(super) fn new(labels: &[Name]) -> Self {
        let known = labels.iter().filter(|label| label.placeholders.is_empty());
        let known: Labels = known.map(|label| label.text.as_str().into()).collect();
        Self {
            open: labels.iter().any(|label| !label.placeholders.is_empty()),
            known,
        }
    }
}
