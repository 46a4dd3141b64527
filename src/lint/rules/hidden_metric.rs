//! Series that a release only shows with a flag.

use crate::diag::{Group, Severity};
use crate::lint::gone::gone;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Why;

declare_rule! {
    /// vLLM hides a deprecated metric before it removes it. Without `--show-hidden-metrics-for-version` the
    /// series does not exist, and the flag must name exactly the minor release before the running one.
    ///
    /// ```promql
    /// rate(vllm:time_per_output_token_seconds_sum[5m])   # bad on 0.12.0 to 0.14.0
    /// rate(vllm:inter_token_latency_seconds_sum[5m])     # good since 0.10.2
    /// ```
    pub const RULE: Rule = Rule {
        name: "hidden-metric",
        summary: "a selected release shows the metric only with a flag",
        group: Group::Catalog,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for gone in gone(cx, &Why::Hidden) {
        let mut finding = gone.finding(out, &gone.end(), "hidden");
        let catalog = gone.known.product.catalog;
        let change = catalog.lineage().change(&gone.known.family);
        for id in &gone.dead.releases {
            let version = catalog.release(*id).version();
            if let Some(flag) = change.and_then(|change| change.flag_on(version)) {
                let engine = change.and_then(|change| change.engine.as_deref());
                let engine = engine.map(|engine| format!(" and the {engine} engine"));
                finding = finding.note(format!(
                    "{version} shows it when started with `--show-hidden-metrics-for-version={flag}`{}",
                    engine.unwrap_or_default()
                ));
            }
        }
        out.push(finding);
    }
}
