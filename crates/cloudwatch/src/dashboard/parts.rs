//! What several widgets have: regions, colors, statistics, periods, ARNs, legends.

use serde_json::Value;

use crate::fields::Fields;
use crate::region::is_region;
use crate::statistic::Statistic;
use crate::unknown::known;

const SHORT: [i64; 5] = [1, 5, 10, 20, 30];

pub(super) fn region(f: &mut Fields<'_, '_>) {
    let Some(text) = f.text("region") else {
        return;
    };
    // In capitals it is a word that a script puts the region in for.
    let written = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ' ');
    if written && text != text.to_ascii_uppercase() && !is_region(text) {
        f.wrong(
            "region",
            format!("`{text}` is not a region such as us-east-1"),
        );
    }
}

pub(super) fn period(f: &mut Fields<'_, '_>) {
    let Some(seconds) = f.whole("period") else {
        return;
    };
    if !SHORT.contains(&seconds) && (seconds < 60 || seconds % 60 != 0) {
        let message =
            format!("period {seconds} must be 1, 5, 10, 20, 30 or a multiple of 60 seconds");
        f.wrong("period", message);
    }
}

pub(super) fn stat(f: &mut Fields<'_, '_>) {
    if let Some(Err(why)) = f.text("stat").map(str::parse::<Statistic>) {
        f.wrong("stat", why.to_string());
    }
}

pub(super) fn color(f: &mut Fields<'_, '_>) {
    let Some(text) = f.text("color") else { return };
    let digits = text.strip_prefix('#').unwrap_or_default();
    if !matches!(digits.len(), 3 | 6) || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        f.wrong("color", format!("`{text}` is not a color such as #1f77b4"));
    }
}

pub(super) fn legend(f: &mut Fields<'_, '_>) {
    if let Some(mut legend) = f.object("legend") {
        legend.one_of("position", &["right", "bottom", "hidden"]);
    }
}

pub(super) fn words(f: &mut Fields<'_, '_>, key: &str, words: &[&str]) {
    for (i, item) in known(f.list(key)) {
        if !item.as_str().is_some_and(|item| words.contains(&item)) {
            let message = format!("{item} must be one of {}", words.join(", "));
            f.wrong(&format!("{key}/{i}"), message);
        }
    }
}

pub(super) fn alarms(f: &mut Fields<'_, '_>, alarms: &[Value]) {
    for (i, alarm) in known(alarms) {
        if !alarm
            .as_str()
            .is_some_and(|arn| is_arn_of(arn, "cloudwatch"))
        {
            let message = "an alarm must be an ARN: `arn:aws:cloudwatch:region:account:alarm:name`";
            f.wrong(&format!("alarms/{i}"), message);
        }
    }
}

pub(super) fn is_arn_of(text: &str, service: &str) -> bool {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    matches!(parts.as_slice(), ["arn", partition, of, _, _, _] if partition.starts_with("aws") && *of == service)
}
