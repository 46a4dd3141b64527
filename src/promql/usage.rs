//! How a query uses what it selects: what lint rules ask of a tree.

mod around;
mod comparison;
mod constant;

use std::rc::Rc;

use super::ast::{Expr, ExprKind, RangeSelector, Selector, TextSpan};
pub use super::visit::bare;
use super::visit::children;
use crate::promql::ast::{Aggregate, Call};
use crate::promql::labels::kept_labels;
use crate::promql::room::with_room;
use crate::promql::visit::walk;
use around::Around;
pub use around::{Holder, Holders, Kinds};
pub use comparison::{Comparison, comparison, comparisons};
pub use constant::{Exact, exact_constant};

#[derive(Clone, Debug, PartialEq)]
pub struct SelectorContext<'a> {
    pub selector: &'a Selector,
    pub span: TextSpan,
    pub range: Option<&'a RangeSelector>,
    around: Around<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use<'a> {
    /// Differences over time, as fit counters or gauges: `rate`, `increase`, `delta`, `deriv` and so on.
    Change(&'a str),
    /// All samples of a range become one value: `avg_over_time`, `quantile_over_time` and so on.
    OverTime(&'a str),
    /// The last sample, as it is.
    Instant,
    /// A range under a function that is not known, or under none.
    Unknown,
}

impl<'a> Use<'a> {
    /// The function, when it is one that takes each fall for the restart of a counter.
    pub fn rate(self) -> Option<&'a str> {
        match self {
            Use::Change(function) if is_rate(function) => Some(function),
            Use::Change(_) | Use::OverTime(_) | Use::Instant | Use::Unknown => None,
        }
    }
}

/// True for the functions that take each fall for the restart of a counter.
pub fn is_rate(function: &str) -> bool {
    matches!(function, "rate" | "irate" | "increase")
}

/// Functions that look at how a range changes.
const CHANGES: [&str; 10] = [
    "rate",
    "irate",
    "increase",
    "delta",
    "idelta",
    "deriv",
    "predict_linear",
    "changes",
    "resets",
    "double_exponential_smoothing",
];

/// All selectors with their surroundings, left to right.
pub fn contexts(expr: &Expr) -> Vec<SelectorContext<'_>> {
    surroundings(expr).0
}

/// [`contexts`], and all expressions but the selectors.
pub fn surroundings<'a>(expr: &'a Expr) -> (Vec<SelectorContext<'a>>, Rc<Holders<'a>>) {
    let (found, holders) = selections(expr);
    let holders = Rc::new(holders);
    let context = |(expr, innermost): (&'a Expr, _)| {
        let (selector, range) = selected(expr)?;
        Some(SelectorContext {
            selector,
            span: expr.span.clone(),
            range,
            around: Around {
                holders: Rc::clone(&holders),
                innermost,
            },
        })
    };
    let contexts = found.into_iter().filter_map(context).collect();
    (contexts, holders)
}

fn selected(expr: &Expr) -> Option<(&Selector, Option<&RangeSelector>)> {
    match &expr.kind {
        ExprKind::Selector(selector) => Some((selector, None)),
        ExprKind::Range(range) => Some((&range.selector, Some(range))),
        _ => None,
    }
}

/// The expressions that select, each with the place of what holds it, and all that hold others.
fn selections(expr: &Expr) -> (Vec<(&Expr, Option<usize>)>, Holders<'_>) {
    let (mut found, mut holders) = (Vec::with_capacity(4), Holders::new());
    let mut open = Vec::with_capacity(8);
    open.push((expr, None));
    while let Some((expr, outer)) = open.pop() {
        if selected(expr).is_some() {
            found.push((expr, outer));
            continue;
        }
        let here = Some(holders.push(expr, outer));
        open.extend(children(expr).rev().map(|child| (child, here)));
    }
    (found, holders)
}

impl<'a> SelectorContext<'a> {
    pub fn ancestors(&self) -> impl Iterator<Item = &'a Expr> {
        self.around.iter()
    }

    /// What is done to the samples first; parentheses do nothing, and a subquery hands them on.
    ///
    /// `rate(x[5m])`, `rate((x)[5m:])` and `rate(x[5m:])` are all changes of `x`.
    pub fn used(&self) -> Use<'a> {
        let mut samples = self.range.is_some();
        for ancestor in self.ancestors() {
            match &ancestor.kind {
                ExprKind::Paren(_) => {}
                ExprKind::Subquery(_) if !samples => samples = true,
                ExprKind::Call(call) if samples => return range_use(&call.function.text),
                _ => break,
            }
        }
        if samples { Use::Unknown } else { Use::Instant }
    }

    pub fn kinds(&self) -> Kinds {
        self.around.kinds()
    }

    /// All expressions of the query but its selectors, each behind the one around it.
    pub fn holders(&self) -> &[Holder<'a>] {
        self.around.holders()
    }

    pub fn holder(&self) -> Option<usize> {
        self.around.innermost
    }
}

fn range_use(function: &str) -> Use<'_> {
    if CHANGES.contains(&function) {
        Use::Change(function)
    } else if function.ends_with("_over_time") && !function.contains(['$', '{', '[']) {
        Use::OverTime(function)
    } else {
        Use::Unknown
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct QuantileCall<'a> {
    pub expr: &'a Expr,
    pub quantile: Option<Exact>,
    pub buckets: &'a Expr,
    pub aggregate: Option<&'a Aggregate>,
}

impl QuantileCall<'_> {
    /// Whether `le` can still be on the buckets; if not, there is never a result of classic buckets.
    pub fn may_have_le(&self) -> bool {
        kept_labels(self.buckets).may_have("le")
    }
}

/// All calls of `histogram_quantile` that have both arguments, outer ones first.
pub fn quantile_calls(expr: &Expr) -> Vec<QuantileCall<'_>> {
    let mut found = Vec::new();
    walk(expr, &mut |node| {
        if let ExprKind::Call(call) = &node.kind {
            found.extend(quantile_call(node, call));
        }
    });
    found
}

fn quantile_call<'a>(expr: &'a Expr, call: &'a Call) -> Option<QuantileCall<'a>> {
    if call.function.text != "histogram_quantile" {
        return None;
    }
    let [quantile, buckets] = call.args.as_slice() else {
        return None;
    };
    Some(QuantileCall {
        expr,
        quantile: exact_constant(quantile),
        buckets,
        aggregate: aggregation(buckets),
    })
}

/// The first aggregation on the way down, left side first.
fn aggregation(expr: &Expr) -> Option<&Aggregate> {
    match &expr.kind {
        ExprKind::Aggregate(aggregate) => Some(aggregate),
        _ => children(expr).find_map(|child| with_room(|| aggregation(child))),
    }
}

#[cfg(test)]
mod tests;
