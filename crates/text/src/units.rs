//! Quantities with units: exact, checked by dimension, printed cleanly.
//!
//! ```
//! use slosmith_text::units::{Quantity, Unit, decimal};
//!
//! let bound: Quantity = "500ms".parse().expect("a quantity");
//! assert_eq!(bound.of(Unit::Seconds, false).map(decimal), Ok("0.5".to_owned()));
//! assert!(bound.of(Unit::Ratio, false).is_err());
//! ```

mod duration;
mod error;
mod number;
mod parse;
mod read;

use std::fmt;

use number::split_number;

pub use duration::{Duration, days_of};
pub use error::ParseError;
pub use number::{Number, decimal, float, parse_decimal, printed_float, readable};
use schemars::JsonSchema;
use serde::Deserialize;

/// The code of a currency. A name of its own: serde would borrow a `&str` from the input.
pub type Currency = &'static str;

/// Unit of a signal. The base unit of each dimension is the Prometheus base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Time, in seconds.
    Seconds,
    /// A ratio: 1 is 100%.
    Ratio,
    /// Data, in bytes.
    Bytes,
    /// True (1) or false (0).
    Bool,
    /// A plain number.
    Count,
    /// Requests.
    Requests,
    /// Tokens.
    Tokens,
    /// Floating-point operations.
    Flops,
    /// Power, in watts.
    Watts,
    /// Temperature, in degrees Celsius.
    Celsius,
    /// Frequency, in hertz.
    Hertz,
    /// Money in a currency, by its code (`USD`). Only signals of the library have it.
    #[serde(skip)]
    Money(Currency),
}

/// What kinds of quantity can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Time,
    Ratio,
    Data,
    Count,
    Power,
    Temperature,
    Frequency,
    Money(&'static str),
}

impl Unit {
    pub fn as_str(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Ratio => "ratio",
            Unit::Bytes => "bytes",
            Unit::Bool => "bool",
            Unit::Count => "count",
            Unit::Requests => "requests",
            Unit::Tokens => "tokens",
            Unit::Flops => "flops",
            Unit::Watts => "watts",
            Unit::Celsius => "celsius",
            Unit::Hertz => "hertz",
            Unit::Money(currency) => currency,
        }
    }

    /// True if the quotient of amounts of two units is a share: tokens of tokens, but not tokens of requests.
    pub fn shares(self, other: Self) -> bool {
        let plain = |unit| matches!(unit, Unit::Bool | Unit::Count | Unit::Requests);
        self == other || plain(self) && plain(other)
    }

    fn dimension(self) -> Dimension {
        match self {
            Unit::Seconds => Dimension::Time,
            Unit::Ratio => Dimension::Ratio,
            Unit::Bytes => Dimension::Data,
            Unit::Bool | Unit::Count | Unit::Requests | Unit::Tokens | Unit::Flops => {
                Dimension::Count
            }
            Unit::Watts => Dimension::Power,
            Unit::Celsius => Dimension::Temperature,
            Unit::Hertz => Dimension::Frequency,
            Unit::Money(currency) => Dimension::Money(currency),
        }
    }

    fn article(self) -> &'static str {
        match self {
            Unit::Seconds => "a time",
            Unit::Ratio => "a ratio",
            Unit::Bytes => "an amount of data",
            Unit::Bool => "0 or 1",
            Unit::Count => "a plain number",
            Unit::Requests => "a number of requests",
            Unit::Tokens => "a number of tokens",
            Unit::Flops => "a number of operations",
            Unit::Watts => "a power",
            Unit::Celsius => "a temperature",
            Unit::Hertz => "a frequency",
            Unit::Money(_) => "an amount of money",
        }
    }
}

