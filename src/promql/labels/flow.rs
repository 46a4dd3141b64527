//! How labels flow from selectors to the result.

use std::collections::BTreeSet;

use super::Kept;
use super::binary::combined;
use super::call::called;
use crate::promql::ast::{
    Aggregate, AggregateOp, Expr, ExprKind, Grouping, MatchOp, Matcher, Name, Selector,
};
use crate::promql::regex;

/// The name of the metric as a label.
pub(super) const METRIC_NAME: &str = "__name__";

/// Tells what labels the series of a selector have before its matchers are looked at.
pub trait Leaf {
    /// The labels of all series that the selector's metric name stands for.
    fn labels(&self, selector: &Selector) -> LeafLabels;
}

/// What a [`Leaf`] knows of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafLabels {
    /// Labels that each series has, with a value that is not empty.
    pub sure: BTreeSet<String>,
    /// Labels that a series can have.
    pub possible: Possible,
}

/// The labels that a series can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Possible {
    /// Any.
    Open,
    /// No others than these, and those in `sure`.
    Closed(BTreeSet<String>),
}

/// The [`Leaf`] that knows nothing.
pub struct AnySeries;

impl Leaf for AnySeries {
    fn labels(&self, _: &Selector) -> LeafLabels {
        LeafLabels {
            sure: BTreeSet::new(),
            possible: Possible::Open,
        }
    }
}

/// What is known of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Each series of the result has it.
    Sure,
    /// A series can have it.
    May,
    /// No series can have it.
    Never,
}

/// The labels of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// On each series. Always a part of `possible`.
    pub sure: BTreeSet<String>,
    /// On some series, perhaps.
    pub possible: Kept,
}

impl Flow {
    pub(super) fn new(sure: BTreeSet<String>, possible: Kept) -> Self {
        let mut flow = Self { sure, possible };
        // What is both sure and impossible is on no series, because there is none.
        flow.sure.retain(|label| flow.possible.may_have(label));
        flow.sure.remove(METRIC_NAME);
        flow
    }

    pub(super) fn none() -> Self {
        Self::new(BTreeSet::new(), Kept::none())
    }

    pub(super) fn unknown() -> Self {
        Self::new(BTreeSet::new(), Kept::any())
    }

    /// What is known of a label.
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
        let sure = self.sure.intersection(&other.sure).cloned().collect();
        Self::new(sure, self.possible.union(other.possible))
    }

    pub(super) fn without(mut self, label: &str) -> Self {
        self.sure.remove(label);
        self.possible = self.possible.without(label);
        self
    }

    /// With the label as it is described.
    pub(super) fn with(self, label: &str, presence: Presence) -> Self {
        let mut flow = self.without(label);
        if presence != Presence::Never {
            flow.possible = flow.possible.with(label);
        }
        if presence == Presence::Sure {
            flow.sure.insert(label.to_owned());
        }
        flow
    }
}

/// The labels of the result, given those of the selected series.
///
/// Scalars and strings have none.
pub fn label_flow(expr: &Expr, leaf: &dyn Leaf) -> Flow {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::String(_) => Flow::none(),
        ExprKind::Selector(selector) => selected(selector, leaf),
        ExprKind::Range(range) => selected(&range.selector, leaf),
        ExprKind::Subquery(subquery) => label_flow(&subquery.expr, leaf),
        ExprKind::Call(call) => called(call, leaf),
        ExprKind::Aggregate(aggregate) => aggregated(aggregate, leaf),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => label_flow(inner, leaf),
        ExprKind::Binary(binary) => combined(binary, leaf),
        ExprKind::Placeholder(_) | ExprKind::Invalid(_) => Flow::unknown(),
    }
}

/// The labels that the result can have when nothing is known of the selected series.
pub fn kept_labels(expr: &Expr) -> Kept {
    label_flow(expr, &AnySeries).possible
}

/// Matchers know more than the metric: `{a=""}` selects series without the label, `{a="x"}` with it.
fn selected(selector: &Selector, leaf: &dyn Leaf) -> Flow {
    let LeafLabels { sure, possible } = leaf.labels(selector);
    let possible = match possible {
        Possible::Open => Kept::any(),
        Possible::Closed(labels) => {
            let all = labels.into_iter().chain(sure.iter().cloned());
            Kept::Only(all.chain([METRIC_NAME.to_owned()]).collect())
        }
    };
    let matchers = selector.matchers.iter();
    matchers.fold(Flow::new(sure, possible), |flow, matcher| {
        match pinned(matcher) {
            Some(presence) => flow.with(&matcher.label.text, presence),
            None => flow,
        }
    })
}

/// What a matcher says of its label.
fn pinned(matcher: &Matcher) -> Option<Presence> {
    let value = &matcher.value;
    let open = !value.placeholders.is_empty() || !matcher.label.placeholders.is_empty();
    if open || matcher.label.text == METRIC_NAME {
        return None;
    }
    let empty = value.value.is_empty();
    let sure = match matcher.op {
        MatchOp::Equal | MatchOp::Match if empty => return Some(Presence::Never),
        MatchOp::Equal => true,
        MatchOp::NotEqual => empty,
        MatchOp::Match => !regex::matches_empty(&value.value),
        MatchOp::NotMatch => regex::matches_empty(&value.value),
    };
    sure.then_some(Presence::Sure)
}

fn aggregated(aggregate: &Aggregate, leaf: &dyn Leaf) -> Flow {
    let input = label_flow(&aggregate.expr, leaf);
    if matches!(
        aggregate.op,
        AggregateOp::Topk | AggregateOp::Bottomk | AggregateOp::Limitk | AggregateOp::LimitRatio
    ) {
        return input;
    }
    let flow = grouped(input, aggregate.grouping.as_ref());
    if aggregate.op != AggregateOp::CountValues {
        return flow;
    }
    match aggregate.param.as_deref().map(|param| &param.kind) {
        Some(ExprKind::String(label)) if label.placeholders.is_empty() => {
            flow.with(&label.value, Presence::Sure)
        }
        _ => Flow::new(flow.sure, Kept::any()),
    }
}

fn grouped(input: Flow, grouping: Option<&Grouping>) -> Flow {
    let Some(Grouping { without, labels }) = grouping else {
        return Flow::none();
    };
    let Named { known, open } = Named::new(labels);
    match (without, open) {
        (true, false) => known.iter().fold(input, |flow, label| flow.without(label)),
        // A placeholder may name any label.
        (true, true) => {
            let possible = known
                .iter()
                .fold(input.possible, |kept, label| kept.without(label));
            Flow::new(BTreeSet::new(), possible)
        }
        (false, open) => {
            let sure = input.sure.intersection(&known).cloned().collect();
            let possible = if open {
                input.possible
            } else {
                Kept::Only(known).intersection(&input.possible)
            };
            Flow::new(sure, possible)
        }
    }
}

/// A list of labels.
pub(super) struct Named {
    /// Those that are named.
    pub(super) known: BTreeSet<String>,
    /// Whether placeholders may name more.
    pub(super) open: bool,
}

impl Named {
    pub(super) fn new(labels: &[Name]) -> Self {
        let known = labels.iter().filter(|label| label.placeholders.is_empty());
        let known: BTreeSet<_> = known.map(|label| label.text.clone()).collect();
        Self {
            open: labels.iter().any(|label| !label.placeholders.is_empty()),
            known,
        }
    }
}
