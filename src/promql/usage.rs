//! How a query uses what it selects: what lint rules ask of a tree.

mod comparison;
mod constant;
mod quantile;

use super::ast::{Expr, ExprKind, RangeSelector, Selector, TextSpan};
use super::visit::children;

pub use comparison::{Comparison, comparisons};
pub use constant::{Exact, exact_constant};
pub use quantile::{QuantileCall, quantile_calls};

/// A selector and where it is in its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectorContext<'a> {
    /// The selector.
    pub selector: &'a Selector,
    /// The bytes it was read from, with its range and its shift in time.
    pub span: TextSpan,
    /// Its range, if it has one.
    pub range: Option<&'a RangeSelector>,
    /// The expressions around it, innermost first.
    pub ancestors: Vec<&'a Expr>,
}

/// What is done to the samples of a selector.
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

/// The expression without the parentheses around it.
pub fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => expr,
    }
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
    let mut found = Vec::new();
    visit(expr, &mut Vec::new(), &mut found);
    found
}

fn visit<'a>(expr: &'a Expr, path: &mut Vec<&'a Expr>, found: &mut Vec<SelectorContext<'a>>) {
    let (selector, range) = match &expr.kind {
        ExprKind::Selector(selector) => (selector, None),
        ExprKind::Range(range) => (&range.selector, Some(range)),
        _ => {
            path.push(expr);
            for child in children(expr) {
                visit(child, path, found);
            }
            path.pop();
            return;
        }
    };
    found.push(SelectorContext {
        selector,
        span: expr.span.clone(),
        range,
        ancestors: path.iter().rev().copied().collect(),
    });
}

impl<'a> SelectorContext<'a> {
    /// What is done to the samples first; parentheses do nothing, and a subquery hands them on.
    ///
    /// `rate(x[5m])`, `rate((x)[5m:])` and `rate(x[5m:])` are all changes of `x`.
    pub fn used(&self) -> Use<'a> {
        let mut samples = self.range.is_some();
        for ancestor in &self.ancestors {
            match &ancestor.kind {
                ExprKind::Paren(_) => {}
                ExprKind::Subquery(_) if !samples => samples = true,
                ExprKind::Call(call) if samples => return range_use(&call.function.text),
                _ => break,
            }
        }
        if samples { Use::Unknown } else { Use::Instant }
    }

    /// Whether its samples are taken again by a subquery, at any level.
    pub fn in_subquery(&self) -> bool {
        let subquery = |expr: &&Expr| matches!(expr.kind, ExprKind::Subquery(_));
        self.ancestors.iter().any(subquery)
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

#[cfg(test)]
mod tests;
