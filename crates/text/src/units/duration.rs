//! Lengths of time that windows, periods and holding times are given in.

use std::fmt;
use std::str::FromStr;

use super::number::split_number;
use super::{Number, ParseError, parse_decimal};

/// A whole number of seconds, written `5m`, `1h30m`, `28d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    seconds: u64,
}

impl Duration {
    pub const fn from_secs(seconds: u64) -> Self {
        Self { seconds }
    }

    pub const fn from_mins(minutes: u64) -> Self {
        Self::from_secs(minutes * 60)
    }

    pub const fn as_secs(self) -> u64 {
        self.seconds
    }

    pub fn number(self) -> Number {
        Number::from_integer(i128::from(self.seconds))
    }

    pub const fn mins_up(self) -> u64 {
        self.seconds.div_ceil(60)
    }
}

/// Shortest form that Prometheus reads; days are the largest unit, so 28 days print as `28d`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seconds == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.seconds;
        for (length, name) in [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")] {
            if rest >= length {
                write!(f, "{}{name}", rest / length)?;
                rest %= length;
            }
        }
        Ok(())
    }
}

impl FromStr for Duration {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let seconds = seconds(text)?;
        if !seconds.is_integer() || seconds < Number::from_integer(0) {
            return Err(ParseError::WholeSeconds(text.to_owned()));
        }
        let too_long = || ParseError::TenYears(text.to_owned());
        let seconds = u64::try_from(seconds.to_integer()).map_err(|_| too_long())?;
        if seconds > 10 * 366 * 86_400 {
            return Err(too_long());
        }
        Ok(Self { seconds })
    }
}

pub(super) fn seconds(text: &str) -> Result<Number, ParseError> {
    let wrong = || ParseError::Duration(text.to_owned());
    let mut rest = text;
    let mut total = Number::from_integer(0);
    let mut previous = None;
    while !rest.is_empty() || previous.is_none() {
        let (number, tail) = split_number(rest);
        let end = tail
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(tail.len());
        let (_, length) = time_unit(&tail[..end]).ok_or_else(wrong)?;
        if previous.is_some_and(|p| length >= p) {
            return Err(wrong());
        }
        total += parse_decimal(number).map_err(|_| wrong())? * length;
        previous = Some(length);
        rest = &tail[end..];
    }
    Ok(total)
}

pub(super) fn time_unit(name: &str) -> Option<(&'static str, Number)> {
    let whole = |n: i128| Number::from_integer(n);
    Some(match name {
        "ns" => ("ns", Number::new(1, 1_000_000_000)),
        "us" => ("us", Number::new(1, 1_000_000)),
        "ms" => ("ms", Number::new(1, 1_000)),
        "s" => ("s", whole(1)),
        "m" | "min" => ("min", whole(60)),
        "h" => ("h", whole(3_600)),
        "d" => ("d", whole(86_400)),
        "w" => ("w", whole(7 * 86_400)),
        _ => return None,
    })
}

/// Days of a month; none of a month that there is not.
pub fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_trip() {
        for text in ["5m", "1h30m", "28d", "90d", "15s", "1d12h", "0s"] {
            assert_eq!(text.parse::<Duration>().expect(text).to_string(), text);
        }
        assert_eq!("4w".parse::<Duration>().expect("4w").to_string(), "28d");
        for text in [
            "",
            "5",
            "m",
            "1m1h",
            "1.5",
            "5x",
            "-5m",
            "500ms",
            "99999999d",
        ] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }
}
