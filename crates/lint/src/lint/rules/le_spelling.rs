//! Bucket boundaries in a spelling that no server exposes.

use crate::artifact::Role;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_catalog::Shape;
use slosmith_promql::ast::{MatchOp, Matcher, TextSpan};
use slosmith_promql::rewrite::Edit;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `le` matchers whose number is a bucket boundary, but is spelled differently.
    ///
    /// ### Why
    ///
    /// Matchers compare text. vLLM writes every boundary as a decimal number with a point: `120.0`, not `120`. A Prometheus
    /// that scrapes vLLM stores `120.0`. A pipeline with OpenTelemetry may store `120`.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:e2e_request_latency_seconds_bucket{le="120"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:e2e_request_latency_seconds_bucket{le="120.0"}
    /// vllm:e2e_request_latency_seconds_bucket{le=~"120|120[.]0"}   # in every store
    /// ```
    pub const RULE: Rule = Rule {
        name: "le-spelling",
        summary: "an `le` matcher spells a bucket boundary differently from the server",
        group: Group::Histogram,
        level: Severity::Warning,
        certain: "Certain for what a Prometheus stores that scrapes the server. Behind an OpenTelemetry collector, the other spelling may be right.",
        fixes: Fixes::Safe("matches both spellings, or replaces the value with the spelling of the server"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // A unit test has the spelling of its store: Prometheus 3 writes `500` as `500.0`.
    if cx.query.role == Role::TestSeries {
        return;
    }
    for (series, matcher) in cx.matchers().filter(|(series, _)| series.is_bucket()) {
        let value = matcher.value.value.as_str();
        let exact = matches!(matcher.op, MatchOp::Equal | MatchOp::NotEqual);
        // A spec has numbers; how the exporter spells them is not known.
        if matcher.label.text != "le" || !exact || series.is_declared() {
            continue;
        }
        let shapes = series.subject.shapes();
        let Some(right) = exposed(&shapes, value) else {
            continue;
        };
        let message = format!(
            "`{}` spells this bucket boundary `{right}`, not `{value}`",
            series.name
        );
        let finding = out.at(cx.span(&matcher.value_span), message);
        let (place, new) = stored(cx, matcher, value, right);
        let title = format!("replace with `{new}`");
        let fix = cx.fix(title, &[Edit::new(place, &new)], Applicability::Safe);
        out.push(finding.help(format!("use `{new}`")).maybe_fix(fix));
    }
}

/// What selects the bucket in every store, and its place: a store behind OpenTelemetry has whole numbers without `.0`.
fn stored(cx: &QueryCx<'_, '_>, matcher: &Matcher, value: &str, right: &str) -> (TextSpan, String) {
    let is_whole = right.strip_suffix(".0") == Some(value);
    let pattern = format!("{value}|{right}").replace('.', "[.]");
    let (op, new) = match (matcher.op, is_whole) {
        (op, false) => (op.symbol(), right),
        (MatchOp::Equal, true) => ("=~", &*pattern),
        (_, true) => ("!~", &*pattern),
    };
    let label = cx.text(&matcher.label.span);
    (matcher.span.clone(), format!("{label}{op}\"{new}\""))
}

/// The spelling of a boundary that all shapes share, if no shape has `value`.
fn exposed<'s>(shapes: &[&'s Shape], value: &str) -> Option<&'s str> {
    let bound: f64 = value.parse().ok()?;
    if shapes
        .iter()
        .any(|shape| shape.buckets.iter().any(|b| b == value))
    {
        return None;
    }
    let mut spellings = shapes.iter().filter_map(|shape| shape.bucket(bound));
    let first = spellings.next()?;
    spellings.all(|other| other == first).then_some(first)
}
