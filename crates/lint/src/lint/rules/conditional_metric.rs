//! Metrics that need another vLLM profile.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Known, Why};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics that vLLM exposes only with a feature that your profiles do not include, such as LoRA,
    /// speculative decoding or a KV connector.
    ///
    /// ### Why
    ///
    /// While the feature is off, the query returns no data.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:lora_requests_info   # with `profiles = ["default"]`
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```toml
    /// profiles = ["default", "lora"]   # in slosmith.toml, if some servers use LoRA; otherwise remove the query
    /// ```
    ///
    /// ### Limits
    ///
    /// Queries on such metrics usually come from teams that use the feature. So the rule is silent until you declare
    /// your profiles (`profiles` in `slosmith.toml`, or `--profile`).
    pub const RULE: Rule = Rule {
        name: "conditional-metric",
        summary: "the metric exists only with another vLLM profile",
        group: Group::Catalog,
        level: Severity::Warning,
        certain: "Certain that the default profile of the selected releases lacks the metric. The rule assumes the profiles that the configuration names.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.known().filter(|known| is_checked(known)) else {
            continue;
        };
        for dead in cx.dead(series) {
            let Why::Conditional(profiles) = &dead.why else {
                continue;
            };
            let on = known.product.describe(&dead.releases);
            let message = format!(
                "`{}` exists only with another vLLM profile: no data on {} {on}",
                series.name, known.product.name
            );
            let condition = known.product.catalog.lineage().condition(&known.family);
            let profiles: Vec<_> = profiles.iter().map(|p| format!("`{p}`")).collect();
            let mut finding = out.at(cx.span(&series.name_span), message).help(format!(
                "add the profile {} with `--profile`, or with `profiles` in `slosmith.toml`, if your servers use it",
                profiles.join(" or ")
            ));
            if let Some(condition) = condition {
                finding = finding.note(format!(
                    "vLLM exposes the metric only with {}",
                    condition.needs
                ));
            }
            out.push(finding);
        }
    }
}

/// Without declared profiles, slosmith does not know which features are off.
fn is_checked(known: &Known<'_>) -> bool {
    !known.is_alive() && !known.product.profiles.is_empty()
}
