//! When an alarm is evaluated and what its notifications hold: windows, warm-up, tags that are sent along.
//!
//! `{"WallClockWindow": {"Timezone": "+05:07"}}` has a violation: offsets are multiples of five minutes.

use super::fields::Fields;
use super::unknown::known;

/// Minutes of a warm-up.
const LONGEST_WARM_UP: i64 = 2_880;

/// Seconds of a period that follows the clock.
const CLOCK: [i64; 5] = [60, 300, 3_600, 86_400, 604_800];

/// Tags that are sent along.
const SENT: usize = 50;

pub(super) fn window(f: &mut Fields<'_, '_>, periods: &[i64]) {
    let Some(mut window) = f.object("EvaluationWindow") else {
        return;
    };
    window.only(&["SlidingWindow", "WallClockWindow"]);
    let (sliding, clock) = ("SlidingWindow", "WallClockWindow");
    if window.lacks(sliding) && window.lacks(clock) || window.has(sliding) && window.has(clock) {
        window.wrong(
            "",
            "exactly one of `SlidingWindow` and `WallClockWindow` is required",
        );
        return;
    }
    if let Some(mut sliding) = window.object(sliding) {
        sliding.only(&[]);
    }
    let Some(mut clock) = window.object(clock) else {
        return;
    };
    clock.only(&["Timezone"]);
    if let Some(zone) = clock.length("Timezone", 1, 50)
        && let Err(why) = is_zone(zone)
    {
        clock.wrong("Timezone", why);
    }
    if let Some(period) = periods.iter().find(|period| !CLOCK.contains(period)) {
        let message = format!(
            "`WallClockWindow` cannot have a period of {period} seconds; use 60, 300, 3600, 86400 or 604800"
        );
        clock.wrong("", message);
    }
}

/// A name such as `Europe/Berlin`, `+05:30` or `UTC+05:30`.
fn is_zone(zone: &str) -> Result<(), &'static str> {
    let bare = zone
        .strip_prefix("UTC")
        .or_else(|| zone.strip_prefix("GMT"))
        .or_else(|| zone.strip_prefix("UT"))
        .unwrap_or(zone);
    if let Some(offset) = bare.strip_prefix(['+', '-']) {
        let digits: String = offset.chars().filter(|c| *c != ':').collect();
        let minutes = digits.get(2..4).unwrap_or("00").parse::<u32>();
        let known = digits.chars().all(|c| c.is_ascii_digit()) && (1..=4).contains(&digits.len());
        return match minutes {
            Ok(minutes) if known && minutes % 5 == 0 => Ok(()),
            _ => Err("an offset must be `+hh:mm` in steps of five minutes"),
        };
    }
    let named = |c: char| c.is_ascii_alphanumeric() || "/_+-".contains(c);
    match zone.chars().all(named) {
        true => Ok(()),
        false => {
            Err("a time zone must be a name such as Europe/Berlin, or an offset such as +05:30")
        }
    }
}

pub(super) fn warm_up(f: &mut Fields<'_, '_>) {
    let Some(mut warm_up) = f.object("WarmUpConfiguration") else {
        return;
    };
    let minutes = "WarmUpPeriodDurationInMinutes";
    let whole = "OnlyStartEvaluatingAfterWarmUpPeriodEnds";
    warm_up.only(&[minutes, whole]);
    warm_up.required(minutes);
    warm_up.within(minutes, 1, LONGEST_WARM_UP);
    warm_up.boolean(whole);
}

pub(super) fn notifications(f: &mut Fields<'_, '_>) {
    let Some(mut configuration) = f.object("ActionConfiguration") else {
        return;
    };
    configuration.only(&["AlarmTagsPropagation"]);
    let Some(mut tags) = configuration.object("AlarmTagsPropagation") else {
        return;
    };
    let lists = ["IncludedTagKeys", "ExcludedTagKeys"];
    tags.only(&["Enabled", lists[0], lists[1]]);
    tags.required("Enabled");
    tags.boolean("Enabled");
    if tags.has(lists[0]) {
        tags.none_of(&lists[1..], lists[0]);
    }
    for key in lists {
        let names = tags.list(key);
        let counted = known(names).count();
        if tags.has(key) && (names.is_empty() || counted > SENT) {
            tags.wrong(
                key,
                format!("`{key}` has {counted} names; 1 to {SENT} are allowed"),
            );
        }
        for (i, name) in known(names) {
            let length = name.as_str().map_or(0, |name| name.chars().count());
            if !(1..=128).contains(&length) {
                tags.wrong(
                    &format!("{key}/{i}"),
                    "a tag name must have 1 to 128 characters",
                );
            }
        }
    }
}
