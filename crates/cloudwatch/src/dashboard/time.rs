//! When a dashboard begins and ends: `-PT6H`, or two moments.

use crate::fields::Fields;
use slosmith_text::units::days_of;

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
        let message = "start must be `-PT` with minutes or hours, `-P` with days, weeks or months, or an ISO 8601 time";
        f.wrong("start", message);
    }
    if let Some(text) = end
        && !is_moment(text)
        && !is_ago(text)
        && text != "P0D"
    {
        f.wrong("end", "end must be an ISO 8601 time");
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
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    (1..=days_of(year, month)).contains(&day)
}

/// `06:00`, `06:00:00.000`, and where that is: `Z`, `+02:00`.
fn is_time(time: &str) -> bool {
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(end);
    let mut parts = clock.split(':');
    let hour = parts.next().and_then(|hour| digits(hour, 2));
    let minute = parts.next().map(|minute| digits(minute, 2));
    let second = parts.next().map(|second| {
        let (whole, part) = second.split_once(['.', ',']).unwrap_or((second, "0"));
        digits(part, part.len()).and(digits(whole, 2))
    });
    let within =
        |part: Option<Option<u32>>, most: u32| part.is_none_or(|n| n.is_some_and(|n| n <= most));
    within(Some(hour), 24)
        && within(minute, 59)
        && within(second, 60)
        && parts.next().is_none()
        && zone
            .chars()
            .all(|c| c.is_ascii_digit() || ":+-Z".contains(c))
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let fits = text.len() == count && !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    text.get(..text.len().min(9)).filter(|_| fits)?.parse().ok()
}
