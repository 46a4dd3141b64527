//! What a plan means, in words for people: conditions, bounds, holding times, statistics, the lines of a panel.
//!
//! An alert, its runbook, its panel, its alarm and its place in a report say the same, because they take it from
//! here: `p95 of time to first token above 3s for 2m`. Titles of signals are noun phrases, and every sentence leaves
//! room for one, of any number: `Fires when: …`, never `Is … above …?`.

use super::dashboard::{Role, Threshold};
use super::{
    Absent, Bound, Compare, CompareOp, Condition, EventSli, Limit, Outside, PercentileSlo, Signal,
    SignalKind, Slo, Source, Tier,
};
use crate::spec::{Baseline, Side, Stat};
use crate::units::{Duration, Number, Unit, decimal, shown};

/// Text that begins with a capital.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A condition: `p95 of time to first token above 3s and …`.
pub fn condition(condition: &Condition) -> String {
    let list = |parts: &[Condition], word: &str| {
        let parts: Vec<_> = parts.iter().map(self::condition).collect();
        parts.join(word)
    };
    match condition {
        Condition::Compare(c) => format!("{} {}", subject(c), bound(&c.bound)),
        Condition::Absent(a) => format!("no series of {}", inside(&a.signal.title)),
        Condition::Raw(r) => match &r.words {
            Some(words) => words.clone(),
            None => format!("`{}`", r.query.expr),
        },
        Condition::All(parts, _) => list(parts, " and "),
        Condition::Any(parts, _) => list(parts, " or "),
        Condition::Unless(parts, _) => list(&parts[..], ", unless "),
    }
}

/// What an absence means, by itself: `Engine up: no series`.
pub fn gone(absent: &Absent) -> String {
    let title = capital(&absent.signal.title);
    format!("{title}: no series")
}

/// A condition and how long it must hold: `p95 of time to first token above 3s for 2m`.
pub fn condition_held(condition: &Condition, hold: Duration) -> String {
    self::condition(condition) + &held(condition, hold)
}

/// How long a condition must hold, to be said behind it; nothing when it counts at once.
///
/// A comma keeps the time apart from other parts and other times: `above 2 times its value 7d ago, for 10m`.
pub fn held(condition: &Condition, hold: Duration) -> String {
    let plain = matches!(condition, Condition::Compare(c) if matches!(c.bound, Bound::Fixed(..)));
    match (hold == Duration::default(), plain) {
        (true, _) => String::new(),
        (false, true) => format!(" for {hold}"),
        (false, false) => format!(", for {hold}"),
    }
}

/// How long a condition must hold, alone in a cell: `10m`, `at once`.
pub fn hold(hold: Duration) -> String {
    if hold == Duration::default() {
        return "at once".to_owned();
    }
    hold.to_string()
}

/// How a signal is read: `p95 of time to first token`.
pub fn subject(c: &Compare) -> String {
    reading(&c.signal, c.stat, c.window)
}

/// The same for any reading.
pub fn reading(signal: &Signal, stat: Stat, window: Duration) -> String {
    let title = inside(&signal.title);
    let is_histogram = signal.kind() == SignalKind::Histogram;
    match stat {
        Stat::Last => title,
        // A ratio is always that of the window.
        Stat::Avg if matches!(signal.source, Source::Ratio { .. }) => title,
        Stat::Avg => format!("mean of {title}"),
        Stat::Min => format!("minimum of {title}"),
        Stat::Max => format!("maximum of {title}"),
        // Of a histogram, its observations are counted.
        Stat::Rate if is_histogram => format!("rate of {title} observations"),
        Stat::Increase if is_histogram => format!("{title} observations in the last {window}"),
        Stat::Rate => format!("rate of {title}"),
        Stat::Increase => format!("{title} in the last {window}"),
        Stat::Quantile(_) => format!("{stat} of {title}"),
        Stat::Slope => format!("growth of {title}"),
    }
}

/// A title inside of a sentence: `time to first token`, but `KV cache usage`.
///
/// Only words that are surely no names lose their capital: a title may begin with `Redis`, or be German.
fn inside(title: &str) -> String {
    let first = title.split(' ').next().unwrap_or_default();
    match COMMON.contains(&first) {
        true => title[..1].to_lowercase() + &title[1..],
        false => title.to_owned(),
    }
}

