//! Metrics that a release has removed.

use crate::lint::missing_metric::missing;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics that a release in the selected range has removed. The finding names these releases and the
    /// replacement of the metric.
    ///
    /// ### Why
    ///
    /// On these releases, the panel is empty and the alert never fires.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:gpu_cache_usage_perc > 0.9   # removed in 0.12.0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc > 0.9    # since 0.9.2
    /// ```
    ///
    /// For a range that includes both, query both: `vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc`.
    pub const RULE: Rule = Rule {
        name: "removed-metric",
        summary: "a selected release has removed the metric",
        group: Group::Catalog,
        level: Severity::Error,
        certain: "Certain for recorded releases. The rule assumes the releases that `--vllm`, the configuration or the spec selects. Without a selection, it assumes the newest release, and warns only if a file pins a release that exposes the metric.",
        fixes: Fixes::Both { safe: "replaces the name with the new name, or queries both names with `or`", risky: "replaces the metric with an expression over other metrics that shows the same, or the name if neither `vllm` in `slosmith.toml` nor `--vllm` sets the releases" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for metric in missing(cx, &Why::Removed) {
        let finding = metric.finding(out, &metric.end(), "removed");
        out.push(finding);
    }
}
