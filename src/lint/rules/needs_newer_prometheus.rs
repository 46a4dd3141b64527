//! Queries that the oldest Prometheus in use cannot read.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::requirements;

declare_rule! {
    /// A function, an operator or a notation that came with a later release than `prometheus` in `slosmith.toml`
    /// names: the oldest Prometheus that reads these files, or promtool. It refuses the query, and a whole rule
    /// file with it. Without the setting nothing is found.
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[300])   # with prometheus = "2.42": needs 2.54
    /// rate(vllm:generation_tokens_total[5m])    # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "needs-newer-prometheus",
        summary: "the oldest Prometheus in use cannot read the query",
        group: Group::PromQl,
        level: Severity::Error,
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
            let help = format!("`prometheus` in slosmith.toml names {oldest} as the oldest in use");
            out.push(finding.help(help));
        }
    }
}
