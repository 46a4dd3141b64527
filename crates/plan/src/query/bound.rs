//! Comparisons as PromQL: with a number, with a multiple of the past, with the usual range.

use super::{SignalQuery, bin, number, query};
use crate::plan::{CompareOp, Limit, Outside, Signal, SignalKind, ValueUnit};
use slosmith_promql::ast::{BinaryOp, Expr};
use slosmith_promql::build;
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Duration, Number, Unit};

/// The comparison as PromQL.
pub fn compare(value: Expr, op: CompareOp, bound: Expr) -> Expr {
    bin(operator(op), value, bound)
}

/// True for a number of events beside a whole threshold: `increase` makes 3.03 of three, so it is rounded.
pub fn is_whole(signal: &Signal, stat: Stat, threshold: Number) -> bool {
    let counts = match signal.kind() {
        SignalKind::Histogram => true,
        SignalKind::Counter => {
            let is_one = signal.scale == Number::from_integer(1);
            is_one && matches!(signal.unit, Unit::Count | Unit::Requests | Unit::Tokens)
        }
        _ => false,
    };
    let is_some = threshold.is_integer() && threshold != Number::from_integer(0);
    counts && is_some && stat == Stat::Increase
}

/// The operator of a comparison.
pub fn operator(op: CompareOp) -> BinaryOp {
    match op {
        CompareOp::Above => BinaryOp::Gt,
        CompareOp::Below => BinaryOp::Lt,
        CompareOp::AtLeast => BinaryOp::Ge,
        CompareOp::AtMost => BinaryOp::Le,
    }
}

/// A value in the time its bound is given in: `60 * rate` for `10/min`.
pub fn per_time(value: Expr, unit: ValueUnit) -> Expr {
    match unit.per {
        Some(per) if per.seconds != 1 => {
            let seconds = build::number(per.seconds.to_string());
            bin(BinaryOp::Mul, value, seconds)
        }
        _ => value,
    }
}

/// The value against a multiple of what it was.
pub fn times(read: &SignalQuery<'_>, op: CompareOp, factor: Number, then: Expr) -> Expr {
    let now = query(read, None).expr;
    compare(now, op, bin(BinaryOp::Mul, number(factor), then))
}

/// Outside the usual range: mean and standard deviation of the recorded series.
pub fn outside(read: &SignalQuery<'_>, o: &Outside, past: impl Fn(&str, Duration) -> Expr) -> Expr {
    let spread = || {
        let deviation = past("stddev_over_time", o.window);
        bin(BinaryOp::Mul, number(o.sigma), deviation)
    };
    let side = |(op, limit): (CompareOp, Option<&Limit>)| {
        // A limit beside the range is the range's end where that does not reach it.
        let (sign, clamp) = match op.is_upper() {
            true => (BinaryOp::Add, "clamp_min"),
            false => (BinaryOp::Sub, "clamp_max"),
        };
        let end = bin(sign, past("avg_over_time", o.window), spread());
        let end = match limit {
            Some(limit) => build::call(clamp, [end, number(limit.value)]),
            None => end,
        };
        compare(query(read, None).expr, op, end)
    };
    let enough = bin(
        BinaryOp::Ge,
        past("count_over_time", o.window),
        build::number(o.min_samples.to_string()),
    );
    let unusual = o.sides().map(side);
    match unusual.reduce(|high, low| bin(BinaryOp::Or, high, low)) {
        Some(unusual) => bin(BinaryOp::And, unusual, enough),
        None => enough,
    }
}
