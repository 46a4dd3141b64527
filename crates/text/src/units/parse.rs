//! Reading quantities from text.

use std::str::FromStr;

use super::duration::{seconds, time_unit};
use super::number::split_number;
use super::{Dimension, Number, ParseError, Per, Quantity, Suffix, parse_decimal};

/// Codes of the currencies that a price can have (ISO 4217).
const CURRENCIES: [&str; 24] = [
    "AED", "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "ILS", "INR",
    "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "SEK", "SGD", "TRY", "USD", "ZAR",
];

fn other_unit(name: &str) -> Option<(Dimension, Number)> {
    let whole = |n: i128| Number::from_integer(n);
    let kilo = |power: u32| whole(1000i128.pow(power));
    let kibi = |power: u32| whole(1024i128.pow(power));
    Some(match name {
        "%" => (Dimension::Ratio, Number::new(1, 100)),
        "B" => (Dimension::Data, whole(1)),
        "kB" | "KB" => (Dimension::Data, kilo(1)),
        "MB" => (Dimension::Data, kilo(2)),
        "GB" => (Dimension::Data, kilo(3)),
        "TB" => (Dimension::Data, kilo(4)),
        "KiB" => (Dimension::Data, kibi(1)),
        "MiB" => (Dimension::Data, kibi(2)),
        "GiB" => (Dimension::Data, kibi(3)),
        "TiB" => (Dimension::Data, kibi(4)),
        "W" => (Dimension::Power, whole(1)),
        "kW" => (Dimension::Power, kilo(1)),
        "C" | "°C" => (Dimension::Temperature, whole(1)),
        "Hz" => (Dimension::Frequency, whole(1)),
        "kHz" => (Dimension::Frequency, kilo(1)),
        "MHz" => (Dimension::Frequency, kilo(2)),
        "GHz" => (Dimension::Frequency, kilo(3)),
        _ => {
            let currency = CURRENCIES.into_iter().find(|code| *code == name)?;
            (Dimension::Money(currency), whole(1))
        }
    })
}

impl FromStr for Quantity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (amount, per) = match text.split_once('/') {
            Some((amount, per)) => (amount, Some(per_time(per.trim())?)),
            None => (text, None),
        };
        let (number, unit) = split_number(amount.trim());
        let unit = unit.trim();
        let (value, suffix) = if unit.is_empty() {
            (parse_decimal(number)?, Suffix::None)
        } else if let Some((dimension, factor)) = other_unit(unit) {
            (parse_decimal(number)? * factor, Suffix::Of(dimension))
        } else {
            let value = seconds(amount.trim());
            let value = value.map_err(|_| ParseError::Quantity(text.to_owned()))?;
            (value, Suffix::Of(Dimension::Time))
        };
        Ok(Quantity {
            value,
            suffix,
            per,
            text: text.to_owned(),
        })
    }
}

fn per_time(name: &str) -> Result<Per, ParseError> {
    match time_unit(name) {
        Some((name, length)) if length >= Number::from_integer(1) => Ok(Per {
            seconds: u32::try_from(length.to_integer()).unwrap_or(1),
            name,
        }),
        _ => Err(ParseError::Per(name.to_owned())),
    }
}
