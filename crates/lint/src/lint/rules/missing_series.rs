//! Selectors that select nothing on a running server.

use crate::lint::live::Server;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AtOffset, BinaryOp, Expr, ExprKind, MatchOp, Matcher, Selector};
use slosmith_promql::usage::is_call;
use slosmith_promql::{build, visit};
use slosmith_text::diag::{Fixes, Group, Severity, did_you_mean};

/// How long ago a series may have ended, and how this is said.
const BEFORE: [(&str, &str); 3] = [("1h", "hour"), ("1d", "day"), ("7d", "week")];

/// So many values of a label are named.
const NAMED: usize = 5;

declare_rule! {
    /// ### What it does
    ///
    /// With `--prometheus URL`, reports selectors that select no series on that server now. The finding is at the part of
    /// the selector that excludes all series: the name, a label or a value. It shows whether the server had such
    /// series in the last week, and which values the label has.
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
    /// - Matchers with dashboard variables are left out: with them, the selector selects less.
    /// - Not checked: selectors without a metric name, inside `absent` and `absent_over_time`, in an `or` that has a result,
    ///   `ALERTS`, and series that recording rules of the same run write.
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

/// Alerts, which no scrape brings.
const OF_RULES: [&str; 2] = ["ALERTS", "ALERTS_FOR_STATE"];

fn is_excused(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    let may_be_absent = |expr: &Expr| {
        let falls_back = match &expr.kind {
            ExprKind::Binary(b) => b.op == BinaryOp::Or && visit::needs_no_series(&b.rhs),
            _ => false,
        };
        falls_back || is_call(expr, "absent") || is_call(expr, "absent_over_time")
    };
    series.context.selector.metric.is_none()
        || OF_RULES.contains(&series.name)
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
    let selector = without_variables(series.context.selector);
    if has_data(cx, live, series, &selector)? {
        return Some(());
    }
    let name = series.name;
    if exists(live, &selector)? {
        let message =
            format!("the server has no data of `{name}` at the time that the selector reads");
        out.push(out.at(cx.span(&series.context.span), message));
        return Some(());
    }
    let with = |matchers: Vec<Matcher>| Selector {
        matchers,
        ..selector.clone()
    };
    if !exists(live, &with(Vec::new()))? {
        let message = format!("the server has no series of `{name}`");
        let help = match spelled(live, name)? {
            Some(other) => format!("the server has `{other}`"),
            None => history(live, &with(Vec::new()))?,
        };
        out.push(out.at(cx.span(&series.name_span), message).help(help));
        return Some(());
    }
    let past = history(live, &selector)?;
    for matcher in &selector.matchers {
        if !exists(live, &with(vec![matcher.clone()]))? {
            let (label, op, value) = (
                &matcher.label.text,
                matcher.op.symbol(),
                &matcher.value.value,
            );
            let message = format!("no series of `{name}` has `{label}{op}\"{value}\"`");
            let values = values(live, &with(Vec::new()), label)?;
            let (span, help) = match values.is_empty() {
                true => (
                    &matcher.label.span,
                    format!("its series have no label `{label}`"),
                ),
                false => (&matcher.value_span, known(matcher, &values)),
            };
            out.push(out.at(cx.span(span), message).help(help).help(past));
            return Some(());
        }
    }
    let message = format!("no series of `{name}` meets all matchers of the selector");
    out.push(out.at(cx.span(&series.context.span), message).help(past));
    Some(())
}

/// What of a selector does not depend on a dashboard, now: with more matchers, it selects less.
fn without_variables(selector: &Selector) -> Selector {
    let mut selector = Selector {
        at: AtOffset::default(),
        filters: Default::default(),
        ..selector.clone()
    };
    selector
        .matchers
        .retain(|matcher| matcher.value.placeholders.is_empty());
    selector
}

/// Whether a query finds data where it looks for it: in its range, before its offset, or in an alternative of an `or`.
fn has_data(
    cx: &QueryCx<'_, '_>,
    live: &dyn Server,
    series: &Series<'_, '_>,
    selector: &Selector,
) -> Option<bool> {
    let context = &series.context;
    let is_whole = *selector
        == Selector {
            at: AtOffset::default(),
            ..context.selector.clone()
        };
    let text = cx.text(&context.span);
    let has_variable = || visit::placeholders(cx.expr).next().is_some();
    let subquery = context.ancestors().find_map(|expr| match &expr.kind {
        ExprKind::Subquery(subquery) => Some(&subquery.range),
        _ => None,
    });
    let query = match (context.range, subquery) {
        _ if !is_whole || has_variable() => return exists(live, selector),
        (Some(_), _) => format!("count(last_over_time({text}))"),
        (None, Some(range)) => format!(
            "count(last_over_time({}[{}ms]))",
            Expr::from(selector.clone()),
            range.millis
        ),
        (None, None) => format!("count({text})"),
    };
    if !live.instant(&query).ok()?.elements.is_empty() {
        return Some(true);
    }
    for ancestor in context.ancestors() {
        if matches!(&ancestor.kind, ExprKind::Binary(b) if b.op == BinaryOp::Or) {
            let query = format!("count({})", cx.text(&ancestor.span));
            if !live.instant(&query).ok()?.elements.is_empty() {
                return Some(true);
            }
        }
    }
    Some(false)
}

fn exists(live: &dyn Server, selector: &Selector) -> Option<bool> {
    let query = build::call("count", [Expr::from(selector.clone())]);
    let answer = live.instant(&query.to_string()).ok()?;
    Some(!answer.elements.is_empty())
}

/// When the server last had such series.
fn history(live: &dyn Server, selector: &Selector) -> Option<String> {
    for (range, when) in BEFORE {
        let query = format!(
            "count(last_over_time({}[{range}]))",
            Expr::from(selector.clone())
        );
        if !live.instant(&query).ok()?.elements.is_empty() {
            return Some(format!("the server had such series in the last {when}"));
        }
    }
    Some("the server had none in the last week".to_owned())
}

/// The values of a label, the commonest first.
fn values(live: &dyn Server, selector: &Selector, label: &str) -> Option<Vec<String>> {
    let query = format!("count by ({label}) ({})", Expr::from(selector.clone()));
    let mut elements = live.instant(&query).ok()?.elements;
    elements.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let values = elements
        .into_iter()
        .filter_map(|(mut labels, _)| labels.remove(label));
    Some(values.collect())
}

fn known(matcher: &Matcher, values: &[String]) -> String {
    let (label, value) = (&matcher.label.text, &matcher.value.value);
    // Numbers are near each other without being meant.
    let is_word = !value.bytes().any(|b| b.is_ascii_digit()) && matcher.op == MatchOp::Equal;
    let meant = did_you_mean(value, values.iter().map(String::as_str));
    if let Some(meant) = meant.filter(|_| is_word) {
        return meant;
    }
    let named = values.iter().take(NAMED);
    let named: Vec<_> = named.map(|value| format!("`{value}`")).collect();
    let rest = values.len().saturating_sub(NAMED);
    let more = match rest {
        0 => String::new(),
        _ => format!(" and {rest} more"),
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
        if other != name && exists(live, &build::metric(&other))? {
            return Some(Some(other));
        }
    }
    Some(None)
}
