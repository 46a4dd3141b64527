//! What metrics of every request share: namespace, dimensions, periods.
//!
//! `[{"Name": ":a", "Value": " "}]` has two violations: a colon at the start of a name, and a blank value.

use super::fields::Fields;
use super::limits;
use super::unknown::known;

pub(super) const UNITS: &[&str] = &[
    "Seconds",
    "Microseconds",
    "Milliseconds",
    "Bytes",
    "Kilobytes",
    "Megabytes",
    "Gigabytes",
    "Terabytes",
    "Bits",
    "Kilobits",
    "Megabits",
    "Gigabits",
    "Terabits",
    "Percent",
    "Count",
    "Bytes/Second",
    "Kilobytes/Second",
    "Megabytes/Second",
    "Gigabytes/Second",
    "Terabytes/Second",
    "Bits/Second",
    "Kilobits/Second",
    "Megabits/Second",
    "Gigabits/Second",
    "Terabits/Second",
    "Count/Second",
    "None",
];

pub(super) fn namespace(f: &mut Fields<'_, '_>) {
    f.required("Namespace");
    if f.length("Namespace", 1, limits::NAME)
        .is_some_and(|text| text.starts_with(':'))
    {
        f.wrong("Namespace", "`Namespace` must not start with a colon");
    }
}

pub(super) fn dimensions(f: &mut Fields<'_, '_>) {
    let all = f.at_most("Dimensions", limits::DIMENSIONS);
    let is_plain = limits::is_printable;
    for (i, dimension) in known(all) {
        let mut d = f.at(&format!("Dimensions/{i}"), dimension);
        d.only(&["Name", "Value"]);
        d.required("Name");
        let name = d.length("Name", 1, limits::NAME);
        if name.is_some_and(|name| !name.is_empty() && (name.starts_with(':') || !is_plain(name))) {
            let message =
                "a dimension name must be printable ASCII and must not start with a colon";
            d.wrong("Name", message);
        }
        d.required("Value");
        let value = d.length("Value", 1, limits::DIMENSION_VALUE);
        if value.is_some_and(|value| !value.is_empty() && !is_plain(value)) {
            d.wrong(
                "Value",
                "a dimension value must be printable ASCII and not blank",
            );
        }
    }
}

pub(super) fn period(f: &mut Fields<'_, '_>, key: &str) {
    let Some(seconds) = f.whole(key) else {
        return;
    };
    if !u64::try_from(seconds).is_ok_and(limits::is_period) {
        let message = format!("`{key}` {seconds} must be 10, 20, 30 or a multiple of 60 seconds");
        f.wrong(key, message);
    }
}
