//! Limits of requests: how long a name is, how far an alarm looks back.
//!
//! `longest_look_back(60)` is a day: 1,440 points of a minute. Specs are checked against the same numbers, so
//! that an author hears of them where the value is.

pub const NAME: usize = 255;

pub const DESCRIPTION: usize = 1024;

pub const ACTIONS: usize = 5;

pub const ACTION: usize = 1024;

pub const DIMENSION_VALUE: usize = 1024;

pub const DIMENSIONS: usize = 30;

pub const TAGS: usize = 50;

pub const TAG_NAME: usize = 128;

pub const TAG_VALUE: usize = 256;

/// Metrics of an alarm on metric math, and as many expressions.
pub const ALARM_METRICS: usize = 10;

pub const PROMQL: usize = 10_000;

/// Seconds of a day, an hour, a minute.
const DAY: u64 = 86_400;
const HOUR: u64 = 3_600;
const MINUTE: u64 = 60;

/// Seconds of the longest range in PromQL: longer ones are refused ("24-hour scan window" in AWS's "PromQL limits and
/// restrictions"; measured by <https://dev.classmethod.jp/en/articles/cloudwatch-promql-30day-query-window/>).
pub const PROMQL_RANGE: u64 = DAY;

/// Seconds for which an alarm on PromQL may wait before it fires or ends (`PendingPeriod` and `RecoveryPeriod` of PutMetricAlarm).
pub const PROMQL_WAIT: u64 = DAY;

const SHORT_PERIODS: [u64; 3] = [10, 20, 30];

pub fn is_period(seconds: u64) -> bool {
    SHORT_PERIODS.contains(&seconds) || (seconds > 0 && seconds.is_multiple_of(MINUTE))
}

/// Seconds between two values of a metric of AWS, without further settings: a minute, unless its service documents more
/// (user guides of S3, "storage metrics are reported once per day"; of EC2, "5-minute periods"; of billing, "several times daily").
pub fn interval(namespace: &str, metric: &str) -> u64 {
    match (namespace, metric) {
        ("AWS/S3", "BucketSizeBytes" | "NumberOfObjects") => DAY,
        ("AWS/Billing", _) => 6 * HOUR,
        ("AWS/EC2", metric) if !metric.starts_with("StatusCheckFailed") => BASIC,
        _ => MINUTE,
    }
}

/// The interval of basic monitoring. With detailed monitoring, there is a value a minute.
pub const BASIC: u64 = 5 * MINUTE;

/// Seconds that an alarm may look back: a week; with periods below an hour, a day.
pub fn longest_look_back(period: u64) -> u64 {
    match period < HOUR {
        true => DAY,
        false => 7 * DAY,
    }
}

pub fn longest_look_back_words(period: u64) -> &'static str {
    match period < HOUR {
        true => "1 day with periods below 1h",
        false => "1 week",
    }
}

pub fn is_alarm_name(name: &str) -> bool {
    (1..=NAME).contains(&name.chars().count()) && !name.chars().any(|c| c.is_ascii_control())
}

/// True for a text that repeats, in a row of a dashboard's metric, what the row before says. Nothing that a
/// dashboard shows may have this name.
pub fn is_repetition(text: &str) -> bool {
    matches!(text, "." | "...")
}

/// True for a name or value of a dimension, whatever its length.
pub fn is_printable(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~')) && !text.trim().is_empty()
}

/// True for a value that a dimension can have, and a dashboard show.
pub fn is_dimension_value(text: &str) -> bool {
    is_printable(text) && text.len() <= DIMENSION_VALUE && !is_repetition(text)
}
