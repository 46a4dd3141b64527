//! Conditions on vLLM's metrics that a signal of the library expresses.

use super::print::{Map, Value};
use crate::library;
use crate::promql::ast::{BinaryOp, Expr, ExprKind};
use crate::promql::{self, visit};
use crate::resolve::{self, Options};
use crate::source::FileId;
use crate::spec::{self, API_VERSION};
use crate::units::Unit;

/// Longer than any query: it is printed on one line.
const WIDTH: usize = usize::MAX;

/// The condition in words of the spec, where it gives exactly the same query on these releases.
pub(super) fn condition(vllm: &str, text: &str) -> Option<Map> {
    let expr = promql::parse(text).ok()?;
    let ExprKind::Binary(comparison) = &visit::bare(&expr).kind else {
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
    let wanted = promql::pretty(visit::bare(&expr), WIDTH);
    for (name, unit) in candidates(text) {
        for (stat, rate) in stats(&expr) {
            let mut when = Map::default();
            when.put("signal", name.as_str());
            when.maybe("stat", stat.as_ref());
            if let Some(window) = window(&expr) {
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

/// Signals whose family is in a query.
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
                let percent = crate::units::parse_decimal(&share.text).map(|share| share * 100);
                if let Ok(percent) = percent {
                    found.push((Some(format!("p{}", crate::units::decimal(percent))), false));
                }
                return;
            }
            _ => return,
        };
        found.push((Some(stat.to_owned()), stat == "rate"));
    });
    found
}

/// The first window in a query.
fn window(expr: &Expr) -> Option<String> {
    let mut found = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Range(range) = &node.kind {
            found.get_or_insert_with(|| range.range.text.clone());
        }
    });
    found
}

/// A number with its unit.
fn quantity(number: &str, unit: Option<Unit>, is_rate: bool) -> Option<String> {
    let value = match unit {
        Some(Unit::Seconds) => format!("{number}s"),
        Some(Unit::Ratio) => {
            let share = crate::units::parse_decimal(number).ok()?;
            format!("{}%", crate::units::decimal(share * 100))
        }
        Some(Unit::Bytes) => format!("{number}B"),
        _ => number.to_owned(),
    };
    Some(if is_rate { format!("{value}/s") } else { value })
}

/// The query that a build makes of a condition.
fn query(vllm: &str, when: &Map) -> Option<String> {
    const URL: &str = "https://a.example";
    let mut of = Map::default();
    let mut head = |key: &str, fields: &[(&str, &str)]| {
        let mut map = Map::default();
        fields.iter().for_each(|(name, text)| map.put(name, *text));
        of.put(key, map);
    };
    head("service", &[("name", "a")]);
    head("runtime", &[("vllm", vllm)]);
    head("links", &[("runbooks", URL), ("grafana", URL)]);
    of.put("apiVersion", API_VERSION);
    let mut alert = Map::default();
    alert.put("severity", "critical");
    alert.put("when", when.clone());
    let mut alerts = Map::default();
    alerts.put("A", alert);
    of.put("alerts", alerts);
    let document = spec::read(FileId(0), &of.text(0)).ok()?;
    let (plan, _) = resolve::resolve(&document, Options::default()).ok()?;
    let expr = &plan.alerts.first()?.condition.query().expr;
    Some(promql::pretty(visit::bare(expr), WIDTH))
}
