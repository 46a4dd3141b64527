//! Conditions and series of panels on vLLM's metrics that a signal of the library expresses.

use super::print::{Map, Value};
use slosmith_plan::plan::{Plan, marker};
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith_promql::{self as promql, visit};
use slosmith_resolve::{self as resolve, Options};
use slosmith_spec::library;
use slosmith_spec::spec::{self, API_VERSION};
use slosmith_text::diag::{Diagnostic, Severity, Sink};
use slosmith_text::source::{FileId, Span};
use slosmith_text::units::Unit;

/// Longer than any query: it is printed on one line.
const WIDTH: usize = usize::MAX;

/// The window that follows the zoom of a graph in Grafana.
pub(super) const RATE_INTERVAL: &str = "$__rate_interval";

/// A query of an alert in words of the spec, where it gives exactly the same query on these releases.
pub(super) fn condition(vllm: &str, expr: &Expr) -> Option<Map> {
    let ExprKind::Binary(comparison) = &visit::bare(expr).kind else {
        return None;
    };
    let bound = match comparison.op {
        BinaryOp::Gt => "above",
        BinaryOp::Lt => "below",
        BinaryOp::Ge => "at_least",
        BinaryOp::Le => "at_most",
        _ => return None,
    };
    let ExprKind::Number(number) = &visit::bare(&comparison.rhs).kind else {
        return None;
    };
    let by = promql::kept_labels(&comparison.lhs).names()?;
    let wanted = promql::pretty(visit::bare(expr), WIDTH);
    for (name, unit) in candidates(&wanted) {
        for (stat, rate) in stats(expr) {
            let mut when = Map::default();
            when.put("signal", name.as_str());
            when.maybe("stat", stat.as_ref());
            if let Some(window) = window(expr) {
                when.put("window", Value::word(window));
            }
            when.put("by", Value::texts(&by));
            let value = quantity(&number.text, unit, rate)?;
            when.put(bound, Value::word(value));
            if query(vllm, &when).as_deref() == Some(&wanted) {
                return Some(when);
            }
        }
    }
    None
}

fn candidates(text: &str) -> Vec<(String, Option<Unit>)> {
    let names = library::names().into_iter();
    let found = names.filter_map(|name| {
        let metric = library::signal(&name)?
            .prometheus
            .as_ref()?
            .value
            .metric
            .as_ref()?;
        let is_in = text.contains(metric.value.as_str());
        is_in.then(|| (name.clone(), library::unit(&metric.value)))
    });
    found.collect()
}

/// Statistics that may be meant, and whether their values are rates.
fn stats(expr: &Expr) -> Vec<(Option<String>, bool)> {
    let mut found = vec![(None, false)];
    visit::walk(expr, &mut |node| {
        let ExprKind::Call(call) = &node.kind else {
            return;
        };
        let stat = match call.function.text.as_str() {
            "avg_over_time" => "avg",
            "min_over_time" => "min",
            "max_over_time" => "max",
            "increase" => "increase",
            "rate" => "rate",
            "histogram_quantile" => {
                let share = call.args.first().map(|share| &visit::bare(share).kind);
                let Some(ExprKind::Number(share)) = share else {
                    return;
                };
                let percent =
                    slosmith_text::units::parse_decimal(&share.text).map(|share| share * 100);
                if let Ok(percent) = percent {
                    found.push((
                        Some(format!("p{}", slosmith_text::units::decimal(percent))),
                        false,
                    ));
                }
                return;
            }
            _ => return,
        };
        found.push((Some(stat.to_owned()), stat == "rate"));
    });
    found
}

fn window(expr: &Expr) -> Option<String> {
    let mut found = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Range(range) = &node.kind {
            found.get_or_insert_with(|| range.range.text.clone());
        }
    });
    found
}

pub(super) fn quantity(number: &str, unit: Option<Unit>, is_rate: bool) -> Option<String> {
    let value = match unit {
        Some(Unit::Seconds) => format!("{number}s"),
        Some(Unit::Ratio) => {
            let share = slosmith_text::units::parse_decimal(number).ok()?;
            format!("{}%", slosmith_text::units::decimal(share * 100))
        }
        Some(Unit::Bytes) => format!("{number}B"),
        _ => number.to_owned(),
    };
    Some(if is_rate { format!("{value}/s") } else { value })
}

