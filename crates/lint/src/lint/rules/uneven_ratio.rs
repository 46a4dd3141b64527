//! Ratios whose sides do not count alike.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Duration, Expr, ExprKind, Selector};
use slosmith_promql::usage::is_rate;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports ratios whose sides do not count alike: `increase` over one range and `increase` over another,
    /// `increase` and `rate`, or `rate` over different ranges, where both sides select one metric or one of the ranges is a variable.
    ///
    /// ### Why
    ///
    /// Such a ratio is not a share: errors of an hour over requests of 5 minutes are 12 times too many, and errors of an hour
    /// over requests per second 3600 times.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(increase(http_requests_total{code=~"5.."}[1h])) / sum(increase(http_requests_total[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(increase(http_requests_total{code=~"5.."}[1h])) / sum(increase(http_requests_total[1h]))
    /// ```
    ///
    /// ### Limits
    ///
    /// The same series over two ranges is a trend, and is not reported.
    pub const RULE: Rule = Rule {
        name: "uneven-ratio",
        summary: "the two sides of a ratio do not count alike",
        group: Group::Type,
        level: Severity::Warning,
        certain: "Certain as to the result. The rule assumes that a ratio of two counters is a share or a mean.",
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
        if binary.op != BinaryOp::Div {
            continue;
        }
        let sides = read(&binary.lhs).zip(read(&binary.rhs));
        let Some((over, under)) = sides.filter(|(over, under)| is_uneven(over, under)) else {
            continue;
        };
        let [left, right] =
            [over, under].map(|side| format!("`{}` over {}", side.function, side.range.text));
        let message = format!(
            "the sides of `/` do not count alike: {left} on the left, {right} on the right"
        );
        let finding = out.at(cx.span(&binary.op_span), message);
        out.push(finding.help("use the same function and the same range on both sides"));
    }
}

struct Read<'e> {
    function: &'e str,
    range: &'e Duration,
    selector: &'e Selector,
}

/// The first counter of a side, if the side is nothing but sums of counters over time.
fn read(side: &Expr) -> Option<Read<'_>> {
    let mut first = None;
    let mut open = vec![side];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Paren(inner) => open.push(inner),
            ExprKind::Aggregate(a) if matches!(a.op, AggregateOp::Sum | AggregateOp::Avg) => {
                open.push(&a.expr)
            }
            ExprKind::Binary(b) if matches!(b.op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or) => {
                open.extend([&b.rhs, &b.lhs]);
            }
            ExprKind::Call(call) if is_rate(&call.function.text) => {
                let ExprKind::Range(range) = &call.args.first()?.kind else {
                    return None;
                };
                first.get_or_insert(Read {
                    function: &call.function.text,
                    range: &range.range,
                    selector: &range.selector,
                });
            }
            ExprKind::Call(call) if call.function.text.starts_with("clamp_m") => {
                open.push(call.args.first()?)
            }
            ExprKind::Call(call) if call.function.text == "vector" => {}
            ExprKind::Number(_) => {}
            _ => return None,
        }
    }
    first
}

fn is_uneven(over: &Read<'_>, under: &Read<'_>) -> bool {
    let is = |name| [over, under].map(|side| side.function == name);
    let other_range = over.length() != under.length() && !over.is_same(under);
    // A fixed range beside one that the dashboard or the SLO sets, or two selections of one metric.
    let is_open = |side: &Read<'_>| !side.range.placeholders.is_empty();
    let of_one = over.metric() == under.metric() || is_open(over) != is_open(under);
    over.selector.at == under.selector.at
        && match (is("increase"), is("rate")) {
            ([true, true], _) => other_range,
            (_, [true, true]) => other_range && of_one,
            ([left, right], _) => left != right,
        }
}

impl Read<'_> {
    fn metric(&self) -> Option<&str> {
        self.selector
            .metric
            .as_ref()
            .map(|metric| metric.text.as_str())
    }

    /// The range: its milliseconds, or its spelling if these are not known.
    fn length(&self) -> (i64, &str) {
        match self.range.millis {
            0 => (0, &self.range.text),
            millis => (millis, ""),
        }
    }

    /// True for the same series.
    fn is_same(&self, other: &Self) -> bool {
        let matchers = |side: &Self| {
            let all = side.selector.matchers.iter();
            let all = all.map(|m| (m.label.text.as_str(), m.op, m.value.value.as_str()));
            let mut all: Vec<_> = all.collect();
            all.sort_unstable();
            all
        };
        self.metric() == other.metric() && matchers(self) == matchers(other)
    }
}
