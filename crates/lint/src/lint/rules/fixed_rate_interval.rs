//! Rate windows that do not fit every zoom level.

use crate::artifact::Form;
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::usage::contexts;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports rates in graphs over `$__interval`, or over a fixed window below 5m.
    ///
    /// ### Why
    ///
    /// `$__interval` can be shorter than two scrape intervals: the graph is empty when you zoom in. A short fixed
    /// window skips samples when you zoom out. `$__rate_interval` fits every zoom level.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[$__interval])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[$__rate_interval])
    /// ```
    ///
    /// ### Limits
    ///
    /// Fixed windows of 5m or longer are not reported.
    pub const RULE: Rule = Rule {
        name: "fixed-rate-interval",
        summary: "a rate window in a graph does not fit every zoom level",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain that the window does not follow the zoom level. Some panels need a fixed window.",
        fixes: Fixes::Both { safe: "replaces `$__interval` with `$__rate_interval`", risky: "replaces a fixed window with `$__rate_interval`" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// The shortest window that is chosen on purpose, such as the last hour or the last day.
const SHORT: i64 = 5 * 60 * 1000;

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Site::Panel(dashboard, _, target) = cx.site else {
        return;
    };
    if target.instant || dashboard.form == Form::Perses {
        return;
    }
    for series in contexts(cx.expr) {
        let (Some(function), Some(range)) = (series.used().rate(), series.range) else {
            continue;
        };
        let range = &range.range;
        let words = cx.text(&range.span);
        let zoomed = range
            .placeholders
            .iter()
            .any(|p| p.variable() == "__interval");
        let short = range.placeholders.is_empty() && range.millis < SHORT;
        if !(short || zoomed && range.placeholders.len() == 1) {
            continue;
        }
        let message = if zoomed {
            format!(
                "`{function}` over `{words}` is empty when zoomed in: the window can be shorter than two scrape intervals"
            )
        } else {
            format!("`{function}` over {words} skips samples when zoomed out")
        };
        let level = if zoomed {
            Applicability::Safe
        } else {
            Applicability::Unsafe
        };
        let fix = cx.replace(&range.span, "$__rate_interval", level);
        let finding = out
            .at(cx.span(&range.span), message)
            .help("use `$__rate_interval`");
        out.push(finding.maybe_fix(fix));
    }
}