impl Dimension {
    fn article(self) -> &'static str {
        match self {
            Dimension::Time => "a time",
            Dimension::Ratio => "a percentage",
            Dimension::Data => "an amount of data",
            Dimension::Count => "a plain number",
            Dimension::Power => "a power",
            Dimension::Temperature => "a temperature",
            Dimension::Frequency => "a frequency",
            Dimension::Money(_) => "an amount of money",
        }
    }

    /// A quantity as a spec would write it, for messages.
    fn example(self) -> String {
        match self {
            Dimension::Time => "500ms",
            Dimension::Ratio => "95%",
            Dimension::Data => "1GiB",
            Dimension::Count => "10",
            Dimension::Power => "300W",
            Dimension::Temperature => "80C",
            Dimension::Frequency => "1.4GHz",
            Dimension::Money(currency) => return format!("2.5 {currency}"),
        }
        .to_owned()
    }

    /// Suffixes that a number without any may have meant, likeliest first.
    fn suffixes(self) -> [&'static str; 2] {
        match self {
            Dimension::Time => ["s", "ms"],
            Dimension::Ratio => ["%", ""],
            Dimension::Data => ["B", "GiB"],
            Dimension::Count => ["", ""],
            Dimension::Power => ["W", "kW"],
            Dimension::Temperature => ["C", ""],
            Dimension::Frequency => ["Hz", "GHz"],
            Dimension::Money(currency) => [currency, ""],
        }
    }
}

/// A value of a signal as a spec would write it: `100ms`, `2.5s`, `95%`, `80`.
pub fn shown(value: Number, unit: Unit) -> String {
    let one = Number::from_integer(1);
    match unit.dimension() {
        Dimension::Time if value < one && value > Number::from_integer(0) => {
            format!("{}ms", decimal(value * 1_000))
        }
        Dimension::Time => format!("{}s", decimal(value)),
        Dimension::Ratio => format!("{}%", decimal(value * 100)),
        Dimension::Count => decimal(value),
        Dimension::Money(currency) => format!("{} {currency}", decimal(value)),
        other => format!("{}{}", decimal(value), other.suffixes()[0]),
    }
}

/// A measured value like [`shown`]: 4 digits, and all before the point. What no exact number holds is printed as it is.
pub fn shown_measured(value: f64, unit: Unit) -> String {
    let text = if value.abs() < 1e3 {
        format!("{value:.3e}")
    } else {
        format!("{value:.0}")
    };
    match parse_decimal(&text) {
        Ok(exact) => shown(exact, unit),
        Err(_) => format!("{value:e}"),
    }
}

/// The time a rate is counted over, as the author wrote it (`/min`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Per {
    /// Seconds in it.
    pub seconds: u32,
    /// Its short name: `s`, `min`, `h`, `d`.
    pub name: &'static str,
}

/// A number with a unit, and the way it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// In the base unit of its dimension; a rate is in base units per its own time.
    value: Number,
    suffix: Suffix,
    per: Option<Per>,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suffix {
    None,
    Of(Dimension),
}

/// Why a quantity does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mismatch {
    pub message: String,
    pub help: String,
}

impl Quantity {
    /// The value, if it has no unit.
    pub fn bare(&self) -> Option<Number> {
        (self.suffix == Suffix::None && self.per.is_none()).then_some(self.value)
    }

    /// The number before the unit, as written: 1.5 of `1.5h`; none of several units (`1h30m`).
    pub fn written(&self) -> Option<Number> {
        let (number, unit) = split_number(self.text.trim());
        let is_one = !unit.bytes().any(|b| b.is_ascii_digit());
        is_one.then(|| parse_decimal(number).ok())?
    }

    /// Another number of the same unit.
    pub fn with_number(&self, number: Number) -> Option<Self> {
        let (_, unit) = split_number(self.text.trim());
        format!("{}{unit}", decimal(number)).parse().ok()
    }

    /// The value for a signal of `unit`, in its base unit.
    pub fn of(&self, unit: Unit, rate: bool) -> Result<Number, Mismatch> {
        let wanted = unit.dimension();
        let fits = match self.suffix {
            Suffix::Of(found) => found == wanted,
            Suffix::None => {
                wanted == Dimension::Count
                    || (wanted == Dimension::Ratio && self.value <= Number::from_integer(1))
                    || self.value == Number::from_integer(0)
            }
        };
        // Nothing is nothing in any unit of time.
        let is_nothing = self.bare() == Some(Number::from_integer(0));
        if fits && (rate == self.per.is_some() || is_nothing) {
            return Ok(self.value);
        }
        Err(self.mismatch(unit, rate, fits))
    }

