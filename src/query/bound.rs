//! Comparisons as PromQL: with a number, with a multiple of the past, with the usual range.

use super::{SignalQuery, bin, number, query};
use crate::plan::{CompareOp, Outside, ValueUnit};
use crate::promql::ast::{BinaryOp, Expr};
use crate::promql::build;
use crate::spec::Side;
use crate::units::{Duration, Number};

/// The comparison as PromQL.
pub fn compare(value: Expr, op: CompareOp, bound: Expr) -> Expr {
    let op = match op {
        CompareOp::Above => BinaryOp::Gt,
        CompareOp::Below => BinaryOp::Lt,
        CompareOp::AtLeast => BinaryOp::Ge,
        CompareOp::AtMost => BinaryOp::Le,
    };
    bin(op, value, bound)
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
    let limit = |op: BinaryOp| {
        let spread = bin(
            BinaryOp::Mul,
            number(o.sigma),
            past("stddev_over_time", o.window),
        );
        bin(op, past("avg_over_time", o.window), spread)
    };
    let now = || query(read, None).expr;
    let high = || bin(BinaryOp::Gt, now(), limit(BinaryOp::Add));
    let low = || bin(BinaryOp::Lt, now(), limit(BinaryOp::Sub));
    let unusual = match o.side {
        Side::High => high(),
        Side::Low => low(),
        Side::Both => bin(BinaryOp::Or, high(), low()),
    };
    let enough = bin(
        BinaryOp::Ge,
        past("count_over_time", o.window),
        build::number(o.min_samples.to_string()),
    );
    bin(BinaryOp::And, unusual, enough)
}
