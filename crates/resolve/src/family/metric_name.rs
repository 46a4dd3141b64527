//! What the name of a declared metric says of its kind and unit.
//!
//! `wait_milliseconds` with `unit: seconds` needs `scale: 1ms`: its values are a thousand times what a bound of `1s` means.

use super::{Unbound, missing};
use crate::context::Context;
use slosmith_catalog::{Series, split_series};
use slosmith_spec::library;
use slosmith_spec::spec::{self, FamilyKind, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::{Quantity, Unit};

/// Words at the end of a name, their unit, and what a value of 1 is.
const SUFFIXES: [(&[&str], Unit, &str); 16] = [
    (&["seconds", "secs"], Unit::Seconds, "1s"),
    (&["milliseconds", "millis", "ms"], Unit::Seconds, "1ms"),
    (&["microseconds", "micros"], Unit::Seconds, "0.001ms"),
    (&["nanoseconds", "nanos"], Unit::Seconds, "0.000001ms"),
    (&["minutes"], Unit::Seconds, "1m"),
    (&["hours"], Unit::Seconds, "1h"),
    (&["days"], Unit::Seconds, "1d"),
    (&["bytes"], Unit::Bytes, "1B"),
    (&["kilobytes", "kb"], Unit::Bytes, "1kB"),
    (&["megabytes", "mb"], Unit::Bytes, "1MB"),
    (&["mebibytes", "mib"], Unit::Bytes, "1MiB"),
    (&["gibibytes", "gib"], Unit::Bytes, "1GiB"),
    (&["percent", "percentage", "pct"], Unit::Ratio, "1%"),
    (&["ratio", "fraction"], Unit::Ratio, "100%"),
    (&["celsius"], Unit::Celsius, "1C"),
    (&["hertz"], Unit::Hertz, "1Hz"),
];

/// True for the end of a name that may be forgotten: `total`, `seconds`, `bytes_total`.
pub(super) fn is_unit(end: &str) -> bool {
    let is_unit =
        |word| word == "total" || SUFFIXES.iter().any(|(words, ..)| words.contains(&word));
    end.split('_').all(is_unit)
}

/// Reports a name that is none, and one that disagrees with the declared kind or unit.
pub(super) fn check(
    cx: &mut Context<'_>,
    signal: &Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
    metric: &Text,
) -> Option<()> {
    spelled(cx, metric, kind)?;
    if library::reading(&metric.value).is_none() {
        doubt_kind(cx, kind, metric);
    }
    let name = metric.value.to_ascii_lowercase();
    let words: Vec<&str> = name.split(['_', ':']).collect();
    if kind == FamilyKind::Gauge && signal.unit == Unit::Seconds && words.contains(&"timestamp") {
        let message = format!("`{metric}` is a point in time, not a number of seconds");
        let error = Diagnostic::error("wrong-unit", metric.span, message);
        let error = error.help("for `absent` alone, write `unit: count`");
        cx.sink.push(error.help(format!(
            "use its age: `prometheus: {{promql: 'time() - max by (LABEL) ({metric}{{job=\"JOB\"}})'}}`, with your `group_by` as LABEL"
        )));
        return None;
    }
    let last = words
        .iter()
        .rev()
        .find(|word| !matches!(**word, "total" | "sum"));
    let parts = words.iter().filter(|word| word.starts_with("percent"));
    let exported = cx.catalog.foreign().find(&metric.value);
    let exported = exported.and_then(|(_, family)| family.unit.as_deref());
    let of_name = exported
        .into_iter()
        .chain(last.into_iter().chain(parts).copied());
    let mut of_name = of_name.filter_map(|word| {
        let known = SUFFIXES.iter().find(|(words, ..)| words.contains(&word));
        known.map(|(_, unit, one)| (*unit, (*one).to_owned(), Some(word)))
    });
    let of_signal = of_signal(&metric.value).map(|(unit, one)| (unit, one, None));
    let Some((unit, one, word)) = of_signal.or_else(|| of_name.next()) else {
        return Some(());
    };
    let base = base(unit).unwrap_or("1s");
    let is_base = one == base;
    if unit != signal.unit {
        if one == "100%" && word.is_some() {
            // A compression ratio is no share.
            return Some(());
        }
        // CPU seconds per second are a number of CPUs.
        let of_time = kind == FamilyKind::Counter && unit == Unit::Seconds;
        // A point in time is no number of seconds.
        let is_point = words.contains(&"timestamp") && signal.unit == Unit::Count;
        let is_number = of_time && matches!(signal.unit, Unit::Count | Unit::Ratio);
        if !(is_point || is_number) {
            let (expected, found) = (unit.as_str(), signal.unit.as_str());
            let message = match word {
                Some(_) => {
                    format!("`{metric}` has {expected} in its name, but its unit is `{found}`")
                }
                None => format!("`{metric}` is measured in {expected}, but its unit is `{found}`"),
            };
            let at = definition.unit.map_or(metric.span, |unit| unit.span);
            let warning = Diagnostic::warning("wrong-unit", at, message);
            cx.sink.push(warning.help(format!(
                "write `unit: {expected}`{}",
                match is_base {
                    true => String::new(),
                    false => format!(" and `scale: {one}`"),
                }
            )));
        }
        return Some(());
    }
    let value = |text: &str| text.parse::<Quantity>().ok()?.of(unit, false).ok();
    if let Some(scale) = &definition.scale {
        if ![&one, base].map(value).contains(&Some(signal.scale)) {
            let message = format!("a value of 1 of `{metric}` is {one}, not {scale}");
            let warning = Diagnostic::warning("wrong-unit", scale.span, message);
            cx.sink.push(warning.help(format!("write `scale: {one}`")));
        }
        return Some(());
    }
    if is_base {
        return Some(());
    }
    let Some(word) = word else {
        let message = format!("a value of 1 of `{metric}` is {one}");
        let error = Diagnostic::error("wrong-unit", metric.span, message);
        cx.sink.push(error.help(format!("add `scale: {one}`")));
        return None;
    };
    let message = format!(
        "`{metric}` has `{word}` in its name, but its values are read as {}",
        match unit {
            Unit::Ratio => "a ratio from 0 to 1",
            other => other.as_str(),
        }
    );
    let error = Diagnostic::error("wrong-unit", metric.span, message);
    cx.sink.push(error.help(format!(
        "add `scale: {one}`, or `scale: {base}` if a value of 1 means {base}"
    )));
    None
}

/// What a value of 1 is in a unit, where names of metrics have it.
fn base(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Seconds => Some("1s"),
        Unit::Bytes => Some("1B"),
        Unit::Celsius => Some("1C"),
        Unit::Hertz => Some("1Hz"),
        Unit::Ratio => Some("100%"),
        _ => None,
    }
}

