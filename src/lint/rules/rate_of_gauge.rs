//! Rates of what goes up and down.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// `rate`, `irate` and `increase` take every fall for a restart of a counter and add it. Of a gauge they
    /// give numbers that mean nothing.
    ///
    /// ```promql
    /// rate(vllm:num_requests_running[5m])            # bad
    /// avg_over_time(vllm:num_requests_running[5m])   # good: the level
    /// deriv(vllm:num_requests_running[5m])           # good: how fast it changes
    /// ```
    pub const RULE: Rule = Rule {
        name: "rate-of-gauge",
        summary: "a rate is taken of a gauge",
        group: Group::Type,
        level: Severity::Error,
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
                "`{}` is a gauge: `{function}` counts its decreases as resets",
                series.name
            );
            let finding = out.at(cx.span(&series.name_span), message).label("a gauge");
            out.push(
                finding.help("use `avg_over_time` for its level, `deriv` for how fast it changes"),
            );
        }
    }
}
