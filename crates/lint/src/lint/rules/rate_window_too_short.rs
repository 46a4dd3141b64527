//! Rates over less than two scrape intervals.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::usage::Use;
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::units::Duration;

declare_rule! {
    /// ### What it does
    ///
    /// Reports rates of scraped metrics over less than two scrape intervals. The interval is 15s unless
    /// `scrape_interval` in `slosmith.toml` sets another one.
    ///
    /// ### Why
    ///
    /// A rate needs two samples. A shorter window often holds only one, so the result has gaps. A window of four
    /// scrape intervals survives a missed scrape.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[15s])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[1m])
    /// ```
    pub const RULE: Rule = Rule {
        name: "rate-window-too-short",
        summary: "the rate window is shorter than two scrape intervals",
        group: Group::Slo,
        level: Severity::Warning,
        certain: "The rule assumes the scrape interval in `slosmith.toml`, or 15 s.",
        fixes: Fixes::None,
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
        let scraped = series.subject.known().is_some() || series.is_declared();
        if scraped && range.placeholders.is_empty() && range.millis > 0 && range.millis < least {
            let message = format!(
                "the window {} of `{function}` is shorter than two scrape intervals ({interval} each)",
                cx.text(&range.span)
            );
            let good = Duration::from_secs(interval.as_secs() * 4);
            out.push(
                out.at(cx.span(&range.span), message)
                    .help(format!("use a window of at least {good}")),
            );
        }
    }
}
