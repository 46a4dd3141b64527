//! The numbers of a rule that may be chosen otherwise: thresholds, holding times, objectives.

use schemars::JsonSchema;
use serde::Serialize;
use slosmith_plan::plan::{Bound, Compare, Condition, ValueUnit};
use slosmith_promql::ast::{Expr, ExprKind, Number as Literal};
use slosmith_promql::visit;
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Duration, Number, Quantity, Unit, float};

use crate::plot::is_ratio;

/// Numbers that a person would write, in each power of ten.
const ROUND: [i128; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];

/// A threshold is changed to an eighth of it at least, and to eight times at most.
const FARTHEST: i128 = 8;

/// The longest holding time that replaces another one, in seconds.
const LONGEST_HOLD: u64 = 3_600;

/// An error budget is multiplied by this at most: a service that needs more has another problem than its objective.
const LOOSEST: i128 = 10;

/// Error budgets in thousandths of a percent, from which objectives are chosen.
const BUDGETS: [i128; 13] = [
    5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 3_000, 5_000, 7_000, 10_000,
];

/// Another value for one number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    #[serde(flatten)]
    pub what: What,
    pub now: String,
    pub then: String,
    /// The error budget of another objective.
    #[serde(skip)]
    pub(crate) budget: Option<Number>,
    /// How far it is from the value of the spec, in round numbers; negative where the alert fires more often.
    #[serde(skip)]
    pub(crate) steps: i32,
}

/// Which number of a spec is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// A threshold of the condition.
    Threshold {
        /// The part that it belongs to, counted from 0 among those without parts of their own.
        part: usize,
    },
    /// The holding time.
    #[serde(rename = "for")]
    Hold,
    Objective,
}

/// A rule with another number.
pub(crate) struct Variant {
    pub(crate) change: Option<Change>,
    pub(crate) expr: Expr,
    pub(crate) hold: Duration,
}

/// What a rule would have done with one of these numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Try {
    /// `None` for the values of the spec.
    pub(crate) change: Option<Change>,
    /// From when to when its elements fired.
    pub(crate) pages: Vec<(i64, i64)>,
}

/// What an alert would have done.
#[derive(Default)]
pub(crate) struct Tries {
    /// The first one has the values of the spec.
    pub(crate) tries: Vec<Try>,
    /// From when to when its condition had data.
    pub(crate) measured: Vec<(i64, i64)>,
}

/// The rule of an alert as it is, with other thresholds, and with other holding times.
pub(crate) fn of_alert(condition: &Condition, expr: &Expr, hold: Duration) -> Vec<Variant> {
    let as_it_is = |change| Variant {
        change,
        expr: expr.clone(),
        hold,
    };
    let mut all = vec![as_it_is(None)];
    let holding = condition.holding();
    let mut nth = 0;
    for (part, leaf) in condition.leaves().into_iter().enumerate() {
        let Some(compare) = leaf.compare() else {
            continue;
        };
        let Bound::Fixed(op, value, text) = &compare.bound else {
            continue;
        };
        let own = float(*value);
        // Rules are written with six digits.
        let is_own = |n: &f64| (n - own).abs() <= own.abs() * 1e-4;
        let Some(at) = numbers(expr).iter().skip(nth).position(is_own) else {
            continue;
        };
        let at = nth + at;
        nth = at + 1;
        let is_holding = holding.iter().any(|of| std::ptr::eq(*of, leaf));
        let quantity: Option<Quantity> = text.parse().ok();
        let written = quantity.as_ref().and_then(Quantity::written);
        let (Some(quantity), Some(written), true) = (quantity, written, is_holding) else {
            continue;
        };
        if *value == Number::from_integer(0) {
            continue;
        }
        let (low, high) = limits(compare);
        let in_its_unit = |limit: Number| limit * written / *value;
        let limits = (in_its_unit(low), high.map(in_its_unit));
        for (number, steps) in around(written, limits) {
            let Some(then) = quantity.with_number(number) else {
                continue;
            };
            let factor = float(number / written);
            let change = Change {
                what: What::Threshold { part },
                now: text.clone(),
                then: then.to_string(),
                budget: None,
                steps: if op.is_upper() { steps } else { -steps },
            };
            all.push(Variant {
                expr: with_numbers(expr, &mut |_, i, own| {
                    if i == at { own * factor } else { own }
                }),
                ..as_it_is(Some(change))
            });
        }
    }
    let other = holds(hold).into_iter().map(|(hold_then, steps)| {
        let change = Change {
            what: What::Hold,
            now: hold.to_string(),
            then: hold_then.to_string(),
            budget: None,
            steps,
        };
        Variant {
            hold: hold_then,
            ..as_it_is(Some(change))
        }
    });
    all.extend(other);
    all
}

