//! Values as a panel shows them: three digits, a prefix, a unit.

use crate::target::grafana::symbol;
use slosmith_plan::plan::ValueUnit;
use slosmith_text::units::Unit;

/// `1.25 s`, `99.97%`, `37.3 GiB`, `2.4 K tok/s`.
pub(super) fn value(value: f64, unit: ValueUnit) -> String {
    let per = unit
        .per
        .map_or_else(String::new, |per| format!("/{}", per.name));
    match unit.unit {
        Unit::Ratio => format!("{}%{per}", percent(value)),
        Unit::Bool if unit.per.is_none() => if value < 0.5 { "no" } else { "yes" }.to_owned(),
        Unit::Seconds if value.abs() < 1.0 && value != 0.0 => {
            format!("{} ms{per}", digits(value * 1_000.0))
        }
        Unit::Seconds | Unit::Celsius => format!("{} {}{per}", digits(value), symbol(unit.unit)),
        Unit::Bytes => prefixed(value, 1_024.0, &["B", "KiB", "MiB", "GiB", "TiB"], "", &per),
        // The title of a panel names what is counted: requests or tokens.
        Unit::Count | Unit::Requests | Unit::Tokens if unit.per.is_none() => {
            let whole = if value < 10.0 { value } else { value.round() };
            prefixed(whole, 1_000.0, &PREFIXES, "", "")
        }
        other => prefixed(value, 1_000.0, &PREFIXES, symbol(other), &per),
    }
}

const PREFIXES: [&str; 5] = ["", "K", "M", "G", "T"];

fn prefixed(value: f64, step: f64, prefixes: &[&str], symbol: &str, per: &str) -> String {
    let mut rest = value;
    let mut prefix = 0;
    while rest.abs() >= step && prefix + 1 < prefixes.len() {
        rest /= step;
        prefix += 1;
    }
    let text = format!("{} {}{symbol}{per}", digits(rest), prefixes[prefix]);
    text.trim_end().to_owned()
}

/// Near all of it, what is missing matters.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match () {
        () if (99.0..100.0).contains(&percent) => trimmed(format!("{percent:.2}")),
        () if percent.abs() < 1.0 => digits(percent),
        () => trimmed(format!("{percent:.1}")),
    }
}

fn digits(value: f64) -> String {
    let places = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.995 => 2,
        _ => 3,
    };
    trimmed(format!("{value:.places$}"))
}

/// Without zeros at the end of a fraction.
fn trimmed(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_text::units::Per;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        const PER_SECOND: Option<Per> = Some(Per {
            seconds: 1,
            name: "s",
        });
        for (given, unit, per, wanted) in [
            (0.2346, Unit::Seconds, None, "235 ms"),
            (1.25, Unit::Seconds, None, "1.25 s"),
            (0.9997, Unit::Ratio, None, "99.97%"),
            (0.5, Unit::Ratio, None, "50%"),
            (4e10, Unit::Bytes, None, "37.3 GiB"),
            (2_400.0, Unit::Tokens, PER_SECOND, "2.4 Ktok/s"),
            (36.0, Unit::Requests, None, "36"),
            (0.0, Unit::Count, None, "0"),
        ] {
            assert_eq!(value(given, ValueUnit { unit, per }), wanted);
        }
    }
}
