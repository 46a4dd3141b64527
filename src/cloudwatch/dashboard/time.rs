//! When a dashboard begins and ends: `-PT6H`, or two moments.

use crate::cloudwatch::fields::Fields;

/// Checks `start` and `end`.
pub(super) fn check(f: &mut Fields<'_, '_>) {
    let (start, end) = (f.text("start"), f.text("end"));
    if f.has("end") && f.lacks("start") {
        f.wrong("end", "end needs start");
        return;
    }
    if let Some(text) = start
        && !is_moment(text)
        && !is_ago(text)
    {
        let message = "start is `-PT` with minutes or hours, `-P` with days, weeks or months, or a moment in ISO 8601";
        f.wrong("start", message);
    }
    if let Some(text) = end
        && !is_moment(text)
        && !is_ago(text)
        && text != "P0D"
    {
        f.wrong("end", "end is a moment in ISO 8601");
    }
}

/// `-PT8H`, `-P3M`.
fn is_ago(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("-P") else {
        return false;
    };
    let (rest, units) = match rest.strip_prefix('T') {
        Some(rest) => (rest, &["M", "H", "S"][..]),
        None => (rest, &["D", "W", "M", "Y"][..]),
    };
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &rest[digits.len()..];
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) && units.contains(&unit)
}

/// `2018-12-17T06:00:00.000Z`, with less detail as well.
pub(super) fn is_moment(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    is_date(date) && time.is_none_or(is_time)
}

fn is_date(date: &str) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let within = |part: &str, most: u32| {
        let number = part.parse::<u32>().ok().filter(|_| part.len() == 2);
        number.is_some_and(|n| (1..=most).contains(&n))
    };
    year.len() == 4
        && year.chars().all(|c| c.is_ascii_digit())
        && within(month, 12)
        && within(day, 31)
}

fn is_time(time: &str) -> bool {
    time.starts_with(|c: char| c.is_ascii_digit())
        && time
            .chars()
            .all(|c| c.is_ascii_digit() || ":.,+-Z".contains(c))
}
