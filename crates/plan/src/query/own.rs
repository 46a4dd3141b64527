//! Signals by PromQL of the author's, as [`Raw`] describes them.

use super::{SignalQuery, bin, number, positive, range_function, sum, time};
use crate::plan::marker::{self, WINDOW, ZOOM};
use crate::plan::{Bucket, DEFAULT_WINDOW, Raw, Window};
use slosmith_catalog::Series;
use slosmith_promql::ast::{self, AtOffset, BinaryOp, Expr, ExprKind, Selector, Subquery};
use slosmith_promql::labels::Labels;
use slosmith_promql::{Kept, build, kept_labels, visit};
use slosmith_spec::spec::{FamilyKind, Stat};
use slosmith_text::units::Duration;

/// The value of a read signal, in the unit of its page.
pub(super) fn value(raw: &Raw, read: &SignalQuery<'_>, ago: Option<Duration>) -> Expr {
    let rate = |expr: &Expr, window, labels: &[String]| grouped(over(expr, window, ago), labels);
    let series = |series| rate(&of_series(&raw.expr, series), read.window, &read.labels);
    match (raw.kind, read.stat) {
        (FamilyKind::Gauge, _) => gauge(&raw.expr, read, ago),
        (FamilyKind::Histogram, Stat::Quantile(q)) => {
            let labels = with_le(&read.labels);
            let buckets = rate(&raw.expr, read.window, &labels);
            build::call("histogram_quantile", vec![number(q), buckets])
        }
        (FamilyKind::Histogram, Stat::Avg) => bin(
            BinaryOp::Div,
            series(Series::Sum),
            positive(series(Series::Count)),
        ),
        (_, Stat::Increase) => {
            let window = read.window.usual();
            let events = rate(&counted(raw), Window::Fixed(window), &read.labels);
            let seconds = build::number(window.as_secs().to_string());
            bin(BinaryOp::Mul, events, seconds)
        }
        _ => rate(&counted(raw), read.window, &read.labels),
    }
}

/// Observations per second in each bucket.
pub(super) fn buckets(raw: &Raw, window: Window) -> Expr {
    grouped(over(&raw.expr, window, None), &with_le(&[]))
}

/// Observations per second in one bucket over an objective's `$window`, per group.
pub fn own_bucket(raw: &Raw, within: &Bucket, labels: &[String]) -> Expr {
    let mut expr = without_le(&raw.expr);
    visit::selectors_mut(&mut expr, &mut |selector| {
        *selector = selector.clone().matcher("le", within.op, &within.pattern);
    });
    grouped(expr, labels)
}

/// What it counts per second, over `$window`.
fn counted(raw: &Raw) -> Expr {
    match raw.kind {
        FamilyKind::Histogram => of_series(&raw.expr, Series::Count),
        FamilyKind::Gauge | FamilyKind::Counter => raw.expr.clone(),
    }
}

/// The buckets of a histogram, read as another one of its series.
fn of_series(buckets: &Expr, series: Series) -> Expr {
    let mut expr = without_le(buckets);
    visit::selectors_mut(&mut expr, &mut |selector| {
        if let Some(metric) = &mut selector.metric {
            let family = metric.text.trim_end_matches(Series::Bucket.suffix());
            metric.text = format!("{family}{}", series.suffix());
        }
    });
    expr
}

fn without_le(buckets: &Expr) -> Expr {
    let mut expr = buckets.clone();
    visit::walk_mut(&mut expr, &mut |node| {
        if let ExprKind::Aggregate(aggregate) = &mut node.kind
            && let Some(grouping) = &mut aggregate.grouping
        {
            grouping.labels.retain(|label| label.text != "le");
        }
    });
    expr
}

/// With a window in place of `$window`, and perhaps as it was some time ago.
fn over(expr: &Expr, window: Window, ago: Option<Duration>) -> Expr {
    let mut expr = expr.clone();
    marker::windows(&mut expr, &mut |found| {
        if found.text == WINDOW {
            *found = match window {
                Window::Fixed(window) => time(window),
                Window::Zoom => ast::Duration::placeholder(ZOOM),
            };
        }
    });
    if let Some(ago) = ago {
        visit::selectors_mut(&mut expr, &mut |selector: &mut Selector| {
            selector.at.offset = Some(time(ago));
        });
    }
    expr
}

/// Summed by labels, where it does not keep these alone.
fn grouped(expr: Expr, labels: &[String]) -> Expr {
    let wanted: Labels = labels.iter().map(|label| label.as_str().into()).collect();
    match kept_labels(&expr) == Kept::Only(wanted) {
        true => expr,
        false => sum(labels, expr),
    }
}

fn with_le(labels: &[String]) -> Vec<String> {
    let le = std::iter::once("le".to_owned());
    le.chain(labels.iter().cloned()).collect()
}

fn gauge(expr: &Expr, read: &SignalQuery<'_>, ago: Option<Duration>) -> Expr {
    if read.stat == Stat::Last && ago.is_none() {
        return expr.clone();
    }
    let step = Some(DEFAULT_WINDOW).filter(|_| read.window.usual() > Duration::from_secs(86_400));
    let mut over = Subquery {
        expr: Box::new(expr.clone()),
        range: time(read.window.usual()),
        step: step.map(time),
        at: AtOffset::default(),
    };
    over.at.offset = ago.map(time);
    build::call(
        range_function(read.stat),
        [Expr::from(ExprKind::Subquery(Box::new(over)))],
    )
}