/// Words that titles begin with and that are no names.
#[rustfmt::skip]
const COMMON: [&str; 88] = [
    "Accepted", "Active", "Answer", "Answered", "Average", "Batch", "Cache", "Cached", "Completed", "Computed", "Concurrent",
    "Connections", "Corrupted", "Decode", "Disk", "Draft", "Drafted", "End-to-end", "Endpoint", "Engine", "Error", "Errors",
    "Estimated", "Evicted", "External", "Failed", "Failures", "Finished", "Free", "Gateway", "Generated", "Generation", "Hit",
    "Host", "Idle", "Inference", "Input", "Inter-token", "Jobs", "Latency", "Length", "Lifetime", "Longest", "Mean", "Median",
    "Memory", "Multi-modal", "Number", "Open", "Output", "Pending", "Preemptions", "Prefill", "Prefix", "Prompt", "Queue",
    "Queued", "Rate", "Rejected", "Remaining", "Replica", "Request", "Requests", "Response", "Responses", "Retries", "Running",
    "Sequences", "Share", "Size", "Speculative", "Success", "Successful", "Swapped", "Throughput", "Time", "Timeouts", "Token",
    "Tokens", "Total", "Traffic", "Trimmed", "Trimming", "Usage", "Utilization", "Wait", "Waiting", "Write",
];

/// What a value is compared with: `above 3s`, `above 2 times its value 7d ago`.
pub fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Fixed(op, _, text) => format!("{} {text}", op.as_str()),
        Bound::Times(op, factor, baseline) => {
            let past = match baseline {
                Baseline::Offset(ago) => format!("its value {ago} ago"),
                Baseline::AvgOver(window) => format!("its mean over {window}"),
            };
            let times = match *factor == Number::from_integer(1) {
                true => String::new(),
                false => format!("{} times ", decimal(*factor)),
            };
            format!("{} {times}{past}", op.as_str())
        }
        Bound::Outside(o) => outside(o),
    }
}

/// `above its usual range (3 sigma over 1d) and above 10`
fn outside(o: &Outside) -> String {
    let range = format!(
        "its usual range ({} sigma over {})",
        decimal(o.sigma),
        o.window
    );
    if o.side == Side::Both && o.sides().all(|(_, limit)| limit.is_none()) {
        return format!("outside {range}");
    }
    let side = |(op, limit): (CompareOp, Option<&Limit>)| {
        let limit = limit.map(|limit| format!(" and {} {}", op.as_str(), limit.text));
        format!("{} {range}{}", op.as_str(), limit.unwrap_or_default())
    };
    let sides: Vec<_> = o.sides().map(side).collect();
    sides.join(" or ")
}

/// What a line of a panel means: `alert HighTTFT 2s`, `objective 500ms`.
pub fn line(line: &Threshold) -> String {
    let whose = match (line.role, line.name.as_str()) {
        (Role::Alert, "") => "alert".to_owned(),
        (Role::Alert, name) => format!("alert {name}"),
        (Role::Target, "") => "target".to_owned(),
        (Role::Target, name) => name.to_owned(),
        (Role::Advisory, "") => "mark".to_owned(),
        (Role::Advisory, name) => format!("part of {name}"),
    };
    // Most bounds are upper ones; the others say so.
    let side = match (line.role, line.upper) {
        (Role::Alert | Role::Advisory, false) => " below",
        _ => "",
    };
    format!("{whose}{side} {}", line.text)
}

/// What an objective counts: `events`, `the time`.
pub fn counted(sli: &EventSli) -> &'static str {
    match sli {
        EventSli::Time(_) => "the time",
        _ => "events",
    }
}

/// What is bad of it: `of events were bad`.
pub fn were_bad(sli: &EventSli) -> &'static str {
    match sli {
        EventSli::Time(_) => "of the time was bad",
        EventSli::OwnRatio(_) => "was the error ratio",
        _ => "of events were bad",
    }
}

/// When a tier of an objective fires: `more than 1.44% of all events are bad over 1h and over 5m (page); …`.
pub fn tier(slo: &Slo, sli: &EventSli, tier: &Tier) -> String {
    let are_bad = match sli {
        EventSli::Time(_) => "of the time is bad",
        EventSli::OwnRatio(_) => "is the error ratio",
        _ => "of all events are bad",
    };
    format!(
        "more than {} {are_bad} over {} and over {} ({}); {}",
        shown(tier.threshold, Unit::Ratio),
        tier.long,
        tier.short,
        tier.severity,
        spent(slo, tier),
    )
}

/// What a tier's burn rate takes of the budget: `at that rate 2% of the 30d budget is gone in 1h`.
pub fn spent(slo: &Slo, tier: &Tier) -> String {
    format!(
        "at that rate {} of the {} budget is gone in {}",
        shown(tier.consumed, Unit::Ratio),
        slo.period,
        tier.long
    )
}

/// What a percentile objective promises: `p95 below 200ms over 1h`.
pub fn promise(slo: &Slo, percentile: &PercentileSlo) -> String {
    format!(
        "{} below {} over {}",
        Stat::Quantile(percentile.quantile),
        percentile.below.1,
        slo.period
    )
}

/// The alert of a percentile objective in one line: `Chat: p95 is above its objective of 200ms`.
pub fn missed(slo: &Slo, percentile: &PercentileSlo) -> String {
    format!(
        "{}: {} is above its objective of {}",
        capital(&slo.title),
        Stat::Quantile(percentile.quantile),
        percentile.below.1
    )
}
