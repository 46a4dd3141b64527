//! What metrics of every request share: namespace, dimensions, periods.
//!
//! `[{"Name": ":a", "Value": " "}]` has two violations: a colon at the start of a name, and a blank value.

use super::fields::Fields;
use super::limits;

/// A namespace, which must be there.
pub(super) fn namespace(f: &mut Fields<'_, '_>) {
    match f.length("Namespace", 1, limits::NAME) {
        None if !f.has("Namespace") => f.wrong("", "Namespace is missing"),
        Some(text) if text.starts_with(':') => {
            f.wrong("Namespace", "Namespace begins with a colon");
        }
        _ => {}
    }
}

/// Names and values that distinguish the series of one metric.
pub(super) fn dimensions(f: &mut Fields<'_, '_>) {
    let all = f.list("Dimensions");
    if all.len() > limits::DIMENSIONS {
        let most = limits::DIMENSIONS;
        let message = format!("{} dimensions; {most} are allowed", all.len());
        f.wrong("Dimensions", message);
    }
    for (i, dimension) in all.iter().enumerate() {
        let mut d = f.at(&format!("Dimensions/{i}"), dimension);
        let ascii = |text: &str| text.is_ascii() && !text.trim().is_empty();
        match d.length("Name", 1, limits::NAME) {
            Some(name) if name.starts_with(':') || !ascii(name) => {
                d.wrong(
                    "Name",
                    "a dimension's name is ASCII and does not begin with a colon",
                );
            }
            None if !d.has("Name") => d.wrong("", "Name is missing"),
            _ => {}
        }
        match d.length("Value", 1, limits::DIMENSION_VALUE) {
            Some(value) if !ascii(value) => {
                d.wrong("Value", "a dimension's value is ASCII and not blank");
            }
            None if !d.has("Value") => d.wrong("", "Value is missing"),
            _ => {}
        }
    }
}

/// A period that CloudWatch keeps points for.
pub(super) fn period(f: &mut Fields<'_, '_>, key: &str, seconds: i64) {
    if !u64::try_from(seconds).is_ok_and(limits::is_period) {
        let message =
            format!("{key} {seconds} is none of 10, 20, 30 and the multiples of 60 seconds");
        f.wrong(key, message);
    }
}
