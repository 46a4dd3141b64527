//! From a signal to PromQL: how it is read over time, how replicas and engines combine.
//!
//! The 95th percentile of a histogram that was renamed within the range is
//! `histogram_quantile(0.95, sum by (le, cluster) (rate(new_bucket[5m]) or rate(old_bucket[5m])))`: the alternatives are
//! joined with `or` per instance, before anything is summed. Joined after the sum, replicas on the old release would
//! vanish as soon as one runs the new.

mod bound;
mod events;
mod family;
mod growth;
mod own;

pub use bound::{compare, is_whole, operator, outside, per_time, times};
pub use events::{
    Events, Recorded, WITHOUT_STATUS, direct_enough, direct_ratio, direct_up_to, undecided,
    without_status,
};
pub use family::{bucket_rate, number_of_series, presence, silence};
pub use growth::NewSeries;
pub use own::own_bucket;

use family::{Over, over_time, range_function, ranged, rate};

use crate::plan::marker::{self, Spelling, WINDOW, ZOOM};
use crate::plan::{Family, Query, Signal, SignalKind, Source, Window};
use slosmith_catalog::Series;
use slosmith_promql::ast::{
    self, AggregateOp, AtOffset, BinaryOp, Expr, ExprKind, Selector, Subquery,
};
use slosmith_promql::build;
use slosmith_promql::usage::bare;
use slosmith_spec::spec::{Across, Stat};
use slosmith_text::units::{Duration, Number, Unit, decimal};

/// The longest gap: a series, or a target, that was away for less is not new.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// A signal with everything known that a query needs.
pub struct SignalQuery<'a> {
    /// The signal.
    pub signal: &'a Signal,
    /// How it is read over time.
    pub stat: Stat,
    /// Look-back.
    pub window: Window,
    /// Labels of the result.
    pub labels: Vec<String>,
}

/// The query of a read signal, perhaps as it was some time ago.
pub fn query(read: &SignalQuery<'_>, ago: Option<Duration>) -> Query {
    Query {
        expr: value(read, ago),
        labels: read.labels.clone(),
    }
}

/// The query of a value that is recorded. Where nothing was observed it has no element: NaN would stay in every mean
/// and deviation over it, until the last window that holds it has passed.
pub fn to_record(read: &SignalQuery<'_>) -> Query {
    let query = query(read, None);
    match may_be_nan(read.signal, read.stat) {
        true => Query {
            expr: without_nan(query.expr),
            ..query
        },
        false => query,
    }
}

/// Counters only grow, and nothing is divided by zero; a percentile of no observations, a gauge and the author's PromQL
/// can be NaN.
fn may_be_nan(signal: &Signal, stat: Stat) -> bool {
    let part = |signal: &Signal| may_be_nan(signal, signal.stat_in_ratio());
    match &signal.source {
        Source::Family(_) => !matches!(stat, Stat::Rate | Stat::Increase),
        Source::Ratio { of, over, before } => before.is_some() || part(of) || part(over),
        Source::Raw(_) => true,
    }
}

/// NaN is not even at least minus infinity.
fn without_nan(expr: Expr) -> Expr {
    bin(BinaryOp::Ge, expr, build::number("-Inf"))
}

/// The value of a read signal in its base unit.
fn value(read: &SignalQuery<'_>, ago: Option<Duration>) -> Expr {
    let at = |series: Series| Over {
        window: read.window,
        ago,
        series,
    };
    let expr = match &read.signal.source {
        Source::Family(family) => match (read.stat, family.kind) {
            (Stat::Quantile(q), _) => {
                let mut labels = vec!["le".to_owned()];
                labels.extend_from_slice(&read.labels);
                let buckets = sum(&labels, rate(family, &at(Series::Bucket)));
                build::call("histogram_quantile", vec![number(q), buckets])
            }
            (Stat::Avg, slosmith_spec::spec::FamilyKind::Histogram) => {
                let total = sum(&read.labels, rate(family, &at(Series::Sum)));
                let count = sum(&read.labels, rate(family, &at(Series::Count)));
                bin(BinaryOp::Div, total, positive(count))
            }
            _ if is_mean_of_best_target(read, family) => {
                let of = |function| {
                    let each = ranged(family, function, &at(family.counted()));
                    build::aggregate(AggregateOp::Max, &read.labels, each)
                };
                bin(BinaryOp::Div, of("sum_over_time"), of("count_over_time"))
            }
            _ => {
                let inner = over_time(family, read.stat, &at(family.counted()));
                combined(read, inner)
            }
        },
        Source::Ratio { of, over, before } => {
            let events = |signal: &Signal| value(&as_events(signal, read), ago);
            let now = match is_known(of, over) {
                true => guarded_ratio(events(of), events(over)),
                false => bin(BinaryOp::Div, events(of), positive(events(over))),
            };
            match before {
                None => now,
                Some(old) => {
                    let read = SignalQuery {
                        signal: old,
                        stat: Stat::Last,
                        window: read.window,
                        labels: read.labels.clone(),
                    };
                    bin(BinaryOp::Or, now, value(&read, ago))
                }
            }
        }
        Source::Raw(raw) => own::value(raw, read, ago),
    };
    scaled(expr, read.signal.value_scale(read.stat))
}

