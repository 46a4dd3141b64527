//! Rates over less than two scrapes.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::usage::Use;
use crate::units::Duration;

declare_rule! {
    /// A rate needs two samples. A window below twice the scrape interval often holds one, so the result has
    /// gaps; four times the interval survives a missed scrape. The interval is 15s unless `scrape_interval`
    /// in `slosmith.toml` says otherwise.
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[15s])   # bad
    /// rate(vllm:generation_tokens_total[1m])    # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "rate-window-too-short",
        summary: "the window of a rate is shorter than two scrapes",
        group: Group::Slo,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let interval = cx.scope.scrape_interval;
    let least = i64::try_from(interval.as_secs() * 2000).unwrap_or(i64::MAX);
    for series in cx.series {
        let (Use::Change(function), Some(range)) = (series.context.used(), series.context.range)
        else {
            continue;
        };
        let range = &range.range;
        let scraped = series.subject.known().is_some();
        if scraped && range.placeholders.is_empty() && range.millis > 0 && range.millis < least {
            let message = format!(
                "`{function}` over {} has fewer than two scrapes of {interval}",
                cx.text(&range.span)
            );
            let good = Duration::from_secs(interval.as_secs() * 4);
            out.push(
                out.at(cx.span(&range.span), message)
                    .help(format!("use at least {good}")),
            );
        }
    }
}
