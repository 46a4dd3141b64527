//! CloudWatch units and the units of signals.
//!
//! One of `Milliseconds` is worth 1/1000 of a signal in seconds; it does not measure bytes.

use slosmith_text::units::{Number, Unit};

/// A unit: its name, what it measures, and what one is worth in the base unit.
struct Known {
    name: &'static str,
    fits: fn(Unit) -> bool,
    worth: (i128, i128),
}

const fn known(name: &'static str, fits: fn(Unit) -> bool, worth: (i128, i128)) -> Known {
    Known { name, fits, worth }
}

fn time(unit: Unit) -> bool {
    unit == Unit::Seconds
}

fn data(unit: Unit) -> bool {
    unit == Unit::Bytes
}

/// Zeros and ones are counted, and their average is a ratio.
fn count(unit: Unit) -> bool {
    !time(unit) && !data(unit)
}

/// AWS does not define the larger units of data; these are the decimal ones of the SI.
const KNOWN: [Known; 11] = [
    known("Seconds", time, (1, 1)),
    known("Milliseconds", time, (1, 1_000)),
    known("Microseconds", time, (1, 1_000_000)),
    known("Bytes", data, (1, 1)),
    known("Kilobytes", data, (1_000, 1)),
    known("Megabytes", data, (1_000_000, 1)),
    known("Gigabytes", data, (1_000_000_000, 1)),
    known("Bits", data, (1, 8)),
    known("Percent", |unit| unit == Unit::Ratio, (1, 100)),
    known("Count", count, (1, 1)),
    known("None", |_| true, (1, 1)),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> + Clone {
    KNOWN.iter().map(|known| known.name)
}

/// The unit of this name, with what one of it is worth in the base of `unit`.
///
/// # Errors
/// When there is none, or it measures something else; the latter gives the names that would fit.
pub(super) fn find(name: &str, unit: Unit) -> Result<(&'static str, Number), Vec<&'static str>> {
    let fits = |known: &&Known| (known.fits)(unit);
    match KNOWN.iter().filter(fits).find(|known| known.name == name) {
        Some(known) => Ok((known.name, Number::new(known.worth.0, known.worth.1))),
        None => Err(KNOWN.iter().filter(fits).map(|known| known.name).collect()),
    }
}

/// The unit of a signal whose binding has no `unit`.
pub(super) fn usual(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "Seconds",
        Unit::Bytes => "Bytes",
        Unit::Bool | Unit::Count | Unit::Requests | Unit::Tokens | Unit::Flops => "Count",
        Unit::Ratio | Unit::Watts | Unit::Celsius | Unit::Hertz | Unit::Money(_) => "None",
    }
}