/// What a signal adds per second, or how much there is of a gauge; per group.
pub fn events(signal: &Signal, window: Duration, ago: Option<Duration>, labels: &[String]) -> Expr {
    let like = SignalQuery {
        signal,
        stat: Stat::Rate,
        window: Window::Fixed(window),
        labels: labels.to_vec(),
    };
    value(&as_events(signal, &like), ago)
}

/// What a signal counts per second over the `$window` of an objective, per group.
pub fn events_over_window(signal: &Signal, labels: &[String]) -> Expr {
    let like = SignalQuery {
        signal,
        stat: Stat::Rate,
        window: Window::Zoom,
        labels: labels.to_vec(),
    };
    let spelling = Spelling {
        zoom: WINDOW,
        filter: marker::filter,
    };
    spelling.of(&value(&as_events(signal, &like), None))
}

/// A part of a ratio, read over the same time and labels as the whole.
fn as_events<'a>(signal: &'a Signal, like: &SignalQuery<'_>) -> SignalQuery<'a> {
    SignalQuery {
        signal,
        stat: signal.stat_in_ratio(),
        window: like.window,
        labels: like.labels.clone(),
    }
}

/// Observations per second in each bucket of a histogram, for a heatmap.
pub fn buckets(read: &SignalQuery<'_>) -> Option<Query> {
    let labels = vec!["le".to_owned()];
    let expr = match &read.signal.source {
        Source::Family(family) => {
            let over = Over {
                window: read.window,
                ago: None,
                series: Series::Bucket,
            };
            sum(&labels, rate(family, &over))
        }
        Source::Raw(raw) => own::buckets(raw, read.window),
        Source::Ratio { .. } => return None,
    };
    Some(Query { expr, labels })
}

/// False for a gauge beside another metric, and for what counts something else, as tokens per request: without a series, its value is
/// unknown, and not zero.
fn is_known(of: &Signal, over: &Signal) -> bool {
    let names = |signal: &Signal| signal.family().map(|family| family.names.clone());
    let counts_the_same = of.kind() != SignalKind::Gauge && of.counts().shares(over.counts());
    counts_the_same || (names(of).is_some() && names(of) == names(over))
}

/// `part / (whole > 0)`, where a missing part counts as 0: without a series, no event has happened yet.
pub fn guarded_ratio(part: Expr, whole: Expr) -> Expr {
    bin(BinaryOp::Div, or_zero(part, &whole), positive(whole))
}

/// The part of a ratio over the whole, without the zero for a missing part: no zero is above a threshold.
pub fn without_zero(ratio: Expr) -> Expr {
    let ExprKind::Binary(divided) = &ratio.kind else {
        return ratio;
    };
    match &bare(&divided.lhs).kind {
        ExprKind::Binary(either)
            if divided.op == BinaryOp::Div && either.op == BinaryOp::Or && is_zero(&either.rhs) =>
        {
            bin(BinaryOp::Div, either.lhs.clone(), divided.rhs.clone())
        }
        _ => ratio,
    }
}

/// True for `0 * x`.
fn is_zero(expr: &Expr) -> bool {
    matches!(&bare(expr).kind, ExprKind::Binary(b) if b.op == BinaryOp::Mul && b.lhs.to_string() == "0")
}

/// A missing `part` counts as zero wherever there is a `whole`.
pub fn or_zero(part: Expr, whole: &Expr) -> Expr {
    let zero = bin(BinaryOp::Mul, build::number("0"), whole.clone());
    bin(BinaryOp::Or, part, zero)
}

