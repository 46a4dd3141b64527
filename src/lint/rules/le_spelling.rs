//! Bounds in a spelling that is never exposed.

use crate::catalog::Shape;
use crate::diag::{Applicability, Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::MatchOp;
use crate::promql::rewrite::Edit;

declare_rule! {
    /// Matchers compare text. vLLM writes every bound as a decimal number with a point: `120.0`, not `120`.
    ///
    /// ```promql
    /// vllm:e2e_request_latency_seconds_bucket{le="120"}     # bad
    /// vllm:e2e_request_latency_seconds_bucket{le="120.0"}   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "le-spelling",
        summary: "an `le` matcher spells a bound differently from the server",
        group: Group::Histogram,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for (series, matcher) in cx.matchers().filter(|(series, _)| series.is_bucket()) {
        let value = matcher.value.value.as_str();
        let exact = matches!(matcher.op, MatchOp::Equal | MatchOp::NotEqual);
        if matcher.label.text != "le" || !exact {
            continue;
        }
        let shapes = series.subject.shapes();
        let Some(right) = exposed(&shapes, value) else {
            continue;
        };
        let message = format!(
            "`{}` spells this bound `{right}`, never `{value}`",
            series.name
        );
        let finding = out
            .at(cx.span(&matcher.value_span), message)
            .help(format!("use `le=\"{right}\"`"));
        let edit = Edit::new(matcher.value_span.clone(), format!("\"{right}\""));
        let fix = cx.fix(
            format!("replace with `{right}`"),
            &[edit],
            Applicability::Safe,
        );
        out.push(finding.maybe_fix(fix));
    }
}

/// The one spelling that all shapes give a bound that none of them spells so.
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
