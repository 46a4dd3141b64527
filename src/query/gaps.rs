//! Rates that lose no event to a gap between scrapes, for sums over time.
//!
//! `rate(m[5m])` counts between samples inside its window, so each sum of such rates loses what was counted while no page
//! was read for minutes. `last_over_time(m[1h]) - last_over_time(m[1h] offset 5m)` of each minute together lose nothing.

use super::{bin, range, time};
use crate::promql::ast::{BinaryOp, Call, Expr, ExprKind, RangeSelector, Selector};
use crate::promql::{build, visit};
use crate::units::Duration;

/// The longest gap.
const LONGEST: Duration = super::new::REMEMBERED;

/// Replaces each rate and increase of series.
pub(super) fn each_rate(mut expr: Expr, replace: &mut dyn FnMut(&Call, &Selector) -> Expr) -> Expr {
    visit::walk_mut(&mut expr, &mut |node| {
        if let ExprKind::Call(call) = &node.kind
            && let Some(range) = counted(call)
        {
            *node = replace(call, &range.selector);
        }
    });
    expr
}

/// What a rate or an increase is taken of.
fn counted(call: &Call) -> Option<&RangeSelector> {
    let is_rate = matches!(call.function.text.as_str(), "rate" | "increase");
    match call.args.first().map(|arg| &arg.kind) {
        Some(ExprKind::Range(range)) if is_rate => Some(range),
        _ => None,
    }
}

/// Rates over a window, with what was counted while nothing was read.
pub(super) fn bridged(rates: Expr, window: Duration) -> Expr {
    each_rate(rates, &mut |call, selector| {
        let known = selector.at.offset.is_none() && selector.at.at.is_none();
        let whole = counted(call).is_some_and(|range| range.range.millis == time(window).millis);
        if !known || !whole {
            return ExprKind::Call(Box::new(call.clone())).into();
        }
        let events = grown(selector, window);
        match call.function.text.as_str() {
            "rate" => {
                let seconds = build::number(window.as_secs().to_string());
                bin(BinaryOp::Div, events, seconds)
            }
            _ => events,
        }
    })
}

/// From the last value before the window to the last one in it. A new process begins at zero; where one began in the
/// window, and for a series that is younger, Prometheus counts.
fn grown(selector: &Selector, window: Duration) -> Expr {
    let last = |selector| build::call("last_over_time", [range(selector, LONGEST)]);
    let (now, then) = (
        last(selector.clone()),
        last(selector.clone().offset(time(window))),
    );
    let more = bin(BinaryOp::Sub, now.clone(), then.clone());
    let more = bin(BinaryOp::Ge, more, build::number("0"));
    let known = bin(BinaryOp::Or, more, bin(BinaryOp::Lt, now, then));
    let inside = || [range(selector.clone(), window)];
    let resets = build::call("resets", inside());
    let restarted = bin(BinaryOp::Gt, resets, build::number("0"));
    let known = bin(BinaryOp::Unless, known, restarted);
    bin(BinaryOp::Or, known, build::call("increase", inside()))
}
