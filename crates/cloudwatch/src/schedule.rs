//! Schedules of mute rules: `cron(0 2 * * SUN)` again and again, `at(2027-01-01T02:00)` once.
//!
//! Source: the model of PutAlarmMuteRule. A cron expression has five fields, with `*`, `-`, `,` and English names.

use slosmith_text::units::days_of;

pub const MUTED_ALARMS: usize = 100;

pub const LONGEST_MUTE: u64 = 15 * 86_400;

/// A year in which February has 29 days.
const LEAP: u32 = 2028;

const MONTHS: [&str; 12] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

type Field = (&'static str, u32, u32, &'static [&'static str]);

const FIELDS: [Field; 5] = [
    ("minute", 0, 59, &[]),
    ("hour", 0, 23, &[]),
    ("day of the month", 1, 31, &[]),
    ("month", 1, 12, &MONTHS),
    ("day of the week", 0, 7, &DAYS),
];

pub fn check_schedule(text: &str) -> Result<(), String> {
    let inside = |word: &str| {
        text.strip_prefix(word)?
            .strip_prefix('(')?
            .strip_suffix(')')
    };
    match (inside("cron"), inside("at")) {
        (Some(cron), _) => check_cron(cron),
        (_, Some(at)) => match is_moment(at) {
            true => Ok(()),
            false => Err(format!(
                "`{at}` is not a date and time: write it like `2027-01-01T02:00`"
            )),
        },
        _ => Err(format!(
            "`{text}` is not a schedule: write `cron(0 2 * * SUN)`, or `at(2027-01-01T02:00)`"
        )),
    }
}

fn check_cron(cron: &str) -> Result<(), String> {
    let fields: Vec<_> = cron.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!(
            "a cron expression has 5 fields (minute, hour, day of the month, month, day of the week), not {}",
            fields.len()
        ));
    }
    for (text, field) in fields.iter().zip(FIELDS) {
        let fits = |part: &str| ends(part, field).is_some();
        if !text.split(',').all(fits) {
            let (what, low, high, names) = field;
            let name = names
                .first()
                .map(|name| format!(", or a name such as {name}"));
            let name = name.unwrap_or_default();
            return Err(format!(
                "`{text}` is not a valid {what}: use `*`, a number from {low} to {high}{name}"
            ));
        }
    }
    match fields[4] == "*" && !has_a_day(fields[2], fields[3]) {
        true => Err(format!(
            "no month of `{}` has a day `{}`",
            fields[3], fields[2]
        )),
        false => Ok(()),
    }
}

fn number(text: &str, (_, low, high, names): Field) -> Option<u32> {
    let name = text.to_ascii_uppercase();
    let named = (low..).zip(names).find(|(_, known)| **known == name);
    let number = text.parse().ok().filter(|n| (low..=high).contains(n));
    named.map(|(n, _)| n).or(number)
}

fn ends(part: &str, field: Field) -> Option<(u32, u32)> {
    let (_, low, high, _) = field;
    match part.split_once('-') {
        Some((from, to)) => Some((number(from, field)?, number(to, field)?)),
        None if part == "*" => Some((low, high)),
        None => number(part, field).map(|n| (n, n)),
    }
}

/// All numbers that a field names. A range that ends before it begins goes on in the new year.
fn numbers(text: &str, field: Field) -> impl Iterator<Item = u32> {
    let (_, low, high, _) = field;
    let parts = text.split(',').filter_map(move |part| ends(part, field));
    parts.flat_map(move |(from, to)| {
        (low..=high).filter(move |n| match from <= to {
            true => (from..=to).contains(n),
            false => *n >= from || *n <= to,
        })
    })
}

fn has_a_day(days: &str, months: &str) -> bool {
    let first = numbers(days, FIELDS[2]).min().unwrap_or(1);
    numbers(months, FIELDS[3]).any(|month| first <= days_of(LEAP, month))
}

fn is_moment(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let number = |from: usize, to: usize| text.get(from..to).and_then(|n| n.parse::<u32>().ok());
    let last = days_of(number(0, 4).unwrap_or(0), number(5, 7).unwrap_or(0));
    shape == "0000-00-00T00:00"
        && number(5, 7).is_some_and(|month| (1..=12).contains(&month))
        && number(8, 10).is_some_and(|day| (1..=last).contains(&day))
        && number(11, 13).is_some_and(|hour| hour < 24)
        && number(14, 16).is_some_and(|minute| minute < 60)
}

#[cfg(test)]
mod tests {
    use super::check_schedule;

    /// The examples of the service model, and what it does not describe.
    #[test]
    fn schedules_are_those_of_the_model() {
        for good in [
            "cron(0 2 * * *)",
            "cron(0 2 * * SUN)",
            "cron(0 1 1 * *)",
            "cron(0 18 * * FRI)",
            "cron(0,30 9-17 * JAN-MAR MON-FRI)",
            "at(2024-05-10T14:00)",
            "at(2028-02-29T14:00)",
            "cron(0 2 29 FEB *)",
            "cron(0 2 31 NOV-JAN *)",
            "cron(0 2 31 FEB SUN)",
        ] {
            assert_eq!(check_schedule(good), Ok(()), "{good}");
        }
        for bad in [
            "0 2 * * *",
            "cron(0 2 * *)",
            "cron(0 2 ? * SUN *)",
            "cron(60 2 * * *)",
            "cron(*/5 * * * *)",
            "cron(0 2 * * SUNDAY)",
            "at(2024-05-10)",
            "at(2024-13-10T14:00)",
            "rate(5 minutes)",
            "at(2027-02-29T02:00)",
            "at(2027-04-31T02:00)",
            "cron(0 2 31 FEB *)",
            "cron(0 2 30,31 2 *)",
            "cron(0 2 31 APR,JUN *)",
        ] {
            assert!(check_schedule(bad).is_err(), "{bad}");
        }
    }
}