    fn mismatch(&self, unit: Unit, rate: bool, fits: bool) -> Mismatch {
        let wanted = unit.dimension();
        let amount = self.text.split('/').next().unwrap_or_default().trim();
        let per_time = if rate { " per time" } else { "" };
        let time = if rate { "/min" } else { "" };
        let (message, help) = match self.suffix {
            _ if fits && rate => (
                format!("`{self}` has no unit of time; expected a rate"),
                format!("write `{amount}/s` or `{amount}/min`"),
            ),
            _ if fits => (
                format!("`{self}` is a rate; expected {}", unit.article()),
                format!("write `{amount}`"),
            ),
            Suffix::None if wanted == Dimension::Ratio => (
                format!("`{self}` means {}%", decimal(self.value * 100)),
                format!("write `{amount}%{time}`"),
            ),
            Suffix::None => {
                let suffixes = wanted.suffixes().into_iter().filter(|s| !s.is_empty());
                let written: Vec<_> = suffixes.map(|s| format!("`{amount}{s}{time}`")).collect();
                (
                    format!(
                        "`{self}` has no unit; expected {}{per_time}",
                        unit.article()
                    ),
                    format!("write {}", written.join(" or ")),
                )
            }
            Suffix::Of(found) => (
                match (found, unit) {
                    (Dimension::Money(found), Unit::Money(currency)) => {
                        format!("`{self}` is in {found}; the prices of this spec are in {currency}")
                    }
                    _ => format!(
                        "`{self}` is {}, not {}{per_time}",
                        found.article(),
                        unit.article()
                    ),
                },
                match unit {
                    Unit::Bool => "write 0 or 1".to_owned(),
                    _ => format!("use a value like `{}{time}`", wanted.example()),
                },
            ),
        };
        Mismatch { message, help }
    }

    pub fn money(&self) -> Option<(&'static str, Number)> {
        match self.suffix {
            Suffix::Of(Dimension::Money(currency)) if self.per.is_none() => {
                Some((currency, self.value))
            }
            _ => None,
        }
    }

    pub fn per(&self) -> Option<Per> {
        self.per
    }

    /// A fraction: `99.9%` or `0.999`.
    pub fn ratio(&self) -> Result<Number, Mismatch> {
        self.of(Unit::Ratio, false)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(text: &str) -> Quantity {
        text.parse().expect(text)
    }

    fn base(text: &str, unit: Unit) -> String {
        let quantity = q(text);
        decimal(quantity.of(unit, quantity.per().is_some()).expect(text))
    }

    #[test]
    fn base_units() {
        assert_eq!(base("500ms", Unit::Seconds), "0.5");
        assert_eq!(base("1h30m", Unit::Seconds), "5400");
        assert_eq!(base("99.95%", Unit::Ratio), "0.9995");
        assert_eq!(base("0.5", Unit::Ratio), "0.5");
        assert_eq!(base("1GiB/h", Unit::Bytes), "1073741824");
        assert_eq!(base("10/min", Unit::Tokens), "10");
        assert_eq!(base("1.4GHz", Unit::Hertz), "1400000000");
        assert_eq!(base("-3", Unit::Count), "-3");
        assert_eq!(base("2.50 USD", Unit::Money("USD")), "2.5");
    }

    #[test]
    fn dimensions_are_checked() {
        let wrong = [
            ("500ms", Unit::Ratio, false),
            ("500", Unit::Seconds, false),
            ("95", Unit::Ratio, false),
            ("10", Unit::Tokens, true),
            ("10/s", Unit::Tokens, false),
            ("5%", Unit::Requests, false),
            ("2.5", Unit::Money("USD"), false),
            ("2.5 EUR", Unit::Money("USD"), false),
        ];
        for (text, unit, rate) in wrong {
            assert!(q(text).of(unit, rate).is_err(), "{text} as {unit:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "ms",
            "5 parsecs",
            "1e999",
            "5/fortnight",
            "1m1h",
            "99,9%",
            "nan",
        ] {
            assert!(text.parse::<Quantity>().is_err(), "{text}");
        }
    }

    #[test]
    fn measured_values_are_short_and_never_too_large_to_print() {
        for (value, unit, wanted) in [
            (0.234_567, Unit::Seconds, "234.6ms"),
            (12_345.0, Unit::Count, "12345"),
            (0.000_001, Unit::Ratio, "0.0001%"),
            (0.0, Unit::Ratio, "0%"),
            (1e300, Unit::Seconds, "1e300"),
            (f64::MAX, Unit::Ratio, "1.7976931348623157e308"),
            (f64::INFINITY, Unit::Ratio, "inf"),
            (f64::NAN, Unit::Count, "NaN"),
        ] {
            assert_eq!(shown_measured(value, unit), wanted);
        }
    }
}
