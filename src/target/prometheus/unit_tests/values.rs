//! Values of input series in promtool's notation: `0+6x59`.

use crate::units::{Number, decimal};

/// A level held for some steps.
pub(super) type Phase = (u64, Number);

/// A gauge that takes each level at once; the first level also holds at time 0.
pub(super) fn gauge(phases: &[Phase]) -> String {
    let mut out = Vec::new();
    for (i, (steps, level)) in phases.iter().enumerate() {
        let count = if i == 0 {
            *steps
        } else {
            steps.saturating_sub(1)
        };
        if *steps > 0 {
            out.push(segment(*level, Number::from_integer(0), count));
        }
    }
    out.join(" ")
}

/// So many samples of a value, or without one.
pub(super) type Run = (u64, Option<Number>);

/// Samples that are held, or missing, for so many steps each.
pub(super) fn held(runs: &[Run]) -> String {
    let runs: Vec<_> = runs.iter().filter(|(steps, _)| *steps > 0).collect();
    let runs = runs.chunk_by(|a, b| a.1 == b.1);
    let runs = runs.map(|run| {
        let steps: u64 = run.iter().map(|run| run.0).sum();
        match run[0].1 {
            Some(value) => segment(value, Number::from_integer(0), steps - 1),
            None => format!("_x{steps}"),
        }
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// A counter that starts at 0 and grows by each phase's level a step.
///
/// promtool adds increments up as floats; where the next sample is not larger, it must not come out smaller
/// by a hair, or it would be a counter reset. So a counter rests only on whole numbers.
pub(super) fn counter(phases: &[Phase]) -> String {
    counter_from(Number::from_integer(0), phases)
}

/// The same from a whole number.
pub(super) fn counter_from(start: Number, phases: &[Phase]) -> String {
    let mut value = start;
    let mut out = vec![decimal(start)];
    for (steps, increment) in phases.iter().filter(|(steps, _)| *steps > 0) {
        let increment = rounded(*increment);
        if increment == Number::from_integer(0) {
            value = value.ceil();
        }
        out.push(segment(value + increment, increment, steps - 1));
        value += increment * i128::from(*steps);
    }
    out.join(" ")
}

/// What is printed is what is added up: a rounded increment must not drift from the rounded start.
fn rounded(increment: Number) -> Number {
    if increment.is_integer() {
        return increment;
    }
    crate::units::parse_decimal(&decimal(increment)).unwrap_or(increment)
}

/// `start+incxN`: N more samples after the first.
fn segment(start: Number, increment: Number, more: u64) -> String {
    if more == 0 {
        return decimal(start);
    }
    let sign = if increment < Number::from_integer(0) {
        ""
    } else {
        "+"
    };
    let (start, increment) = (decimal(start), decimal(increment));
    [&start, sign, &increment, "x", &more.to_string()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(v: i128) -> Number {
        Number::from_integer(v)
    }

    #[test]
    fn phases_follow_each_other_without_a_gap() {
        let broken = [(2, Number::new(1, 3)), (2, n(0))];
        assert_eq!(counter(&broken), "0 0.333333+0.333333x1 1+0x1");
        let phases = [(3, n(6)), (2, n(10)), (0, n(99)), (1, n(0))];
        assert_eq!(counter(&phases), "0 6+6x2 28+10x1 38");
        assert_eq!(counter_from(n(100), &phases), "100 106+6x2 128+10x1 138");
        assert_eq!(gauge(&phases), "6+0x3 10+0x1 0");
    }
}