/// The rule of a tier as it is, and with the budgets of other objectives.
pub(crate) fn of_tier(budget: Number, expr: &Expr, hold: Duration) -> Vec<Variant> {
    let one = Number::from_integer(1);
    let own = BUDGETS.iter().position(|b| budget_of(*b) >= budget);
    let own = own.unwrap_or(BUDGETS.len()) as i32;
    let others = BUDGETS.iter().enumerate();
    let is_near = |b: Number| b != budget && b <= budget * LOOSEST;
    let others = others.filter(|(_, b)| is_near(budget_of(**b)));
    let others = others.map(|(i, b)| {
        let factor = float(budget_of(*b) / budget);
        let scaled =
            &mut |side: &Expr, _, own: f64| if is_ratio(side) { own * factor } else { own };
        let change = Change {
            what: What::Objective,
            now: percent(one - budget),
            then: percent(one - budget_of(*b)),
            budget: Some(budget_of(*b)),
            steps: i as i32 - own + i32::from(i as i32 >= own),
        };
        Variant {
            change: Some(change),
            expr: with_numbers(expr, scaled),
            hold,
        }
    });
    let as_it_is = Variant {
        change: None,
        expr: expr.clone(),
        hold,
    };
    [as_it_is].into_iter().chain(others).collect()
}

fn budget_of(thousandths: i128) -> Number {
    Number::new(thousandths, 100_000)
}

pub(crate) fn percent(share: Number) -> String {
    format!("{}%", slosmith_text::units::decimal(share * 100))
}

/// Round numbers about a number and between limits, and how many of them lie between; near the upper limit, round distances from it.
fn around(own: Number, (low, high): (Number, Option<Number>)) -> Vec<(Number, i32)> {
    let mut all = round(own);
    if let Some(high) = high.filter(|high| own > *high / 2) {
        all.extend(round(high - own).into_iter().map(|rest| high - rest));
    }
    let is_positive = |n: Number| n > Number::from_integer(0);
    all.retain(|n| *n != own && is_positive(*n) && *n >= low && high.is_none_or(|high| *n < high));
    all.sort_unstable();
    all.dedup();
    let below = all.iter().filter(|n| **n < own).count() as i32;
    let all = all.into_iter().enumerate().map(|(i, n)| {
        let place = i as i32 - below;
        (n, if place >= 0 { place + 1 } else { place })
    });
    all.collect()
}

/// Round numbers from a part of a number to a multiple of it.
fn round(own: Number) -> Vec<Number> {
    if own <= Number::from_integer(0) {
        return Vec::new();
    }
    let mut power = Number::new(1, 10);
    while power > own / FARTHEST {
        power /= 10;
    }
    let mut all = Vec::new();
    while power < own * FARTHEST {
        let round = ROUND.iter().map(|n| power * *n / 10);
        all.extend(round.filter(|n| *n >= own / FARTHEST && *n <= own * FARTHEST));
        power *= 10;
    }
    all
}