/// A series of a panel in words of the spec, where it gives exactly the same query on these releases. Variables of the
/// query are called as their labels are.
pub(super) fn series(vllm: &str, expr: &Expr, variables: &[String]) -> Option<Map> {
    let mut expr = expr.clone();
    sort_matchers(&mut expr);
    let by = promql::kept_labels(&expr).names()?;
    let wanted = promql::pretty(visit::bare(&expr), WIDTH);
    for (name, _) in candidates(&wanted) {
        for (stat, _) in stats(&expr) {
            let mut series = Map::default();
            series.put("signal", name.as_str());
            series.maybe("stat", stat.as_ref());
            let window = window(&expr).filter(|window| !window.starts_with('$'));
            series.maybe("window", window.as_ref());
            series.put("by", Value::texts(&by));
            if shown(vllm, &series, variables).as_deref() == Some(&wanted) {
                return Some(series);
            }
        }
    }
    None
}

/// The query that a build makes of a series of a panel, as Grafana has it.
fn shown(vllm: &str, series: &Map, variables: &[String]) -> Option<String> {
    let mut panel = Map::default();
    panel.put("title", "a");
    panel.put("series", Value::List(vec![Value::from(series.clone())]));
    let plan = resolve_with(vllm, "dashboards", dashboard_of(panel, variables)).ok()?;
    let panel = plan.dashboards.first()?.panels().next()?.clone();
    let mut expr = panel.series.first()?.query.expr.clone();
    sort_matchers(&mut expr);
    let text = promql::pretty(visit::bare(&expr), WIDTH);
    Some(
        text.replace("$__filter:", "$")
            .replace(marker::ZOOM, RATE_INTERVAL),
    )
}

pub(super) fn dashboard_of(panel: Map, variables: &[String]) -> Map {
    let mut row = Map::default();
    row.put("title", "a");
    row.put("panels", Value::List(vec![panel.into()]));
    let mut dashboard = Map::default();
    dashboard.put("variables", Value::texts(variables));
    dashboard.put("rows", Value::List(vec![row.into()]));
    let mut dashboards = Map::default();
    dashboards.put("a", dashboard);
    dashboards
}

fn sort_matchers(expr: &mut Expr) {
    visit::selectors_mut(expr, &mut |selector| {
        selector
            .matchers
            .sort_by(|a, b| a.label.text.cmp(&b.label.text));
    });
}

/// What a build makes of a spec with one field besides its head; else the first error.
pub(super) fn resolve_with(vllm: &str, key: &str, value: Map) -> Result<Plan, Diagnostic> {
    const URL: &str = "https://a.example";
    let mut of = Map::default();
    let mut head = |key: &str, fields: &[(&str, &str)]| {
        let mut map = Map::default();
        fields.iter().for_each(|(name, text)| map.put(name, *text));
        of.put(key, map);
    };
    head("service", &[("name", "a")]);
    if !vllm.is_empty() {
        head("runtime", &[("vllm", vllm)]);
    }
    head("links", &[("runbooks", URL), ("grafana", URL)]);
    of.put("apiVersion", API_VERSION);
    of.put(key, value);
    let document = spec::read(FileId(0), &of.text(0));
    let plan = document.and_then(|document| resolve::resolve(&document, Options::default()));
    plan.map(|(plan, _)| plan).map_err(first_error)
}

pub(super) fn first_error(found: Sink) -> Diagnostic {
    let mut found = found.into_sorted().into_iter();
    found
        .find(|found| found.severity == Severity::Error)
        .unwrap_or_else(|| {
            Diagnostic::error(
                "refused",
                Span::new(FileId(0), 0..0),
                "the spec does not build",
            )
        })
}

fn query(vllm: &str, when: &Map) -> Option<String> {
    let mut alert = Map::default();
    alert.put("severity", "critical");
    alert.put("when", when.clone());
    let mut alerts = Map::default();
    alerts.put("A", alert);
    let plan = resolve_with(vllm, "alerts", alerts).ok()?;
    let expr = &plan.alerts.first()?.condition.query().expr;
    Some(promql::pretty(visit::bare(expr), WIDTH))
}
