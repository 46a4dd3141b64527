//! Series that a release does not have yet.

use crate::diag::{Group, Severity};
use crate::lint::gone::gone;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;

declare_rule! {
    /// The query selects a series that came with a later release. There a panel is empty and an alert never
    /// fires. Ask for the older name as well, raise the lower end of the range, or leave the query out.
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc > 0.9                                    # bad before 0.9.2
    /// (vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc) > 0.9     # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "future-metric",
        summary: "a selected release does not have the metric yet",
        group: Group::Catalog,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for gone in gone(cx, &Why::Future) {
        let what = match gone.life() {
            Some(life) => format!("came with {}", life.first),
            None => "does not exist yet".to_owned(),
        };
        let finding = gone.finding(out, &what, "not yet");
        out.push(finding);
    }
}
