//! Quantiles of what has no buckets.

use crate::catalog::Series as Part;
use crate::diag::{Applicability, Group, Severity};
use crate::lint::mend;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Subject};
use crate::promql::usage::quantile_calls;

declare_rule! {
    /// `histogram_quantile` reads series that end in `_bucket` and carry `le`. Given the base name of a
    /// histogram, its `_sum`, or a gauge, it never gives a result.
    ///
    /// ```promql
    /// histogram_quantile(0.99, rate(vllm:e2e_request_latency_seconds[5m]))          # bad
    /// histogram_quantile(0.99, rate(vllm:e2e_request_latency_seconds_bucket[5m]))   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "quantile-of-non-histogram",
        summary: "`histogram_quantile` is given something without buckets",
        group: Group::Type,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.memo.kinds.calls("histogram_quantile") {
        return;
    }
    // Calls inside of others come later, and their series are told already.
    let mut told = 0;
    for call in quantile_calls(cx.expr) {
        let inside = cx.indices(call.buckets);
        let first = inside.start.max(told);
        told = inside.end.max(told);
        for series in &cx.series[first..told] {
            let Some(histogram) = unfit(series) else {
                continue;
            };
            let name = series.name;
            let message =
                format!("`{name}` has no buckets: `histogram_quantile` of it gives nothing");
            let mut finding = out.at(cx.span(&series.name_span), message);
            if let Some(histogram) = histogram {
                let new = format!("{histogram}{}", Part::Bucket.suffix());
                let level = if call.may_have_le() {
                    Applicability::Safe
                } else {
                    Applicability::Unsafe
                };
                let fix = mend::rename(cx, series, name, &new, level);
                finding = finding.help(format!("use `{new}`")).maybe_fix(fix);
            }
            out.push(finding);
        }
    }
}

/// For a series that surely has no buckets: the histogram it belongs to, if any.
fn unfit<'s>(series: &'s Series<'_, '_>) -> Option<Option<&'s str>> {
    match &**series.subject {
        Subject::Strange(strange) => match strange.meant {
            Meant::Histogram(name) => Some(Some(name)),
            _ => None,
        },
        Subject::Known(known) => match known.part {
            Part::Bucket | Part::Created => None,
            Part::Sum | Part::Count => Some(Some(&known.family)),
            Part::Whole => {
                (series.subject.is_gauge() || series.subject.is_counter()).then_some(None)
            }
        },
        Subject::InRay(_) | Subject::Foreign(_) | Subject::Outside => None,
    }
}
