//! Events from evaluation to evaluation, of which none is lost to a gap between scrapes.
//!
//! `rate(m[5m])` counts between samples inside its window, so each sum of such rates loses what was counted while no page
//! was read for minutes. `last_over_time(m[1h]) - last_over_time(m[1h] offset 1m)` of each minute together lose nothing.

use super::{bin, range, time};
use crate::promql::ast::{AtOffset, BinaryOp, Call, Expr, ExprKind, RangeSelector, Selector};
use crate::promql::{build, visit};
use crate::units::Duration;

/// The longest gap: a series, or a target, that was away for less is not new.
pub(super) const REMEMBERED: Duration = Duration::from_secs(3_600);

/// A sample is stored this long after its time at the latest: as long as a scrape may take.
pub(super) const STORED: Duration = Duration::from_secs(10);

/// Replaces each rate and increase of series as they are now.
pub(super) fn each_rate(mut expr: Expr, replace: &mut dyn FnMut(&Selector) -> Expr) -> Expr {
    visit::walk_mut(&mut expr, &mut |node| {
        if let ExprKind::Call(call) = &node.kind
            && let Some(range) = counted(call)
        {
            *node = replace(&range.selector);
        }
    });
    expr
}

/// What a rate or an increase is taken of.
fn counted(call: &Call) -> Option<&RangeSelector> {
    let is_rate = matches!(call.function.text.as_str(), "rate" | "increase");
    match call.args.first().map(|arg| &arg.kind) {
        Some(ExprKind::Range(range)) if is_rate && range.selector.at == AtOffset::default() => {
            Some(range)
        }
        _ => None,
    }
}

/// The events that rates count over a window, with those counted while nothing was read.
pub(super) fn events(rates: Expr, window: Duration) -> Expr {
    each_rate(rates, &mut |selector| grown(selector, window))
}

/// True where all that an expression reads over `$window` are rates and increases of series as they are now.
pub(super) fn counts(expr: &Expr) -> bool {
    let mut ranges = 0;
    visit::walk(expr, &mut |node| match &node.kind {
        ExprKind::Range(_) | ExprKind::Subquery(_) | ExprKind::Selector(_) => ranges += 1,
        ExprKind::Call(call) if counted(call).is_some() => ranges -= 1,
        _ => {}
    });
    ranges == 0
}

/// From the last value before a time to the last one in it. Where a process restarted in this time, up to its highest value
/// and from zero again; where it restarted before the first sample, from zero; of a younger series, from the first sample.
fn grown(selector: &Selector, window: Duration) -> Expr {
    let end = selector.clone().offset(time(STORED));
    let over = |function, selector, window| build::call(function, [range(selector, window)]);
    let inside = |function| over(function, end.clone(), window);
    let now = over("last_over_time", end.clone(), REMEMBERED);
    let then = Duration::from_secs(window.as_secs() + STORED.as_secs());
    let then = selector.clone().offset(time(then));
    let then = over("last_over_time", then, REMEMBERED);
    let zero = || build::number("0");
    let more = bin(BinaryOp::Sub, now.clone(), then.clone());
    let more = bin(BinaryOp::Ge, more, zero());
    let restarts = bin(BinaryOp::Gt, inside("resets"), zero());
    let lower = bin(BinaryOp::Lt, inside("min_over_time"), then.clone());
    let begun = bin(BinaryOp::Or, restarts.clone(), lower);
    let more = bin(BinaryOp::Unless, more, begun);
    let before = bin(BinaryOp::Sub, inside("max_over_time"), then.clone());
    let before = build::call("clamp_min", vec![before, zero()]);
    let again = bin(BinaryOp::Add, now.clone(), before);
    let again = bin(BinaryOp::And, again, restarts);
    let anew = bin(BinaryOp::And, now, then);
    let young = bin(
        BinaryOp::Sub,
        inside("last_over_time"),
        inside("min_over_time"),
    );
    let parts = [again, anew, young].into_iter();
    parts.fold(more, |all, part| bin(BinaryOp::Or, all, part))
}
