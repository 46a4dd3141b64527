//! How often an alert would have fired with other thresholds and holding times.

use std::cmp::Ordering;

use slosmith_promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith_promql::visit;
use slosmith_text::units::Duration;

use crate::report::Curve;
use crate::tries::with_numbers;

/// Thresholds beside the one of the spec, as parts of it.
const PARTS: [f64; 10] = [0.5, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0];

/// Holding times beside the one of the spec, as parts of it.
const TIMES: [f64; 4] = [0.0, 0.5, 2.0, 4.0];

/// Of an expression that is a comparison with a number, as it is evaluated here; empty for others. `fired` tells how often a rule
/// fired with such an expression and holding time; `None` where the expression is not evaluated here.
pub(crate) fn curve(
    expr: &Expr,
    hold: Duration,
    fired: impl Fn(&Expr, Duration) -> Option<usize>,
) -> Option<Vec<Curve>> {
    let ExprKind::Binary(comparison) = &visit::bare(expr).kind else {
        return Some(Vec::new());
    };
    let ExprKind::Number(own) = &visit::bare(&comparison.rhs).kind else {
        return Some(Vec::new());
    };
    // A threshold of 0 has no parts, and equality no neighbours.
    let is_bound = comparison.op.is_comparison()
        && !matches!(comparison.op, BinaryOp::Eq | BinaryOp::Ne)
        && own.value != 0.0;
    if !is_bound {
        return Some(Vec::new());
    }
    let count = |(threshold, time): (f64, Duration)| {
        let expr = with_numbers(expr, &mut |_, _, _| threshold);
        Some(Curve {
            threshold,
            r#for: time.as_secs(),
            firings: fired(&expr, time)?,
            own: threshold == own.value && time == hold,
        })
    };
    let thresholds = PARTS.into_iter().map(|part| (own.value * part, hold));
    let times = TIMES.into_iter().map(|part| {
        let seconds = (hold.as_secs() as f64 * part).round() as u64;
        (own.value, Duration::from_secs(seconds))
    });
    let all = [(own.value, hold)].into_iter().chain(thresholds);
    let all = all.chain(times.filter(|(_, time)| *time != hold));
    let mut all: Vec<_> = all.map(count).collect::<Option<_>>()?;
    all.sort_by(|a, b| {
        (a.threshold, a.r#for)
            .partial_cmp(&(b.threshold, b.r#for))
            .unwrap_or(Ordering::Equal)
    });
    Some(all)
}
