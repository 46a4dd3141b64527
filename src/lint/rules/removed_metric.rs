//! Series that are gone.

use crate::diag::{Group, Severity};
use crate::lint::gone::gone;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;

declare_rule! {
    /// The query selects a series that a release in the range has removed. There a panel is empty and an
    /// alert never fires again. The finding names the releases, and what replaced the metric.
    ///
    /// ```promql
    /// vllm:gpu_cache_usage_perc > 0.9   # bad on 0.12.0 and later
    /// vllm:kv_cache_usage_perc > 0.9    # good since 0.9.2
    /// ```
    ///
    /// For a range that holds both, ask for both: `vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc`.
    pub const RULE: Rule = Rule {
        name: "removed-metric",
        summary: "a selected release no longer has the metric",
        group: Group::Catalog,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for gone in gone(cx, &Why::Removed) {
        let finding = gone.finding(out, &gone.end(), "removed");
        out.push(finding);
    }
}
