//! Operations whose sides never match.

use crate::diag::{Fixes, Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, Expr, ExprKind};
use crate::promql::labels::unmatched_joins;
use crate::promql::usage::bare;

declare_rule! {
    /// ### What it does
    ///
    /// Reports operations between two vectors that can never match. One side always has a label that the other side
    /// never has, and the operation matches on it.
    ///
    /// ### Why
    ///
    /// The result is always empty, whatever the data. Name the labels to match on.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:num_requests_waiting / sum by (model_name) (vllm:num_requests_running)   # only the left side has `engine`
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum by (model_name) (vllm:num_requests_waiting) / sum by (model_name) (vllm:num_requests_running)
    /// vllm:num_requests_waiting / on (model_name) group_left sum by (model_name) (vllm:num_requests_running)
    /// ```
    pub const RULE: Rule = Rule {
        name: "unmatched-join",
        summary: "the two sides of an operation never have the same labels",
        group: Group::Labels,
        level: Severity::Warning,
        certain: "Certain for labels that one side always has and the other side never has. See `unknown-label` for the labels of a metric.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.memo.kinds.operation()
        || !cx.has_known_series()
        || !cx.memo.holders.expressions().any(may_miss)
    {
        return;
    }
    for join in unmatched_joins(cx.expr, &cx.leaves()) {
        let (with, without) = if join.on_left {
            ("left", "right")
        } else {
            ("right", "left")
        };
        let label = &join.label;
        let message = format!(
            "the two sides never match: the {with} side always has the label `{label}`, the {without} side never has it"
        );
        let finding = out.at(cx.span(&join.binary.op_span), message);
        out.push(finding.help(
            "match on shared labels with `on (…)`, or aggregate both sides by the same labels",
        ));
    }
}

/// False for operations that surely match: with numbers, and of two sides without labels. To look at the labels of all
/// expressions takes far longer.
fn may_miss(expr: &Expr) -> bool {
    let ExprKind::Binary(binary) = &expr.kind else {
        return false;
    };
    let sides = [&binary.lhs, &binary.rhs].map(|side| plain(side, DEEPEST));
    !sides.contains(&Some(Plain::Number)) && sides.contains(&None)
}

/// How deep expressions are looked at.
const DEEPEST: usize = 3;

/// What has no labels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Number,
    /// One series without labels.
    Series,
}

fn plain(expr: &Expr, depth: usize) -> Option<Plain> {
    let depth = depth.checked_sub(1)?;
    match &bare(expr).kind {
        ExprKind::Number(_) => Some(Plain::Number),
        ExprKind::Aggregate(a) => {
            let is_one = matches!(
                a.op,
                AggregateOp::Avg
                    | AggregateOp::Count
                    | AggregateOp::Max
                    | AggregateOp::Min
                    | AggregateOp::Sum
            );
            (is_one && a.grouping.is_none()).then_some(Plain::Series)
        }
        ExprKind::Binary(binary) => {
            let (lhs, rhs) = (plain(&binary.lhs, depth)?, plain(&binary.rhs, depth)?);
            Some(if lhs == rhs { lhs } else { Plain::Series })
        }
        _ => None,
    }
}