/// Drops the elements that are zero, so that nothing is divided by them.
pub fn positive(expr: Expr) -> Expr {
    bin(BinaryOp::Gt, expr, build::number("0"))
}

/// `lhs op rhs`.
pub fn bin(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    build::binary(op, lhs, rhs).into()
}

/// A series over a window.
pub fn range(selector: Selector, window: Duration) -> Expr {
    build::range(selector, time(window))
}

/// A series as it was some time ago.
pub fn ago(selector: Selector, ago: Duration) -> Selector {
    match ago == Duration::default() {
        true => selector,
        false => selector.offset(time(ago)),
    }
}

fn range_over(selector: Selector, window: Window) -> Expr {
    match window {
        Window::Fixed(window) => range(selector, window),
        Window::Zoom => build::range(selector, ast::Duration::placeholder(ZOOM)),
    }
}

/// As PromQL writes it.
pub fn time(duration: Duration) -> ast::Duration {
    ast::Duration::from_secs(duration.as_secs())
}

/// Exact where the decimal ends.
pub fn number(value: Number) -> Expr {
    build::number(decimal(value))
}

/// `sum by (labels) (expr)`.
pub fn sum(labels: &[String], expr: Expr) -> Expr {
    build::aggregate(AggregateOp::Sum, labels, expr)
}

/// An expression over a window that ended some time ago, so far apart.
fn over_by(
    function: &str,
    expr: Expr,
    (window, ago): (Duration, Duration),
    step: Duration,
) -> Expr {
    let sub = Subquery {
        expr: Box::new(expr),
        range: time(window),
        step: Some(time(step)),
        at: AtOffset {
            offset: (ago > Duration::default()).then(|| time(ago)),
            ..AtOffset::default()
        },
    };
    build::call(function, [Expr::from(ExprKind::Subquery(Box::new(sub)))])
}

/// True for the mean of `up` of the best target. A pod that is created again has another `instance`: of the one before, the last
/// samples of the window may all be 1. So the samples that a target lacks count as 0.
fn is_mean_of_best_target(read: &SignalQuery<'_>, family: &Family) -> bool {
    let is_up = family.names.iter().any(|name| name == growth::UP);
    let of_target = ["instance", "pod"];
    let is_of_target = of_target
        .iter()
        .any(|label| read.labels.iter().any(|own| own == label));
    is_up && read.stat == Stat::Avg && read.signal.across == Across::Max && !is_of_target
}

/// One value of all replicas. Before version 3, Prometheus rounds each step of `avg`: 18 of 20 are less than 0.9 then.
fn combined(read: &SignalQuery<'_>, inner: Expr) -> Expr {
    let signal = read.signal;
    let is_share = signal.unit == Unit::Ratio && signal.scale == Number::from_integer(1);
    match aggregate_op(read) {
        AggregateOp::Avg if is_share => {
            let count = build::aggregate(AggregateOp::Count, &read.labels, inner.clone());
            bin(BinaryOp::Div, sum(&read.labels, inner), count)
        }
        op => build::aggregate(op, &read.labels, inner),
    }
}

fn aggregate_op(read: &SignalQuery<'_>) -> AggregateOp {
    match read.signal.across {
        Across::Sum => AggregateOp::Sum,
        Across::Max => AggregateOp::Max,
        Across::Min => AggregateOp::Min,
        Across::Avg => AggregateOp::Avg,
    }
}

fn scaled(expr: Expr, scale: Number) -> Expr {
    let one = Number::from_integer(1);
    if scale == one {
        return expr;
    }
    if *scale.numer() == 1 {
        return bin(BinaryOp::Div, expr, number(one / scale));
    }
    bin(BinaryOp::Mul, expr, number(scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_promql as promql;

    #[test]
    fn only_the_zero_of_a_missing_part_is_left_out() {
        for (ratio, without) in [
            ("(a or 0 * b) / (b > 0)", "a / (b > 0)"),
            ("((a or c) or 0 * b) / (b > 0)", "(a or c) / (b > 0)"),
            ("(a or c) / (b > 0)", "(a or c) / (b > 0)"),
            ("a / (b > 0)", "a / (b > 0)"),
        ] {
            let [ratio, wanted] = [ratio, without].map(|text| promql::parse(text).expect("PromQL"));
            assert_eq!(without_zero(ratio).to_string(), wanted.to_string());
        }
    }
}
