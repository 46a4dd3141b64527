//! Joins that cannot match.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::labels::unmatched_joins;

declare_rule! {
    /// One side surely has a label that the other cannot have, and the operation compares it. Nothing
    /// matches, so the result is empty, whatever the data. Name the labels to join on.
    ///
    /// ```promql
    /// vllm:num_requests_waiting / sum by (model_name) (vllm:num_requests_running)                                        # bad: `engine` is on one side only
    /// sum by (model_name) (vllm:num_requests_waiting) / sum by (model_name) (vllm:num_requests_running)                  # good
    /// vllm:num_requests_waiting / on (model_name) group_left sum by (model_name) (vllm:num_requests_running)             # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "unmatched-join",
        summary: "the two sides of an operation never have the same labels",
        group: Group::Labels,
        level: Severity::Warning,
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
            "nothing matches here: the {with} side has the label `{label}`, the {without} side never has it"
        );
        let finding = out.at(cx.span(&join.binary.op_span), message);
        out.push(finding.help(
            "say which labels to match with `on (…)`, or aggregate both sides by the same labels",
        ));
    }
}
