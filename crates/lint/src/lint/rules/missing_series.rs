//! Selectors that select nothing on a running server.

use crate::lint::live::Server;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AtOffset, BinaryOp, Expr, ExprKind, Matcher, Selector};
use slosmith_promql::usage::is_call;
use slosmith_promql::{build, visit};
use slosmith_text::diag::{Fixes, Group, Severity, did_you_mean};

/// How long ago a series may have ended, in seconds, and how this is said.
const BEFORE: [(u64, &str); 3] = [
    (3_600, "an hour ago"),
    (86_400, "a day ago"),
    (604_800, "a week ago"),
];

/// So many values of a label are named.
const NAMED: usize = 5;

declare_rule! {
    /// ### What it does
    ///
    /// With `--prometheus URL`, reports selectors that select no series on that server now. The finding is at the part of
    /// the selector that excludes all series: the name, a label or a value. It shows when the server last had such
    /// series, and which values the label has.
    ///
    /// ### Why
    ///
    /// An alert on missing series never fires, and a panel is empty.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(rate(http_requests_total{code="500"}[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(rate(http_requests_total{status="500"}[5m]))
    /// ```
    ///
    /// ### Limits
    ///
    /// - Nothing is reported without `--prometheus`.
    /// - A counter of rare events has no series before the first one. Suppress the finding there.
    /// - Not checked: selectors with dashboard variables, inside `absent` and `absent_over_time`, on the left side of an `or`
    ///   whose right side always has a value, and series that recording rules of the same run write.
    pub const RULE: Rule = Rule {
        name: "missing-series",
        summary: "the server has no series that the selector selects",
        group: Group::Server,
        level: Severity::Warning,
        certain: "Certain for the time of the run. Series of rare events may appear later.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(live) = cx.live() else {
        return;
    };
    for series in cx.series {
        if !is_excused(cx, series) {
            // A server that does not answer is reported by the run.
            let _ = check_series(cx, out, series, live);
        }
    }
}

fn is_excused(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    let selector = series.context.selector;
    let has_variable = |m: &Matcher| !m.value.placeholders.is_empty();
    let may_be_absent = |expr: &Expr| {
        let falls_back = match &expr.kind {
            ExprKind::Binary(b) => b.op == BinaryOp::Or && visit::needs_no_series(&b.rhs),
            _ => false,
        };
        falls_back || is_call(expr, "absent") || is_call(expr, "absent_over_time")
    };
    selector.metric.is_none()
        || !selector.filters.is_empty()
        || selector.matchers.iter().any(has_variable)
        || cx.scope.is_recorded(series.name)
        || series.context.ancestors().any(may_be_absent)
}

/// `None` where the server does not answer.
fn check_series(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    live: &dyn Server,
) -> Option<()> {
    let selector = Selector {
        at: AtOffset::default(),
        ..series.context.selector.clone()
    };
    if exists(live, &selector, 0)? {
        return Some(());
    }
    let name = series.name;
    let with = |matchers: Vec<Matcher>| Selector {
        matchers,
        ..selector.clone()
    };
    if !exists(live, &with(Vec::new()), 0)? {
        let message = format!("the server has no series of `{name}`");
        let help = match spelled(live, name)? {
            Some(other) => format!("the server has `{other}`"),
            None => history(live, &with(Vec::new()))?,
        };
        out.push(out.at(cx.span(&series.name_span), message).help(help));
        return Some(());
    }
    for matcher in &selector.matchers {
        if !exists(live, &with(vec![matcher.clone()]), 0)? {
            let (label, op, value) = (
                &matcher.label.text,
                matcher.op.symbol(),
                &matcher.value.value,
            );
            let message = format!("no series of `{name}` has `{label}{op}\"{value}\"`");
            let help = match values(live, &with(Vec::new()), label)? {
                values if values.is_empty() => format!("its series have no label `{label}`"),
                values => known(label, value, &values),
            };
            let past = history(live, &selector)?;
            out.push(
                out.at(cx.span(&matcher.value_span), message)
                    .help(help)
                    .help(past),
            );
            return Some(());
        }
    }
    let message = format!("no series of `{name}` meets all matchers of the selector");
    let past = history(live, &selector)?;
    out.push(out.at(cx.span(&series.context.span), message).help(past));
    Some(())
}

fn exists(live: &dyn Server, selector: &Selector, ago: u64) -> Option<bool> {
    let query = build::call("count", [Expr::from(selector.clone())]);
    let answer = live.instant(&query.to_string(), ago).ok()?;
    Some(!answer.elements.is_empty())
}

/// When the server last had such series.
fn history(live: &dyn Server, selector: &Selector) -> Option<String> {
    for (ago, when) in BEFORE {
        if exists(live, selector, ago)? {
            return Some(format!("the server had such series {when}"));
        }
    }
    Some("the server had none an hour, a day and a week ago, either".to_owned())
}

/// The values of a label, the commonest first.
fn values(live: &dyn Server, selector: &Selector, label: &str) -> Option<Vec<String>> {
    let query = format!("count by ({label}) ({})", Expr::from(selector.clone()));
    let mut elements = live.instant(&query, 0).ok()?.elements;
    elements.sort_by(|a, b| b.1.total_cmp(&a.1));
    let values = elements
        .into_iter()
        .filter_map(|(mut labels, _)| labels.remove(label));
    Some(values.collect())
}

fn known(label: &str, value: &str, values: &[String]) -> String {
    if let Some(meant) = did_you_mean(value, values.iter().map(String::as_str)) {
        return meant;
    }
    let named: Vec<_> = values
        .iter()
        .take(NAMED)
        .map(|value| format!("`{value}`"))
        .collect();
    let rest = values.len().saturating_sub(NAMED);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    format!("values of `{label}`: {}{more}", named.join(", "))
}

/// The name under which a store may keep a metric.
fn spelled(live: &dyn Server, name: &str) -> Option<Option<String>> {
    let total = match name.strip_suffix("_total") {
        Some(without) => without.to_owned(),
        None => format!("{name}_total"),
    };
    let colon = name.replacen('_', ":", 1);
    for other in [name.replace(':', "_"), total, colon] {
        if other != name && exists(live, &build::metric(&other), 0)? {
            return Some(Some(other));
        }
    }
    Some(None)
}
