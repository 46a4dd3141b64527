//! Alarms on PromQL, for metrics that arrive by OpenTelemetry.

use crate::plan::cloudwatch::PromQl;
use crate::promql;
use crate::promql::ast::{Expr, ExprKind};
use crate::units::Duration;

/// Characters of a query.
const LONGEST: usize = 10_000;

/// How far a query may look back: the documentation speaks of scan windows of 24 hours.
pub(super) const FARTHEST: Duration = Duration::from_secs(86_400);

/// Seconds between two looks.
const INTERVAL: u64 = 60;

/// The alarm on a query that needs no recorded series.
///
/// # Errors
/// Says why CloudWatch would refuse it.
pub(super) fn alarm(query: &Expr, hold: Duration) -> Result<PromQl, String> {
    let far = look_back(query);
    if far > FARTHEST.as_secs() * 1_000 {
        let far = Duration::from_secs(far / 1_000);
        return Err(format!("a PromQL alarm looks back {FARTHEST}, not {far}"));
    }
    let text = query.to_string();
    if text.chars().count() > LONGEST {
        return Err(format!("its query has more than {LONGEST} characters"));
    }
    Ok(PromQl {
        query: text,
        pending: hold.as_secs(),
        interval: INTERVAL,
    })
}

/// What is known of such queries.
pub(super) fn notes(query: &Expr) -> Vec<String> {
    let mut counts = false;
    promql::visit::walk(query, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            counts |= matches!(call.function.text.as_str(), "rate" | "increase");
        }
    });
    let note = "`rate()` of counters that arrive by OpenTelemetry is unproven: they may come as differences";
    counts.then(|| note.to_owned()).into_iter().collect()
}

/// Milliseconds from the evaluation to the oldest sample it reads.
fn look_back(expr: &Expr) -> u64 {
    let own = match &expr.kind {
        ExprKind::Range(range) => range.range.millis + shift(range.selector.at.offset.as_ref()),
        ExprKind::Selector(selector) => shift(selector.at.offset.as_ref()),
        ExprKind::Subquery(sub) => sub.range.millis + shift(sub.at.offset.as_ref()),
        _ => 0,
    };
    let inner = promql::visit::children(expr)
        .map(look_back)
        .max()
        .unwrap_or(0);
    u64::try_from(own).unwrap_or(0) + inner
}

fn shift(offset: Option<&promql::ast::Duration>) -> i64 {
    offset.map_or(0, |offset| offset.millis)
}
