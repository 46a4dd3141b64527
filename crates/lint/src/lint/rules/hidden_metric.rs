//! Metrics that a release exposes only with a flag.

use crate::lint::missing_metric::missing;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports deprecated metrics that a release in the selected range hides.
    ///
    /// ### Why
    ///
    /// vLLM hides a deprecated metric before it removes it. Without `--show-hidden-metrics-for-version`, the series
    /// does not exist. The flag must name exactly the minor release before the running one.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:time_per_output_token_seconds_sum[5m])   # hidden on 0.12.0 to 0.14.0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:inter_token_latency_seconds_sum[5m])     # since 0.10.2
    /// ```
    pub const RULE: Rule = Rule {
        name: "hidden-metric",
        summary: "a selected release exposes the metric only with a flag",
        group: Group::Catalog,
        level: Severity::Error,
        certain: "Certain for recorded releases that run without `--show-hidden-metrics-for-version`.",
        fixes: Fixes::Both { safe: "replaces the name with the new name, or queries both names with `or`", risky: "replaces the metric with an expression over other metrics that shows the same, or the name if neither `vllm` in `slosmith.toml` nor `--vllm` sets the releases" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for metric in missing(cx, &Why::Hidden) {
        let mut finding = metric.finding(out, &metric.end(), "hidden");
        let catalog = metric.known.product.catalog;
        let change = catalog.lineage().change(&metric.known.family);
        for id in &metric.dead.releases {
            let version = catalog.release(*id).version();
            if let Some(flag) = change.and_then(|change| change.flag_on(version)) {
                let engine = change.and_then(|change| change.engine.as_deref());
                let engine = engine.map(|engine| format!(" and the {engine} engine"));
                finding = finding.note(format!(
                    "{} {version} exposes the metric if started with `--show-hidden-metrics-for-version={flag}`{}",
                    metric.known.product.name,
                    engine.unwrap_or_default()
                ));
            }
        }
        out.push(finding);
    }
}
