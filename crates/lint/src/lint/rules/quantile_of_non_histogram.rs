//! Quantiles of series without buckets.

use crate::lint::fixes;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::rules::unknown_metric::NATIVE;
use crate::lint::subject::{Meant, Subject};
use slosmith_catalog::{Series as Part, split_series};
use slosmith_promql::usage::quantile_calls;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `histogram_quantile` of the base name of a histogram, of its `_sum` or `_count`, of a gauge, or of a
    /// counter.
    ///
    /// ### Why
    ///
    /// `histogram_quantile` reads series that end in `_bucket` and have the label `le`. For all other series, the
    /// result is empty.
    ///
    /// ### Example
    ///
    /// ```promql
    /// histogram_quantile(0.99, rate(vllm:e2e_request_latency_seconds[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.99, rate(vllm:e2e_request_latency_seconds_bucket[5m]))
    /// ```
    ///
    /// ### Limits
    ///
    /// The base name is a warning: a Prometheus that converts histograms to native ones stores it.
    pub const RULE: Rule = Rule {
        name: "quantile-of-non-histogram",
        summary: "`histogram_quantile` of a series without buckets",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain for `_sum`, `_count`, gauges and counters. For the base name, the rule assumes that the store has classic histograms.",
        fixes: Fixes::Both { safe: "replaces the name with the name of the `_bucket` series", risky: "does the same for the base name, and where an aggregation drops `le`" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.calls("histogram_quantile") {
        return;
    }
    // Calls inside other calls come later; their series are already reported.
    let mut reported = 0;
    for call in quantile_calls(cx.expr) {
        let inside = cx.indices(call.buckets);
        let first = inside.start.max(reported);
        reported = inside.end.max(reported);
        for series in &cx.series[first..reported] {
            let Some(histogram) = unfit(series) else {
                continue;
            };
            let name = series.name;
            let message = format!("`{name}` has no buckets: `histogram_quantile` returns nothing");
            let mut finding = out.at(cx.span(&series.name_span), message);
            if matches!(**series.subject, Subject::Unknown(_)) {
                finding.severity = Severity::Warning;
                finding = finding.note(NATIVE);
            }
            if let Some(histogram) = histogram {
                let new = format!("{histogram}{}", Part::Bucket.suffix());
                let sure = call.may_have_le() && series.subject.known().is_some();
                let level = match sure {
                    true => Applicability::Safe,
                    false => Applicability::Unsafe,
                };
                let fix = fixes::rename(cx, series, name, &new, level);
                finding = finding.help(format!("use `{new}`")).maybe_fix(fix);
            }
            out.push(finding);
        }
    }
}

/// For a series that never has buckets: its histogram, if any.
fn unfit(series: &Series<'_, '_>) -> Option<Option<String>> {
    match &**series.subject {
        Subject::Unknown(unknown) => match unknown.meant {
            Meant::Histogram => Some(Some(series.name.to_owned())),
            _ => None,
        },
        Subject::Known(known) => match known.part {
            Part::Bucket | Part::Created => None,
            Part::Sum | Part::Count => Some(Some(known.spelled(&known.family))),
            Part::Whole => {
                (series.subject.is_gauge() || series.subject.is_counter()).then_some(None)
            }
        },
        Subject::Declared(_) => match split_series(series.name) {
            (_, Part::Bucket) => None,
            (family, Part::Sum | Part::Count) => Some(Some(family.to_owned())),
            _ => Some(None),
        },
        _ => None,
    }
}