/// The unit of a metric that a built-in signal reads, and what a value of 1 is.
fn of_signal(metric: &str) -> Option<(Unit, String)> {
    let signal = library::reading(metric)?;
    let unit = signal.unit.as_ref()?.value;
    let one = match &signal.scale {
        Some(scale) => scale.value.to_string(),
        None => base(unit)?.to_owned(),
    };
    Some((unit, one))
}

/// What goes down is no counter, and what only grows no gauge.
fn doubt_kind(cx: &mut Context<'_>, kind: FamilyKind, metric: &Text) {
    let ends = |all: &[&'static str]| all.iter().copied().find(|end| metric.value.ends_with(end));
    match kind {
        FamilyKind::Counter if ends(&["_total", "_count", "_sum", "_bucket"]).is_none() => cx.notes.push(format!(
            "`{metric}` is declared as a counter, but does not end in `_total`: if it can go down, write `kind: gauge`"
        )),
        // `pool_connections_count` may well go down.
        FamilyKind::Gauge => {
            let Some(end) = ends(&["_total", "_bucket"]) else {
                return;
            };
            let message =
                format!("`{metric}` is declared as a gauge, but ends in `{end}` as counters do");
            let warning = Diagnostic::warning("wrong-kind", metric.span, message);
            cx.sink
                .push(warning.help("if it only goes up, write `kind: counter`"));
        }
        FamilyKind::Counter | FamilyKind::Histogram => {}
    }
}

fn spelled(cx: &mut Context<'_>, metric: &Text, kind: FamilyKind) -> Option<()> {
    let name = metric.value.as_str();
    let mut error = missing::normalised(cx, name, metric.span);
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    if !name.chars().all(fits) || name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty()
    {
        let message = format!("`{}` is not a valid metric name", name.escape_debug());
        let e = Diagnostic::error("bad-name", metric.span, message);
        error = Some(e.help("use letters, digits, `_` and `:`, with no digit at the start"));
    } else if kind == FamilyKind::Histogram {
        let (base, series) = split_series(name);
        if series != Series::Whole {
            error = Some(missing::one_series(name, base, metric.span));
        }
    }
    match error {
        None => Some(()),
        Some(error) => {
            cx.sink.push(error);
            None
        }
    }
}
