//! Fractions that are added up.

use crate::diag::{Group, Severity};
use crate::lint::quantity::Measure;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Grouping};

declare_rule! {
    /// Two servers whose caches are half full have not one full cache. A sum of fractions over servers, or
    /// over time, is a number without a meaning that grows with the number of servers or samples.
    ///
    /// ```promql
    /// sum(vllm:kv_cache_usage_perc)                   # bad: 1.2 of three servers
    /// avg(vllm:kv_cache_usage_perc)                   # good
    /// sum_over_time(vllm:kv_cache_usage_perc[1h])     # bad: grows with the number of scrapes
    /// avg_over_time(vllm:kv_cache_usage_perc[1h])     # good
    /// ```
    ///
    /// A sum that is divided by something, that names one server, or that keeps `instance`, `pod` or `engine`
    /// is left alone.
    pub const RULE: Rule = Rule {
        name: "sum-of-fractions",
        summary: "fractions from 0 to 1 are added up",
        group: Group::Type,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Labels of one server or of a part of it.
const ONE: [&str; 9] = [
    "container",
    "engine",
    "exported_instance",
    "host",
    "hostname",
    "instance",
    "node",
    "pod",
    "replica",
];

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        if !series.subject.is_gauge() || is_divided(series) {
            continue;
        }
        let fraction = |expr: &Expr| matches!(cx.measure(expr), Some((Measure::Fraction, _)));
        for node in series.context.ancestors() {
            let (wrong, (instead, of)) = match &node.kind {
                ExprKind::Call(call) if call.function.text == "sum_over_time" => {
                    let argument = call.args.first();
                    (argument.is_some_and(fraction), ("avg_over_time", "samples"))
                }
                ExprKind::Aggregate(a) if a.op == AggregateOp::Sum => {
                    let many = !is_one(series) && !keeps_one(a.grouping.as_ref());
                    (many && fraction(&a.expr), ("avg", "servers"))
                }
                _ => continue,
            };
            if !wrong {
                continue;
            }
            let message = format!(
                "`{}` is a fraction from 0 to 1: a sum over {of} means nothing",
                series.name
            );
            let help = format!("use `{instead}`, or `max` for the fullest");
            out.push(out.at(cx.span(&node.span), message).help(help));
            break;
        }
    }
}

/// Some operation around it makes another number of the sum, such as a mean by hand.
fn is_divided(series: &Series<'_, '_>) -> bool {
    let changes = |node: &Expr| match &node.kind {
        ExprKind::Binary(binary) => {
            matches!(
                binary.op,
                BinaryOp::Div | BinaryOp::Mul | BinaryOp::Sub | BinaryOp::Add
            )
        }
        ExprKind::Placeholder(_) | ExprKind::Invalid(_) => true,
        _ => false,
    };
    series.context.ancestors().any(changes)
}

/// A matcher names the server, or lets somebody choose it.
fn is_one(series: &Series<'_, '_>) -> bool {
    let selector = series.context.selector;
    let named = |label: &str| ONE.contains(&label);
    !selector.filters.is_empty() || selector.matchers.iter().any(|m| named(&m.label.text))
}

/// The groups may be single servers.
fn keeps_one(grouping: Option<&Grouping>) -> bool {
    grouping.is_some_and(|grouping| {
        let open = |label: &crate::promql::ast::Name| !label.placeholders.is_empty();
        let one = |label: &crate::promql::ast::Name| ONE.contains(&label.text.as_str());
        grouping.without
            || grouping
                .labels
                .iter()
                .any(|label| open(label) || one(label))
    })
}
