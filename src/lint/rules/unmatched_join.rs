//! Joins that cannot match.

use crate::diag::{RuleInfo, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, Rule};
use crate::promql::labels::unmatched_joins;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "unmatched-join",
        summary: "the two sides of an operation never have the same labels",
        docs: "One side surely has a label that the other cannot have, and the operation compares it. Nothing matches, so the result is empty, whatever the data. Name the labels to join on.\n\
               \n\
               ```promql\n\
               vllm:num_requests_waiting / sum by (model_name) (vllm:num_requests_running)                                        # bad: `engine` stands on one side only\n\
               sum by (model_name) (vllm:num_requests_waiting) / sum by (model_name) (vllm:num_requests_running)                  # good\n\
               vllm:num_requests_waiting / on (model_name) group_left sum by (model_name) (vllm:num_requests_running)             # good\n\
               ```",
        level: Severity::Warning,
        since: "0.1.0",
    },
    check: Check::Query(check),
};

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx
        .series
        .iter()
        .any(|series| series.subject.known().is_some())
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
            "nothing matches here: the {with} side has the label `{label}`, the {without} side never has it"
        );
        let finding = out.at(cx.span(&join.binary.op_span), message);
        out.push(finding.help(
            "say which labels to match with `on (…)`, or aggregate both sides by the same labels",
        ));
    }
}
