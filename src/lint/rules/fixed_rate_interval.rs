//! Rates that do not follow the zoom.

use crate::artifact::Form;
use crate::diag::{Applicability, Group, Severity};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::usage::contexts;

declare_rule! {
    /// `$__interval` may be shorter than two scrapes: then the graph is empty when somebody zooms in. A short
    /// fixed window leaves out most samples when somebody zooms out. `$__rate_interval` is always right.
    ///
    /// ```promql
    /// rate(vllm:generation_tokens_total[$__interval])        # bad
    /// rate(vllm:generation_tokens_total[$__rate_interval])   # good
    /// ```
    ///
    /// Fixed windows of five minutes and more are taken for intended.
    pub const RULE: Rule = Rule {
        name: "fixed-rate-interval",
        summary: "a rate in a graph has a window that does not fit every zoom",
        group: Group::Style,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Such windows and longer ones are chosen for what they show: the last hour, the last day.
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
                "`{function}` over `{words}` is empty when zoomed in: it may have fewer than two scrapes"
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
