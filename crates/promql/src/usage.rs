//! How a query uses what it selects: what lint rules ask of a tree.

mod comparison;
mod constant;

use super::ast::{AggregateOp, BinaryOp, Expr, ExprKind, RangeSelector, Selector, TextSpan};
pub use super::visit::bare;
use super::visit::children;
use crate::ast::{Aggregate, Call};
use crate::labels::kept_labels;
use crate::room::with_room;
use crate::visit::walk;
pub use comparison::{Comparison, comparison, comparisons};
pub use constant::{Exact, exact_constant};

#[derive(Clone, Debug, PartialEq)]
pub struct SelectorContext<'a> {
    pub selector: &'a Selector,
    pub span: TextSpan,
    pub range: Option<&'a RangeSelector>,
    /// The expressions around it, outer ones first.
    ancestors: Vec<&'a Expr>,
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

/// [`contexts`], and all expressions but the selectors, each behind the one around it.
pub fn surroundings(expr: &Expr) -> (Vec<SelectorContext<'_>>, Vec<&Expr>) {
    let mut all = (Vec::with_capacity(4), Vec::with_capacity(8));
    gather(expr, &mut Vec::with_capacity(8), &mut all);
    all
}

fn gather<'a>(
    expr: &'a Expr,
    around: &mut Vec<&'a Expr>,
    all: &mut (Vec<SelectorContext<'a>>, Vec<&'a Expr>),
) {
    let (selector, range): (&Selector, Option<&RangeSelector>) = match &expr.kind {
        ExprKind::Selector(selector) => (selector, None),
        ExprKind::Range(range) => (&range.selector, Some(range)),
        _ => {
            all.1.push(expr);
            around.push(expr);
            with_room(|| children(expr).for_each(|child| gather(child, around, all)));
            around.pop();
            return;
        }
    };
    all.0.push(SelectorContext {
        selector,
        span: expr.span.clone(),
        range,
        ancestors: around.clone(),
    });
}

impl<'a> SelectorContext<'a> {
    /// The expressions around it, inner ones first.
    pub fn ancestors(&self) -> impl Iterator<Item = &'a Expr> {
        self.ancestors.iter().rev().copied()
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

    /// True inside a call of the function.
    pub fn calls(&self, function: &str) -> bool {
        self.ancestors().any(|expr| is_call(expr, function))
    }

    pub fn aggregates(&self, op: AggregateOp) -> bool {
        let is = |expr: &Expr| matches!(&expr.kind, ExprKind::Aggregate(a) if a.op == op);
        self.ancestors().any(is)
    }

    pub fn operates(&self, op: BinaryOp) -> bool {
        let is = |expr: &Expr| matches!(&expr.kind, ExprKind::Binary(binary) if binary.op == op);
        self.ancestors().any(is)
    }
}

pub fn is_call(expr: &Expr, function: &str) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.function.text == function)
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
