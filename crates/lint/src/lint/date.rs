//! Dates. The library never reads a clock: the caller passes the date of today.

use std::fmt;
use std::str::FromStr;

use slosmith_text::units::days_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i64,
    month: u8,
    day: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date; write year, month and day, such as `2027-01-31`")]
pub struct NoDate(String);

impl Date {
    pub fn from_days(days: i64) -> Self {
        // Counted from 1 March of year 0, leap days come last and every era of 400 years is alike.
        const ERA: i64 = 146_097;
        let days = days + 719_468;
        let day_of_era = days.rem_euclid(ERA);
        let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (ERA - 1);
        let year_of_era = (day_of_era - leap_days) / 365;
        let leaps_before = year_of_era / 4 - year_of_era / 100;
        let day_of_year = day_of_era - (365 * year_of_era + leaps_before);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + days.div_euclid(ERA) * 400 + i64::from(month <= 2);
        let small = |n: i64| u8::try_from(n).unwrap_or(1);
        Self {
            year,
            month: small(month),
            day: small(day_of_year - (153 * shifted + 2) / 5 + 1),
        }
    }
}

impl FromStr for Date {
    type Err = NoDate;

    fn from_str(text: &str) -> Result<Self, NoDate> {
        parse(text).ok_or_else(|| NoDate(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Date> {
    let shape = |(i, b): (usize, u8)| {
        if matches!(i, 4 | 7) {
            b == b'-'
        } else {
            b.is_ascii_digit()
        }
    };
    if text.len() != 10 || !text.bytes().enumerate().all(shape) {
        return None;
    }
    let date = Date {
        year: text[..4].parse().ok()?,
        month: text[5..7].parse().ok()?,
        day: text[8..].parse().ok()?,
    };
    let last = days_of(u32::try_from(date.year).ok()?, date.month.into());
    let fine = (1..=last).contains(&date.day.into());
    fine.then_some(date)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_ordered() {
        let date = |text: &str| text.parse::<Date>().expect(text);
        assert!(date("2026-12-31") < date("2027-01-01"));
        assert!(date("2027-01-09") < date("2027-01-10"));
        assert_eq!(date("2028-02-29").to_string(), "2028-02-29");
        for wrong in [
            "2027-02-29",
            "2027-13-01",
            "2027-1-1",
            "27-01-01",
            "2027-04-31",
            "2027-00-01",
            "20270-1-1",
            "é27-01-01",
            "+027-01-01",
            "tomorrow",
        ] {
            assert!(wrong.parse::<Date>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn days_since_1970() {
        let day = |days: i64| Date::from_days(days).to_string();
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_819), "2027-01-01");
        // Every day is followed by the next, so none is skipped or named twice.
        let mut before = Date::from_days(-200_000);
        for days in -199_999..200_000 {
            let next = Date::from_days(days);
            assert!(
                before < next && parse(&next.to_string()) == Some(next),
                "{next}"
            );
            before = next;
        }
    }
}
