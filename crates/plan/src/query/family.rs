//! Series of a family, under each name it has in the range.

use super::{REMEMBERED, bin, range_over, sum, time};
use crate::plan::{Bucket, DEFAULT_WINDOW, Family, Window};
use slosmith_catalog::Series;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::build;
use slosmith_spec::spec::Stat;
use slosmith_text::units::Duration;

/// A series of a family, over some time, some time ago.
pub(super) struct Over {
    pub(super) window: Window,
    pub(super) ago: Option<Duration>,
    pub(super) series: Series,
}

/// Observations per second in the bucket of `le`.
pub fn bucket_rate(family: &Family, bucket: &Bucket, window: Duration, labels: &[String]) -> Expr {
    sum(labels, of_bucket(family, "rate", bucket, window))
}

/// Observations per second of the histograms that have a bucket: of all values, or of those in the bucket. A histogram that goes on
/// without its bucket is not measured any more, and one that gets it is measured when it has had the bucket for the window.
pub(super) fn measured(
    family: &Family,
    bucket: &Bucket,
    window: Duration,
    labels: &[String],
) -> [Expr; 2] {
    let narrowed = within(family, bucket);
    let lacking = |ago| {
        let at = |family, series| {
            let over = Over {
                ago,
                ..last(series)
            };
            alternatives(family, |name| instant(family, name, &over))
        };
        let goes_on = at(family, family.counted());
        let lacking = build::binary(BinaryOp::Unless, goes_on, at(&narrowed, Series::Bucket));
        Expr::from(lacking.ignoring(&["le"]))
    };
    let mut lacking = vec![lacking(None), lacking(Some(window))];
    if bucket.op == MatchOp::Match {
        lacking.push(respelled(&narrowed, window));
    }
    let rates = [
        counted(family, (BinaryOp::And, bucket), window),
        of_bucket(family, "rate", bucket, window),
    ];
    rates.map(|rates| {
        let measured = lacking.iter().fold(rates, |rates, lacking| {
            let rates = build::binary(BinaryOp::Unless, rates, lacking.clone());
            rates.ignoring(&["le"]).into()
        });
        sum(labels, measured)
    })
}

/// Buckets whose `le` has changed from one spelling to the other: Prometheus 3 stores `1` as `1.0`. What was counted between the
/// last sample of the old one and the first of the new one is not known.
fn respelled(narrowed: &Family, window: Duration) -> Expr {
    let before = || {
        let over = Over {
            window: Window::Fixed(REMEMBERED),
            ago: Some(window),
            series: Series::Bucket,
        };
        ranged(narrowed, "last_over_time", &over)
    };
    let now = alternatives(narrowed, |name| {
        instant(narrowed, name, &last(Series::Bucket))
    });
    let new = bin(BinaryOp::Unless, now, before());
    let respelled = build::binary(BinaryOp::And, new, before());
    respelled.ignoring(&["le"]).into()
}

/// Observations per second of the histograms that lack a bucket.
pub(super) fn unmeasured(
    family: &Family,
    bucket: &Bucket,
    window: Duration,
    labels: &[String],
) -> Expr {
    sum(labels, counted(family, (BinaryOp::Unless, bucket), window))
}

/// Observations per second of the histograms that have a bucket (`And`), or of those that lack it (`Unless`).
fn counted(family: &Family, (which, bucket): (BinaryOp, &Bucket), window: Duration) -> Expr {
    let over = Over {
        window: Window::Fixed(window),
        ..last(family.counted())
    };
    let buckets = of_bucket(family, "last_over_time", bucket, window);
    let all = build::binary(which, rate(family, &over), buckets);
    all.ignoring(&["le"]).into()
}

fn of_bucket(family: &Family, function: &str, bucket: &Bucket, window: Duration) -> Expr {
    let over = Over {
        window: Window::Fixed(window),
        ..last(Series::Bucket)
    };
    ranged(&within(family, bucket), function, &over)
}

fn within(family: &Family, bucket: &Bucket) -> Family {
    let mut narrowed = family.clone();
    let le = ("le".into(), bucket.op, bucket.pattern.clone());
    narrowed.matchers.push(le);
    narrowed
}

/// The last samples.
fn last(series: Series) -> Over {
    Over {
        window: Window::Fixed(DEFAULT_WINDOW),
        ago: None,
        series,
    }
}

/// Series of a signal, without any stat: `group by (labels) (m)`.
pub fn presence(family: &Family, labels: &[String]) -> Expr {
    build::aggregate(AggregateOp::Group, labels, series(family, Expr::from))
}

/// True while no series of a signal exists: `absent(group(m))`.
pub fn silence(family: &Family) -> Expr {
    build::call("absent", [presence(family, &[])])
}

/// How many series of a signal there are: `count by (labels) (m)`.
pub fn number_of_series(family: &Family, labels: &[String]) -> Expr {
    build::aggregate(AggregateOp::Count, labels, series(family, Expr::from))
}

/// What is made of the series that count a family's events, or of the gauge itself.
pub(super) fn series(family: &Family, of: impl Fn(Selector) -> Expr) -> Expr {
    let over = last(family.counted());
    alternatives(family, |name| of(selector(family, name, &over)))
}

pub(super) fn rate(family: &Family, over: &Over) -> Expr {
    ranged(family, "rate", over)
}

pub(super) fn over_time(family: &Family, stat: Stat, over: &Over) -> Expr {
    match stat {
        Stat::Last | Stat::Quantile(_) => alternatives(family, |name| instant(family, name, over)),
        other => ranged(family, range_function(other), over),
    }
}

pub(super) fn range_function(stat: Stat) -> &'static str {
    match stat {
        Stat::Last | Stat::Quantile(_) => "last_over_time",
        Stat::Avg => "avg_over_time",
        Stat::Min => "min_over_time",
        Stat::Max => "max_over_time",
        Stat::Rate => "rate",
        Stat::Increase => "increase",
        Stat::Slope => "deriv",
    }
}

pub(super) fn ranged(family: &Family, function: &str, over: &Over) -> Expr {
    alternatives(family, |name| {
        let range = range_over(selector(family, name, over), over.window);
        build::call(function, vec![range])
    })
}

fn instant(family: &Family, name: &str, over: &Over) -> Expr {
    selector(family, name, over).into()
}

fn selector(family: &Family, name: &str, over: &Over) -> Selector {
    let series = format!("{name}{}", over.series.suffix());
    let metric = build::metric(&series).with_matchers(&family.matchers);
    match over.ago {
        Some(ago) => metric.offset(time(ago)),
        None => metric,
    }
}

fn alternatives(family: &Family, make: impl Fn(&str) -> Expr) -> Expr {
    let older = family.names.iter().skip(1);
    older.fold(make(family.names.newest()), |so_far, name| {
        bin(BinaryOp::Or, so_far, make(name))
    })
}
