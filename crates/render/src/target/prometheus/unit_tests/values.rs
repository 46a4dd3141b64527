//! Values of input series in promtool's notation: `0+6x59`.

use super::course::Course;
use slosmith_text::units::{Number, decimal, parse_decimal};

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

/// Series that are missing during the fault.
pub(super) fn absent(course: &Course) -> String {
    let (missing, after) = (course.fault - 2, course.after);
    format!("1+0x{} stale _x{missing} 1+0x{after}", course.history)
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
            None if steps == 1 => "_".into(),
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

/// The same samples in fewer segments: `1+0x20 1+0x34` becomes `1+0x55`. Only of whole numbers, whose sums are exact in any order.
pub(super) fn joined(values: &str) -> String {
    let mut all: Vec<(String, Option<Whole>)> = Vec::new();
    for segment in values.split(' ') {
        let read = whole(segment);
        let known = all.last_mut().and_then(|(_, known)| known.as_mut());
        if let (Some(known), Some((start, increment, more))) = (known, read) {
            let (from, by, steps) = *known;
            // One sample alone has any increment.
            let by = if steps == 0 { increment } else { by };
            let goes_on = start == from + by * i128::from(steps + 1);
            if goes_on && (more == 0 || increment == by) {
                *known = (from, by, steps + more + 1);
                continue;
            }
        }
        all.push((segment.to_owned(), read));
    }
    let written = all.into_iter().map(|(text, read)| match read {
        Some((start, increment, more)) => segment(start, increment, more),
        None => text,
    });
    written.collect::<Vec<_>>().join(" ")
}

/// Start, increment and further samples of a segment.
type Whole = (Number, Number, u64);

/// A segment of whole numbers, or of one value.
fn whole(segment: &str) -> Option<Whole> {
    let (values, more) = segment.split_once('x').unwrap_or((segment, "0"));
    let sign = values.rfind(['+', '-']).filter(|at| *at > 0);
    let (start, increment) = values.split_at(sign.unwrap_or(values.len()));
    let increment = if increment.is_empty() { "0" } else { increment };
    let [start, increment] = [start, increment].map(|text| parse_decimal(text).ok());
    let (start, increment) = (start?, increment?);
    let exact =
        increment == Number::from_integer(0) || (start.is_integer() && increment.is_integer());
    exact.then_some((start, increment, more.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_go_on_are_joined() {
        for (segments, one) in [
            ("1+0x20 1+0x34 0+0x2", "1+0x55 0+0x2"),
            ("0+5x3 20+5x2 35+1x4", "0+5x6 35+1x4"),
            ("0+0.5x2 1.5+0.5x2", "0+0.5x2 1.5+0.5x2"),
            ("_x5 0.5 0.5+0x3 stale 1 2 3", "_x5 0.5+0x4 stale 1 2 3"),
        ] {
            assert_eq!(joined(segments), one);
        }
    }

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
