//! Queries that only run where a feature flag is set.

use crate::diag::{RuleInfo, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, Rule};
use crate::promql::experimental;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "experimental-promql",
        summary: "the query needs a feature flag of Prometheus",
        docs: "A function, an aggregation or arithmetic on durations that Prometheus accepts only when it \
               is started with `--enable-feature`. Elsewhere the query is refused.\n\n\
               ```promql\n\
               limitk(5, vllm:num_requests_running)   # needs promql-experimental-functions\n\
               topk(5, vllm:num_requests_running)     # runs everywhere\n\
               ```",
        level: Severity::Warning,
        since: "0.1.0",
    },
    check: Check::Query(check),
};

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for (place, flag) in experimental(cx.expr) {
        let message = format!("`{}` needs the feature flag `{flag}`", cx.text(&place));
        let finding = out.at(cx.span(&place), message);
        out.push(finding.help(format!("start Prometheus with `--enable-feature={flag}`")));
    }
}
