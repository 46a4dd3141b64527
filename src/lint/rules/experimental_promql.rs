//! Queries that only run where a feature flag is set.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::experimental;

declare_rule! {
    /// A function, an aggregation or arithmetic on durations that Prometheus accepts only when it is started
    /// with `--enable-feature`. Elsewhere the query is refused.
    ///
    /// ```promql
    /// limitk(5, vllm:num_requests_running)   # needs promql-experimental-functions
    /// topk(5, vllm:num_requests_running)     # runs everywhere
    /// ```
    pub const RULE: Rule = Rule {
        name: "experimental-promql",
        summary: "the query needs a feature flag of Prometheus",
        group: Group::PromQl,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for (place, flag) in experimental(cx.memo.holders.expressions()) {
        let message = format!("`{}` needs the feature flag `{flag}`", cx.text(&place));
        let finding = out.at(cx.span(&place), message);
        out.push(finding.help(format!("start Prometheus with `--enable-feature={flag}`")));
    }
}
