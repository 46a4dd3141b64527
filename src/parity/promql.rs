//! Alarms on PromQL, for metrics that arrive by OpenTelemetry.
//!
//! `histogram_quantile(0.95, …) > 3` for five minutes is looked at each minute, and pends for 300 seconds.

use crate::cloudwatch::limits;
use crate::plan::cloudwatch::{Difference, NotExpressible, PromQl};
use crate::promql;
use crate::promql::ast::{Expr, ExprKind};
use crate::promql::visit::selectors;
use crate::units::Duration;

/// How far a query may look back: the documentation gives scan windows of 24 hours.
pub(super) const FARTHEST: Duration = Duration::from_secs(86_400);

/// Seconds between two looks.
const INTERVAL: u64 = 60;

/// The alarm on a query.
///
/// # Errors
/// Says why CloudWatch would reject it, or never have what it reads.
pub(super) fn alarm(query: &Expr, hold: Duration) -> Result<PromQl, NotExpressible> {
    if let Some(name) = record(query) {
        return Err(NotExpressible::ReadsRecord(name));
    }
    let far = look_back(query);
    if far > FARTHEST.as_secs() * 1_000 {
        return Err(NotExpressible::PromQlBeyond {
            most: FARTHEST,
            wanted: Duration::from_secs(far / 1_000),
        });
    }
    let text = query.to_string();
    if text.chars().count() > limits::PROMQL {
        return Err(NotExpressible::QueryTooLong(limits::PROMQL));
    }
    Ok(PromQl {
        query: text,
        pending: hold.as_secs(),
        interval: INTERVAL,
    })
}

/// A series that by its name, `level:metric:operation`, comes of a recording rule: pages have none.
pub(super) fn record(query: &Expr) -> Option<String> {
    let names = selectors(query);
    let names = names.iter().filter_map(|selector| selector.metric.as_ref());
    let mut names = names.map(|name| name.text.as_str());
    let record = names.find(|name| name.matches(':').count() > 1)?;
    Some(record.to_owned())
}

/// What is not known of such a query.
pub(super) fn difference(query: &Expr) -> Option<Difference> {
    let mut counts = false;
    promql::visit::walk(query, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            counts |= matches!(call.function.text.as_str(), "rate" | "increase");
        }
    });
    counts.then_some(Difference::UnprovenRate)
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
        .map(|child| promql::with_room(|| look_back(child)))
        .max()
        .unwrap_or(0);
    u64::try_from(own).unwrap_or(0) + inner
}

fn shift(offset: Option<&promql::ast::Duration>) -> i64 {
    offset.map_or(0, |offset| offset.millis)
}
