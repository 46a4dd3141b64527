//! Calls of `histogram_quantile`.

use super::constant::{Exact, exact_constant};
use crate::promql::ast::{Aggregate, Call, Expr, ExprKind};
use crate::promql::labels::kept_labels;
use crate::promql::room::with_room;
use crate::promql::visit::{children, walk};

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
