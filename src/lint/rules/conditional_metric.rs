//! Series that need another serving configuration.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Known, Why};

declare_rule! {
    /// Some families appear only when a feature is on: LoRA, speculative decoding, a KV connector. Where it
    /// is off, the query gives no data. Whoever asks for such a series usually runs the feature, so nothing is said
    /// until `profiles` in `slosmith.toml` or `--profile` tell which ones your servers use.
    ///
    /// ```promql
    /// vllm:lora_requests_info   # bad with `profiles = ["default"]`, good with `["default", "lora"]`
    /// ```
    pub const RULE: Rule = Rule {
        name: "conditional-metric",
        summary: "the metric exists only in another serving configuration",
        group: Group::Catalog,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.known().filter(|known| is_judged(known)) else {
            continue;
        };
        for dead in cx.dead(series) {
            let Why::Conditional(profiles) = &dead.why else {
                continue;
            };
            let on = known.product.describe(&dead.releases);
            let message = format!(
                "`{}` exists only in another serving configuration: no data on {on}",
                series.name
            );
            let condition = known.product.catalog.lineage().condition(&known.family);
            let profiles: Vec<_> = profiles.iter().map(|p| format!("`{p}`")).collect();
            let mut finding = out.at(cx.span(&series.name_span), message).help(format!(
                "if your servers are started that way, declare the profile {}",
                profiles.join(" or ")
            ));
            if let Some(condition) = condition {
                finding = finding.note(format!("served with {}", condition.needs));
            }
            out.push(finding);
        }
    }
}

/// Without profiles nobody said what the servers do not run.
fn is_judged(known: &Known<'_>) -> bool {
    !known.is_alive() && !known.product.profiles.is_empty()
}
