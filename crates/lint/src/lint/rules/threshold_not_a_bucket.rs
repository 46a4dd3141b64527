//! `le` values that are not bucket boundaries.

use crate::lint::query::QueryCx;
use crate::lint::query::Series;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::scope::{Boundaries, UNLESS};
use crate::lint::subject::Subject;
use slosmith_catalog::ReleaseId;
use slosmith_promql::ast::{MatchOp, Matcher};
use slosmith_text::diag::{Diagnostic, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `le` matchers with a value that is not a bucket boundary of the histogram.
    ///
    /// ### Why
    ///
    /// A histogram has bucket series only for its own boundaries. A matcher on any other value selects nothing: a ratio
    /// of fast requests is empty, not 0.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:time_to_first_token_seconds_bucket{le="2.0"}[5m])   # the boundaries are 1.0 and 2.5
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:time_to_first_token_seconds_bucket{le="2.5"}[5m])
    /// ```
    pub const RULE: Rule = Rule {
        name: "threshold-not-a-bucket",
        summary: "an `le` matcher has a value that is not a bucket boundary",
        group: Group::Histogram,
        level: Severity::Error,
        certain: "Certain for recorded boundaries; for those that a spec declares, the rule warns. Boundaries that differ between deployments are not checked. Servers since vLLM 0.30 can replace boundaries: there, the rule warns, and is silent if a file of the run that is not Markdown sets the option.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for (series, matcher) in cx.matchers() {
        if series.is_bucket() && matcher.label.text == "le" {
            check_matcher(cx, out, series, matcher);
        }
    }
}

fn check_matcher(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    matcher: &Matcher,
) {
    let value = matcher.value.value.as_str();
    let bound: Option<f64> = value.parse().ok();
    let has = |bucket: &String| match matcher.op {
        MatchOp::Equal => bound.is_some() && bucket.parse().ok() == bound,
        MatchOp::Match => cx.may_match(value, bucket),
        MatchOp::NotEqual | MatchOp::NotMatch => true,
    };
    if let Subject::Declared(shape) = &**series.subject
        && !shape.buckets.is_empty()
        && !shape.buckets.iter().any(has)
    {
        let message = format!(
            "the spec declares no bucket of `{}` with `le{}\"{value}\"`",
            series.name,
            matcher.op.symbol()
        );
        let mut finding = out.at(cx.span(&matcher.value_span), message);
        finding.severity = Severity::Warning;
        let near = bound.map(|bound| shape.neighbours(bound));
        return out.push(with_nearest(
            finding,
            near,
            "use bucket boundaries, or add the boundary to `buckets`",
        ));
    }
    let Some(known) = series.subject.known() else {
        return;
    };
    let catalog = known.product.catalog;
    let boundaries = |id: &ReleaseId| cx.scope.boundaries(known.product, &known.family, *id);
    let lacks = |id: &&ReleaseId| {
        let shape = catalog.shape(&known.family, **id, &known.product.profiles);
        shape.is_some_and(|shape| !shape.open_buckets && !shape.buckets.iter().any(has))
            && boundaries(id) != Boundaries::Replaced
    };
    let dead: Vec<_> = known.present.iter().filter(lacks).copied().collect();
    let Some(last) = dead.last() else {
        return;
    };
    let on = known.product.describe(&dead);
    let message = format!(
        "`{}` has no bucket with `le{}\"{value}\"`: no data on {} {on}",
        series.name,
        matcher.op.symbol(),
        known.product.name
    );
    let mut finding = out.at(cx.span(&matcher.value_span), message);
    let is_sure = dead.iter().any(|id| boundaries(id) == Boundaries::Recorded);
    if finding.severity == Severity::Error && !is_sure {
        finding.severity = Severity::Warning;
        finding = finding.help(UNLESS);
    }
    let shape = catalog.shape(&known.family, *last, &known.product.profiles);
    let near = bound.and_then(|bound| Some(shape?.neighbours(bound)));
    out.push(with_nearest(
        finding,
        near,
        "use bucket boundaries; `slosmith catalog show` lists them",
    ));
}

fn with_nearest(
    finding: Diagnostic,
    near: Option<(Option<&str>, Option<&str>)>,
    otherwise: &str,
) -> Diagnostic {
    match near {
        Some((Some(below), Some(above))) => finding.help(format!(
            "use a bucket boundary; the nearest are {below} and {above}"
        )),
        Some((Some(only), None) | (None, Some(only))) => {
            finding.help(format!("use a bucket boundary; the nearest is {only}"))
        }
        _ => finding.help(otherwise),
    }
}
