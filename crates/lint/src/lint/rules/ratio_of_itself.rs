//! Ratios of a series to itself.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_catalog::Series as Part;
use slosmith_promql::ast::{AtOffset, BinaryOp, Expr, ExprKind, Selector};
use slosmith_promql::usage::{bare, exact_constant, is_rate};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports a ratio of one metric over the same metric without an aggregation, even with different matchers, and a
    /// ratio of any expression over the same expression, and comparisons of an expression with itself.
    ///
    /// ### Why
    ///
    /// Without aggregation, PromQL divides each series by the series with identical labels: itself. The result is
    /// always 1, or `NaN` where the value is 0.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(http_requests_total{code="500"}[5m]) / rate(http_requests_total[5m])
    /// sum(rate(vllm:prefix_cache_hits_total[5m])) / sum(rate(vllm:prefix_cache_hits_total[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(rate(http_requests_total{code="500"}[5m])) / sum(rate(http_requests_total[5m]))
    /// sum(rate(vllm:prefix_cache_hits_total[5m])) / sum(rate(vllm:prefix_cache_queries_total[5m]))
    /// ```
    pub const RULE: Rule = Rule {
        name: "ratio-of-itself",
        summary: "a series is divided by itself",
        group: Group::Labels,
        level: Severity::Error,
        certain: "Certain: both sides have the same labels, so each series matches itself.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for node in cx.expressions() {
        let ExprKind::Binary(binary) = &node.kind else {
            continue;
        };
        if binary.matching.is_some() {
            continue;
        }
        let sides = [&binary.lhs, &binary.rhs].map(bare);
        if binary.op.is_comparison() && is_same(cx, sides.map(without_factor)) {
            let message = format!(
                "both sides of `{}` are the same, but for a constant factor",
                binary.op
            );
            let finding = out.at(cx.span(&node.span), message);
            out.push(finding.help(
                "use another metric, other matchers, or `offset` for an earlier time on one side",
            ));
        }
        if binary.op != BinaryOp::Div {
            continue;
        }
        let same = is_same(cx, sides);
        let message = match sides.map(read) {
            [Some(over), Some(under)] if over == under => {
                format!("each series of `{}` is divided by itself", over.metric)
            }
            _ if same => "both sides of `/` are the same".to_owned(),
            _ => continue,
        };
        let message = format!("{message}: the result is always 1, or `NaN` where the value is 0");
        let help = match same {
            true => other_side(cx, sides[0]),
            false => "aggregate both sides: `sum(…) / sum(…)`".to_owned(),
        };
        let finding = out.at(cx.span(&node.span), message);
        out.push(finding.help(help));
    }
}

/// What to divide by, or to divide, instead of the same.
fn other_side(cx: &QueryCx<'_, '_>, side: &Expr) -> String {
    let base = match &cx.series[cx.indices(side)] {
        [one] => one.name.strip_suffix(Part::Bucket.suffix()),
        _ => None,
    };
    match base {
        Some(base) => format!(
            "divide `{base}_sum` by `{base}_count` for the mean, or one bucket by `{base}_count` for the share below its boundary"
        ),
        None => "use another metric, or other matchers, on one side".to_owned(),
    }
}

/// The other side of a multiplication with a number.
fn without_factor(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Binary(binary) if binary.op == BinaryOp::Mul => {
            let [left, right] = [&binary.lhs, &binary.rhs].map(bare);
            match (exact_constant(left), exact_constant(right)) {
                (Some(_), None) => right,
                (None, Some(_)) => left,
                _ => expr,
            }
        }
        _ => expr,
    }
}

/// True for two expressions with the same letters that select something.
fn is_same(cx: &QueryCx<'_, '_>, [left, right]: [&Expr; 2]) -> bool {
    let [a, b] = [left, right].map(|side| cx.text(&side.span).as_bytes());
    let first = a.iter().zip(b).find(|(a, b)| a != b);
    // Where both have a letter, the rest of the letters does not matter.
    if first.is_some_and(|(a, b)| !a.is_ascii_whitespace() && !b.is_ascii_whitespace()) {
        return false;
    }
    let [a, b] = [a, b].map(|text| text.iter().filter(|c| !c.is_ascii_whitespace()));
    // One letter after the other: the left side of a long chain is read no further than its right side.
    a.eq(b) && !cx.indices(left).is_empty()
}

/// The way a metric is read, without its matchers.
#[derive(PartialEq)]
struct Read<'e> {
    metric: &'e str,
    rate: Option<(&'e str, &'e str)>,
    at: &'e AtOffset,
}

fn read(expr: &Expr) -> Option<Read<'_>> {
    let of = |selector: &'_ Selector| {
        selector
            .metric
            .as_ref()
            .filter(|m| m.placeholders.is_empty())
            .is_some()
    };
    match &expr.kind {
        ExprKind::Selector(selector) if of(selector) => Some(Read {
            metric: &selector.metric.as_ref()?.text,
            rate: None,
            at: &selector.at,
        }),
        ExprKind::Call(call) if is_rate(&call.function.text) => {
            let ExprKind::Range(range) = &bare(call.args.first()?).kind else {
                return None;
            };
            of(&range.selector).then_some(Read {
                metric: &range.selector.metric.as_ref()?.text,
                rate: Some((&call.function.text, &range.range.text)),
                at: &range.selector.at,
            })
        }
        _ => None,
    }
}
