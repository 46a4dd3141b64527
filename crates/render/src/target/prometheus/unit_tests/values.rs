//! Values of input series in promtool's notation: `0+6x59`.

use slosmith_text::units::{Number, decimal};

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
    let mut out = Vec::new();
    for (steps, increment) in phases.iter().filter(|(steps, _)| *steps > 0) {
        let increment = rounded(*increment);
        if increment == Number::from_integer(0) {
            value = value.ceil();
        }
        // The first phase begins with the start.
        out.push(match out.is_empty() {
            true => segment(value, increment, *steps),
            false => segment(value + increment, increment, steps - 1),
        });
        value += increment * i128::from(*steps);
    }
    match out.is_empty() {
        true => decimal(start),
        false => out.join(" "),
    }
}

/// The samples of a counter after the first one, which is 0.
pub(super) fn after_start(values: &str) -> String {
    let (first, others) = values.split_once(' ').unwrap_or((values, ""));
    let grows = first
        .strip_prefix("0+")
        .and_then(|first| first.split_once('x'));
    let steps = grows.and_then(|(increment, steps)| Some((increment, steps.parse::<u64>().ok()?)));
    let first = match steps {
        None => return others.to_owned(),
        Some((increment, 1)) => increment.to_owned(),
        Some((increment, steps)) => format!("{increment}+{increment}x{}", steps - 1),
    };
    [first.as_str(), others].join(" ").trim_end().to_owned()
}

/// A gauge that is at its second level for a step, and then at its first one for longer than a window, again and again for longer than a
/// holding time: `1+0x9 0+0x29 1+0x9` becomes `1+0x9 0 1+0x2 0 1+0x2 … 1+0x9 1+0x9`.
pub(super) fn at_times(values: &str, window: u64, hold: u64) -> Option<String> {
    let phases: Vec<_> = values.split(' ').collect();
    let [before, fault, after] = phases[..] else {
        return None;
    };
    let level = |phase: &str| Some(phase.split_once("+0x")?.0.to_owned());
    let (good, bad) = (level(before)?, level(fault)?);
    let steps = fault.split_once("+0x")?.1.parse::<u64>().ok()? + 1;
    let times = (hold + window) / (window + 2) + 1;
    let rest = steps.checked_sub(times * (window + 2))?.checked_sub(1)?;
    let turn = format!("{bad} {good}+0x{window} ").repeat(times as usize);
    Some(format!("{before} {turn}{good}+0x{rest} {after}"))
}

/// What is printed is what is added up: a rounded increment must not drift from the rounded start.
fn rounded(increment: Number) -> Number {
    if increment.is_integer() {
        return increment;
    }
    slosmith_text::units::parse_decimal(&decimal(increment)).unwrap_or(increment)
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
        assert_eq!(counter(&broken), "0+0.333333x2 1+0x1");
        let phases = [(3, n(6)), (2, n(10)), (0, n(99)), (1, n(0))];
        assert_eq!(counter(&phases), "0+6x3 28+10x1 38");
        assert_eq!(counter_from(n(100), &phases), "100+6x3 128+10x1 138");
        assert_eq!(after_start("0+6x3 28+10x1 38"), "6+6x2 28+10x1 38");
        assert_eq!(after_start("0+6x1"), "6");
        assert_eq!(after_start("0 7"), "7");
        let seen = at_times("1+0x9 0+0x29 1+0x9", 2, 5);
        assert_eq!(seen.as_deref(), Some("1+0x9 0 1+0x2 0 1+0x2 1+0x21 1+0x9"));
        assert_eq!(gauge(&phases), "6+0x3 10+0x1 0");
    }
}
