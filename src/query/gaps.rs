//! Rates that lose no event to a gap between scrapes, for sums over time.
//!
//! `rate(m[5m])` counts between samples inside its window, so each sum of such rates loses what was counted while no page
//! was read for minutes. `last_over_time(m[1h]) - last_over_time(m[1h] offset 1m)` of each minute together lose nothing.

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

/// The events that rates count over a window, with those counted while nothing was read.
pub(super) fn events(rates: Expr, window: Duration) -> Expr {
    each_rate(rates, &mut |_, selector| grown(selector, window))
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

/// From the last value before the window to the last one in it: of a series that is younger, from the first one. Where a
/// process restarted, up to its highest value, and from zero again.
fn grown(selector: &Selector, window: Duration) -> Expr {
    let over = |function, selector, window| build::call(function, [range(selector, window)]);
    let inside = |function| over(function, selector.clone(), window);
    let now = over("last_over_time", selector.clone(), LONGEST);
    let then = selector.clone().offset(time(window));
    let then = over("last_over_time", then, LONGEST);
    let zero = || build::number("0");
    let more = bin(BinaryOp::Sub, now.clone(), then.clone());
    let more = bin(BinaryOp::Ge, more, zero());
    let restarts = bin(BinaryOp::Gt, inside("resets"), zero());
    let more = bin(BinaryOp::Unless, more, restarts);
    let before = bin(BinaryOp::Sub, inside("max_over_time"), then);
    let before = build::call("clamp_min", vec![before, zero()]);
    let again = bin(BinaryOp::Add, now, before);
    let young = bin(
        BinaryOp::Sub,
        inside("last_over_time"),
        inside("min_over_time"),
    );
    bin(BinaryOp::Or, bin(BinaryOp::Or, more, again), young)
}
