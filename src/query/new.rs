//! What series count already when Prometheus first sees them.
//!
//! `rate(m[5m])` becomes `(m unless last_over_time(m[1h] offset 5m)) / 300 and on (cluster) group by (cluster) (m offset 5m)
//! or rate(m[5m])`: a series that was not there five minutes ago has counted all of its value since. A group of which
//! nothing was there then may be new to Prometheus alone, so its rates stay as they are.

use super::{bin, family, range, time};
use crate::plan::Family;
use crate::promql::ast::{BinaryOp, Expr, ExprKind, Selector};
use crate::promql::build;
use crate::units::Duration;

/// A series that was away for less is not new.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// The expression with each rate over `window` so changed; `all` counts all events.
pub(super) fn counted(mut expr: Expr, all: &Family, window: Duration, labels: &[String]) -> Expr {
    let again = |expr: Expr| counted(expr, all, window, labels);
    let kind = match expr.take() {
        ExprKind::Call(call) if call.function.text == "rate" => {
            let selector = match call.args.first().map(|arg| &arg.kind) {
                Some(ExprKind::Range(range)) => Some(range.selector.clone()),
                _ => None,
            };
            let rate = Expr::from(ExprKind::Call(call));
            return match selector {
                Some(selector) => either(rate, &selector, all, window, labels),
                None => rate,
            };
        }
        ExprKind::Call(mut call) => {
            call.args = call.args.into_iter().map(again).collect();
            ExprKind::Call(call)
        }
        ExprKind::Aggregate(mut aggregate) => {
            *aggregate.expr = again(*aggregate.expr);
            ExprKind::Aggregate(aggregate)
        }
        ExprKind::Binary(mut binary) => {
            binary.lhs = again(binary.lhs);
            binary.rhs = again(binary.rhs);
            ExprKind::Binary(binary)
        }
        other => other,
    };
    kind.into()
}

fn either(
    rate: Expr,
    selector: &Selector,
    all: &Family,
    window: Duration,
    labels: &[String],
) -> Expr {
    let then = selector.clone().offset(time(window));
    let before = build::call("last_over_time", [range(then, REMEMBERED)]);
    let new = bin(BinaryOp::Unless, selector.clone().into(), before);
    let seconds = build::number(window.as_secs().to_string());
    let per_second = bin(BinaryOp::Div, new, seconds);
    let known = family::presence_ago(all, labels, window);
    let names: Vec<&str> = labels.iter().map(String::as_str).collect();
    let new = build::binary(BinaryOp::And, per_second, known).on(&names);
    bin(BinaryOp::Or, new.into(), rate)
}