/// Thresholds between which a comparison can be true and false, in base units: from the first on, and below the second.
fn limits(compare: &Compare) -> (Number, Option<Number>) {
    let zero = Number::from_integer(0);
    let signal = &compare.signal;
    let buckets = signal.buckets();
    match (compare.stat, buckets.first(), buckets.last()) {
        (Stat::Quantile(_), Some(first), Some(last)) => {
            (first.bound * signal.scale, Some(last.bound * signal.scale))
        }
        _ if compare.unit == ValueUnit::plain(Unit::Ratio) => (zero, Some(Number::from_integer(1))),
        _ => (zero, None),
    }
}

/// Other holding times in whole minutes.
fn holds(own: Duration) -> Vec<(Duration, i32)> {
    let own = own.as_secs();
    let others = [(own / 2, -2), (own * 2, 2), (own * 4, 4)];
    let fits = |(hold, _): &(u64, i32)| *hold != own && *hold % 60 == 0 && *hold <= LONGEST_HOLD;
    let others = others.into_iter().filter(fits);
    others
        .map(|(hold, steps)| (Duration::from_secs(hold), steps))
        .collect()
}

/// The numbers that parts of an expression are compared with, from left to right.
fn numbers(expr: &Expr) -> Vec<f64> {
    let mut all = Vec::new();
    with_numbers(expr, &mut |_, _, own| {
        all.push(own);
        own
    });
    all
}

/// The expression with other numbers in its comparisons: `with` gets what is compared, the place among them, and the number.
pub(crate) fn with_numbers(expr: &Expr, with: &mut impl FnMut(&Expr, usize, f64) -> f64) -> Expr {
    let mut expr = expr.clone();
    replace(&mut expr, &mut 0, with);
    expr
}

fn replace(expr: &mut Expr, nth: &mut usize, with: &mut impl FnMut(&Expr, usize, f64) -> f64) {
    if let ExprKind::Binary(binary) = &mut expr.kind
        && binary.op.is_comparison()
        && let ExprKind::Number(own) = &visit::bare(&binary.rhs).kind
    {
        let value = with(&binary.lhs, *nth, own.value);
        let text = value.to_string();
        *nth += 1;
        binary.rhs = ExprKind::Number(Literal { value, text }).into();
        return;
    }
    for child in visit::children_mut(expr) {
        replace(child, nth, with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_stay_between_limits() {
        let number = |text: &str| slosmith_text::units::parse_decimal(text).expect("a number");
        let texts = |own: &str, limits: (&str, Option<&str>)| -> Vec<String> {
            let limits = (number(limits.0), limits.1.map(number));
            let all = around(number(own), limits).into_iter();
            all.map(|(n, steps)| format!("{} {steps}", slosmith_text::units::decimal(n)))
                .collect()
        };
        let above_20 = texts("20", ("0", None));
        assert_eq!(above_20.first().map(String::as_str), Some("2.5 -9"));
        assert_eq!(above_20[9], "25 1");
        assert_eq!(above_20.last().map(String::as_str), Some("150 9"));
        // A ratio is below 1, and its round numbers lie on both sides.
        let high = texts("0.95", ("0", Some("1")));
        assert!(high.contains(&"0.96 1".to_owned()), "{high:?}");
        assert!(high.contains(&"0.99 7".to_owned()), "{high:?}");
        assert!(high.contains(&"0.12 -16".to_owned()), "{high:?}");
        assert!(high.iter().all(|n| !n.starts_with('1')), "{high:?}");
        // A percentile lies between the first and the last bucket boundary.
        let buckets = texts("0.8", ("0.5", Some("2")));
        assert_eq!(buckets.first().map(|n| n.starts_with("0.5 ")), Some(true));
        assert_eq!(
            buckets.last().map(|n| n.starts_with("1.9")),
            Some(false),
            "{buckets:?}"
        );
        assert!(around(number("0"), (number("0"), None)).is_empty());
    }
}
