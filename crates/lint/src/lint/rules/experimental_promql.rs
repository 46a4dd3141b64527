//! Queries that need a Prometheus feature flag.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::experimental;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports experimental functions, aggregations and arithmetic on durations. Prometheus accepts them only if it
    /// was started with `--enable-feature`.
    ///
    /// ### Why
    ///
    /// A Prometheus without the flag rejects the query.
    ///
    /// ### Example
    ///
    /// ```promql
    /// limitk(5, vllm:num_requests_running)   # needs promql-experimental-functions
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// topk(5, vllm:num_requests_running)
    /// ```
    pub const RULE: Rule = Rule {
        name: "experimental-promql",
        summary: "the query needs a Prometheus feature flag",
        group: Group::PromQl,
        level: Severity::Warning,
        certain: "Certain: Prometheus needs a feature flag for this syntax.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for (place, flag) in experimental(cx.expressions()) {
        let message = format!("`{}` needs the feature flag `{flag}`", cx.text(&place));
        let finding = out.at(cx.span(&place), message);
        out.push(finding.help(format!("start Prometheus with `--enable-feature={flag}`")));
    }
}
