//! Operations whose sides never match.

use crate::diag::{Fixes, Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::labels::unmatched_joins;

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
    if !cx.memo.kinds.operation() || !cx.has_known_series() {
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
