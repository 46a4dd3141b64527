//! Fractions that are added up.

use crate::diag::{Group, Severity};
use crate::lint::quantity::Measure;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Grouping};
use crate::promql::usage::Holder;

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
    let mut sums = None;
    for series in cx.series {
        if !is_summed(series) {
            continue;
        }
        let sums = sums.get_or_insert_with(|| sums_around(cx, series.context.holders()));
        let around = series.context.holder().and_then(|at| sums.get(at));
        let Some((node, of)) = around.and_then(|sums| sums.innermost(is_one(series))) else {
            continue;
        };
        let (instead, of) = match of {
            Of::Samples => ("avg_over_time", "samples"),
            Of::Servers => ("avg", "servers"),
        };
        let message = format!(
            "`{}` is a fraction from 0 to 1: a sum over {of} means nothing",
            series.name
        );
        let help = format!("use `{instead}`, or `max` for the fullest");
        out.push(out.at(cx.span(&node.span), message).help(help));
    }
}

/// A gauge with a sum around it that no operation makes another number of, such as a mean by hand.
fn is_summed(series: &Series<'_, '_>) -> bool {
    const CHANGES: [BinaryOp; 4] = [BinaryOp::Div, BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Add];
    let kinds = series.context.kinds();
    (kinds.aggregates(AggregateOp::Sum) || kinds.calls("sum_over_time"))
        && series.subject.is_gauge()
        && !kinds.unknown
        && !CHANGES.iter().any(|op| kinds.operates(*op))
}

/// What a sum is over.
#[derive(Clone, Copy)]
enum Of {
    Samples,
    Servers,
}

/// The innermost sums of fractions around an expression, or of samples only.
#[derive(Clone, Copy, Default)]
struct Sums<'q> {
    any: Option<(&'q Expr, Of)>,
    of_samples: Option<&'q Expr>,
}

impl<'q> Sums<'q> {
    /// For a series of one server a sum over servers is nothing.
    fn innermost(&self, is_one: bool) -> Option<(&'q Expr, Of)> {
        match is_one {
            true => self.of_samples.map(|node| (node, Of::Samples)),
            false => self.any,
        }
    }
}

/// For each expression that holds series the sums around it. Each is looked at once, however much is in it.
fn sums_around<'q>(cx: &QueryCx<'q, '_>, holders: &[Holder<'q>]) -> Vec<Sums<'q>> {
    let fraction = |expr: &Expr| matches!(cx.measure(expr), Some((Measure::Fraction, _)));
    let mut found: Vec<Sums<'q>> = Vec::with_capacity(holders.len());
    for holder in holders {
        let mut sums = holder.outer.map(|at| found[at]).unwrap_or_default();
        match &holder.expr.kind {
            ExprKind::Call(call)
                if call.function.text == "sum_over_time"
                    && call.args.first().is_some_and(fraction) =>
            {
                sums.any = Some((holder.expr, Of::Samples));
                sums.of_samples = Some(holder.expr);
            }
            ExprKind::Aggregate(a)
                if a.op == AggregateOp::Sum
                    && !keeps_one(a.grouping.as_ref())
                    && fraction(&a.expr) =>
            {
                sums.any = Some((holder.expr, Of::Servers));
            }
            _ => {}
        }
        found.push(sums);
    }
    found
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
