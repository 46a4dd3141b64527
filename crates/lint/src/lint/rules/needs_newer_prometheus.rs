//! Queries that the oldest Prometheus in use does not support.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::requirements;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports functions, operators and syntax that the oldest Prometheus or promtool in use does not support.
    /// `prometheus` in `slosmith.toml` sets this version.
    ///
    /// ### Why
    ///
    /// A Prometheus of that version rejects the query, and the whole rule file with it.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[300])   # with prometheus = "2.42": needs 2.54
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[5m])
    /// ```
    ///
    /// ### Limits
    ///
    /// The rule is off unless `prometheus` is set.
    pub const RULE: Rule = Rule {
        name: "needs-newer-prometheus",
        summary: "the oldest Prometheus in use does not support the query",
        group: Group::PromQl,
        level: Severity::Error,
        certain: "Certain for the version that `prometheus` in `slosmith.toml` names.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(oldest) = cx.scope.prometheus else {
        return;
    };
    for need in requirements(cx.expr) {
        if need.since > oldest {
            let message = format!("{} needs Prometheus {}", need.what, need.since);
            let finding = out.at(cx.span(&need.span), message);
            let help = format!(
                "`prometheus` in slosmith.toml sets {oldest} as the oldest version in use: rewrite the query, or raise the setting"
            );
            out.push(finding.help(help));
        }
    }
}
