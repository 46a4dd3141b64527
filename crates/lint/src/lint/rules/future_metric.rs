//! Metrics that a release does not have yet.

use crate::lint::missing_metric::missing;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics that were added after a release in the selected range.
    ///
    /// ### Why
    ///
    /// On the older release, the panel is empty and the alert never fires.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc > 0.9                                    # added in 0.9.2
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// (vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc) > 0.9
    /// ```
    ///
    /// If the metric has no older name, raise the lower end of the range or remove the query.
    pub const RULE: Rule = Rule {
        name: "future-metric",
        summary: "a selected release does not have the metric yet",
        group: Group::Catalog,
        level: Severity::Error,
        certain: "Certain for recorded releases. The rule assumes the releases that `--vllm`, the configuration or the spec selects.",
        fixes: Fixes::Safe("replaces the name with the older name, or queries both names with `or`"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for metric in missing(cx, &Why::Future) {
        let what = match metric.first() {
            Some(first) => format!("was added in {first}"),
            None => "does not exist yet".to_owned(),
        };
        let finding = metric.finding(out, &what, "not yet");
        out.push(finding);
    }
}
