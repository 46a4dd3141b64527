//! Rates of gauges.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `rate`, `irate` and `increase` of a gauge.
    ///
    /// ### Why
    ///
    /// `rate`, `irate` and `increase` treat every decrease as a counter reset. On a gauge, the result is meaningless.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:num_requests_running[5m])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// avg_over_time(vllm:num_requests_running[5m])   # the level
    /// deriv(vllm:num_requests_running[5m])           # the speed of change
    /// ```
    pub const RULE: Rule = Rule {
        name: "rate-of-gauge",
        summary: "`rate`, `irate` or `increase` of a gauge",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain: the type is recorded (if a spec declares it, the rule warns), and the Prometheus documentation allows `rate` only for counters.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(function) = series.context.used().rate() else {
            continue;
        };
        if series.subject.is_gauge() {
            let message = format!(
                "`{}` is a gauge: `{function}` treats its decreases as counter resets",
                series.name
            );
            let mut finding = out.at(cx.span(&series.name_span), message).label("a gauge");
            finding =
                finding.help("use `avg_over_time` for the level, `deriv` for the speed of change");
            if series.is_declared() {
                // The declaration may be wrong.
                finding.severity = Severity::Warning;
                finding = finding.help("if it only goes up, write `kind: counter`");
            }
            out.push(finding);
        }
    }
}
