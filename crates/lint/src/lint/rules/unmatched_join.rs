//! Operations whose sides never match.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, Expr, ExprKind, MatchOp};
use slosmith_promql::labels::{Unmatched, unmatched_joins};
use slosmith_promql::usage::bare;
use slosmith_promql::{Kept, kept_labels, visit};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports operations between two vectors that can never match. One side always has a label that the other side
    /// never has, or has with another value, and the operation matches on it. Reports operations with `on`, too, where one
    /// side is aggregated by more labels and `group_left` or `group_right` is missing.
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
        certain: "Certain for labels that one side always has and the other side never has, and for labels of which each side selects another value. A side with more labels than `on` fails as soon as two of its series have one partner. See `unknown-label` for the labels of a metric.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for node in cx.expressions() {
        many(cx, out, node);
    }
    let is_told = || cx.has_known_series() || selects_other_values(cx.expr);
    if !cx.expressions().any(may_miss) || !is_told() {
        return;
    }
    for join in unmatched_joins(cx.expr, &cx.leaves()) {
        let label = &join.label;
        let one_sided = |with, without| {
            format!(
                "the two sides never match: the {with} side always has the label `{label}`, the {without} side never has it"
            )
        };
        let message = match &join.why {
            Unmatched::OnlyLeft => one_sided("left", "right"),
            Unmatched::OnlyRight => one_sided("right", "left"),
            Unmatched::Values(left, right) => format!(
                "the two sides never match: `{label}` is `{left}` on the left side and `{right}` on the right side"
            ),
        };
        let finding = out.at(cx.span(&join.binary.op_span), message);
        out.push(finding.help(
            "match on shared labels with `on (…)`, or aggregate both sides by the same labels",
        ));
    }
}

/// A side with labels that `on` leaves out: two of its series have one partner.
fn many(cx: &QueryCx<'_, '_>, out: &mut Findings, node: &Expr) {
    let ExprKind::Binary(binary) = &node.kind else {
        return;
    };
    let is_set = binary.op.is_set();
    let Some(matching) = binary
        .matching
        .as_ref()
        .filter(|m| m.on && m.group.is_none() && !is_set)
    else {
        return;
    };
    let on: Vec<_> = matching
        .labels
        .iter()
        .map(|label| label.text.as_str())
        .collect();
    for (side, which, keep) in [
        (&binary.lhs, "left", "group_left"),
        (&binary.rhs, "right", "group_right"),
    ] {
        let aggregation = bare(side);
        if !matches!(aggregation.kind, ExprKind::Aggregate(_)) {
            continue;
        }
        let Kept::Only(labels) = kept_labels(aggregation) else {
            continue;
        };
        if let Some(label) = labels.iter().find(|label| !on.contains(&&***label)) {
            let message = format!(
                "the {which} side has the label `{label}`, too: Prometheus rejects two of its series for one partner"
            );
            let finding = out.at(cx.span(&binary.op_span), message);
            out.push(finding.help(format!(
                "write `{keep}`, or aggregate the side by the labels of `on`"
            )));
            return;
        }
    }
}

/// True where two selectors ask for different values of one label.
fn selects_other_values(expr: &Expr) -> bool {
    let mut asked: Vec<(&str, &str)> = Vec::new();
    let selectors = visit::selectors(expr).into_iter();
    let matchers = selectors.flat_map(|selector| &selector.matchers);
    let equal = matchers.filter(|matcher| matcher.op == MatchOp::Equal);
    let mut given = equal.map(|m| (m.label.text.as_str(), m.value.value.as_str()));
    given.any(|(label, value)| {
        let known = asked.iter().find(|(known, _)| *known == label);
        let differs = known.is_some_and(|(_, known)| *known != value);
        if known.is_none() {
            asked.push((label, value));
        }
        differs
    })
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
