//! Schedules of mute rules: `cron(0 2 * * SUN)` again and again, `at(2027-01-01T02:00)` once.
//!
//! Source: the model of PutAlarmMuteRule. A cron expression has five fields, with `*`, `-`, `,` and English names.

/// Alarms that one mute rule names.
pub const MUTED_ALARMS: usize = 100;

/// Seconds that a mute rule lasts at most: 15 days.
pub const LONGEST_MUTE: u64 = 15 * 86_400;

/// Characters of a time zone.
pub const TIMEZONE: usize = 50;

const MONTHS: [&str; 12] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// A field of a cron expression: what it is, its numbers, its names.
type Field = (&'static str, u32, u32, &'static [&'static str]);

const FIELDS: [Field; 5] = [
    ("minute", 0, 59, &[]),
    ("hour", 0, 23, &[]),
    ("day of the month", 1, 31, &[]),
    ("month", 1, 12, &MONTHS),
    ("day of the week", 0, 7, &DAYS),
];

/// What is wrong with the schedule of a mute rule.
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
                "`{at}` is not a moment: write it like `2027-01-01T02:00`"
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
    for (text, (what, low, high, names)) in fields.into_iter().zip(FIELDS) {
        let is_one = |one: &str| {
            names.contains(&one.to_ascii_uppercase().as_str())
                || one.parse().is_ok_and(|n: u32| (low..=high).contains(&n))
        };
        let fits = |part: &str| match part.split_once('-') {
            Some((from, to)) => is_one(from) && is_one(to),
            None => part == "*" || is_one(part),
        };
        if !text.split(',').all(fits) {
            return Err(format!(
                "`{text}` is no {what}: it is `*`, or {low} to {high}"
            ));
        }
    }
    Ok(())
}

/// `2027-01-01T02:00`
fn is_moment(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let number = |from: usize, to: usize| text.get(from..to).and_then(|n| n.parse::<u32>().ok());
    shape == "0000-00-00T00:00"
        && number(5, 7).is_some_and(|month| (1..=12).contains(&month))
        && number(8, 10).is_some_and(|day| (1..=31).contains(&day))
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
        ] {
            assert!(check_schedule(bad).is_err(), "{bad}");
        }
    }
}
