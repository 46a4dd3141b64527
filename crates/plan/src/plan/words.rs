//! Texts about a plan: conditions, thresholds, durations, readings, the lines of a panel.
//!
//! An alert, its runbook, its panel, its alarm and its row in a report use the same words, because all of them call this
//! module: `p95 time to first token > 3s for 2m`. Titles of signals are noun phrases. Signs (`>`, `<`) and colons keep each
//! sentence correct for singular and plural titles.

use super::dashboard::{Role, Threshold};
use super::selection::Matcher;
use super::{
    Absent, Bound, Compare, CompareOp, Condition, EventSli, EventSlo, Limit, Outside, Reading,
    Signal, SignalKind, Slo, Source, Tier,
};
use slosmith_promql::ast::{MatchOp, Selector};
use slosmith_promql::selectors;
use slosmith_spec::spec::{Across, Baseline, Side, Stat};
pub use slosmith_text::diag::capital;
use slosmith_text::units::{Duration, Number, Unit, decimal, readable, shown};

/// A condition: `p95 time to first token > 3s`, `all of these hold: queue depth > 5; p95 queue time > 2s`.
pub fn condition(condition: &Condition) -> String {
    condition_held(condition, Duration::default())
}

/// A condition and its duration: `p95 time to first token > 3s for 2m`.
pub fn condition_held(condition: &Condition, hold: Duration) -> String {
    let held = held(hold);
    match condition {
        Condition::All(..) => format!("all of these hold{held}: {}", parts(condition)),
        Condition::Any(..) => format!("any of these holds{held}: {}", parts(condition)),
        // A comma keeps the duration apart from other times: `> 2 × the value 7 days ago, for 10m`.
        Condition::Compare(c) if matches!(c.bound, Bound::Fixed(..)) => parts(condition) + &held,
        Condition::Absent(_) => parts(condition) + &held,
        _ if held.is_empty() => parts(condition),
        _ => format!("{},{held}", parts(condition)),
    }
}

/// What an alert on one condition is about, as a title: `P95 time to first token`. Nothing says it for several conditions or for PromQL
/// from the spec, except the name of the alert.
pub fn about(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Compare(compare) => Some(capital(&subject(compare))),
        Condition::Absent(absent) => Some(format!("No data for {}", inside(&absent.signal.title))),
        Condition::Raw(raw) => raw.words.as_deref().map(capital),
        Condition::All(..) | Condition::Any(..) | Condition::Unless(..) => None,
    }
}

/// What to do first: as the spec says, else by the runbook with this title.
pub fn action(about: &str, action: Option<&str>, runbook: Option<&str>) -> String {
    // A panel shows no Markdown.
    let action = action.map(|action| action.replace('`', ""));
    let action = action.unwrap_or_else(|| match runbook {
        Some(title) => format!("follow the runbook ({title})"),
        None => "follow the runbook".to_owned(),
    });
    format!("{about}: {action}")
}

/// What to do first about missing data.
pub fn about_missing(what: &str) -> String {
    format!("{what}: check that the targets are up and that the rules are evaluated")
}

/// The parts of a condition: `queue depth > 5; p95 queue time > 2s`.
pub fn parts(condition: &Condition) -> String {
    match condition {
        Condition::Compare(c) => compared(c, ""),
        Condition::Absent(a) => format!("data for {} is missing", inside(&a.signal.title)),
        Condition::Raw(r) => match &r.words {
            Some(words) => words.clone(),
            None => format!("`{}`", r.query.expr),
        },
        Condition::All(parts, _) | Condition::Any(parts, _) => {
            let texts: Vec<_> = parts.iter().map(nested).collect();
            let told_apart = parts.iter().zip(&texts).map(|(part, text)| {
                let alike = parts.iter().zip(&texts);
                let alike = alike.filter(|(_, other)| *other == text);
                let Condition::Compare(c) = part else {
                    return text.clone();
                };
                compared(c, &only_selected(part, alike.map(|(other, _)| other)))
            });
            told_apart.collect::<Vec<_>>().join("; ")
        }
        Condition::Unless(parts, _) => {
            let [held, not_while] = parts.each_ref().map(nested);
            // Two readings of one signal differ in their groups.
            let apart = match held == not_while {
                true => only_grouped(&parts[0], &parts[1]),
                false => String::new(),
            };
            format!("{held}{apart}, unless {not_while}")
        }
    }
}

/// A comparison: `error share (region eu-1) > 5%`.
fn compared(c: &Compare, selected: &str) -> String {
    let state = state(c);
    // A state has no minimum.
    let subject = match is_throughout(c) || state.is_some() {
        true => inside(&c.signal.title),
        false => subject(c),
    };
    let subject = subject + selected;
    match state {
        Some(state) if is_throughout(c) => format!("{subject} = {state} for {}", c.window),
        Some(state) if c.stat != Stat::Last => {
            format!("{subject} = {state} in the last {}", c.window)
        }
        Some(state) => format!("{subject} = {state}"),
        None => format!("{subject} {}", bound(&c.bound)),
    }
}

/// True where the condition on a state holds as long as all of its window has it.
fn is_throughout(c: &Compare) -> bool {
    let Bound::Fixed(op, ..) = &c.bound else {
        return false;
    };
    let farthest = if op.is_upper() { Stat::Min } else { Stat::Max };
    state(c).is_some() && c.stat == farthest
}

/// The values that a part selects and another one does not: ` (region eu-1)`.
fn only_selected<'a>(part: &'a Condition, others: impl Iterator<Item = &'a Condition>) -> String {
    let of = |part: &'a Condition| match part {
        Condition::Compare(c) => selection_of(&c.signal),
        _ => &[],
    };
    let others: Vec<_> = others.map(of).collect();
    let own = of(part).iter();
    selected(own.filter(|matcher| others.iter().any(|other| !other.contains(matcher))))
}

/// Label values, behind a title: ` (region eu)`.
pub fn selected<'a>(matchers: impl Iterator<Item = &'a Matcher>) -> String {
    let own = matchers.map(|(label, op, value)| match op {
        MatchOp::Equal | MatchOp::Match => format!("{label} {value}"),
        MatchOp::NotEqual | MatchOp::NotMatch => format!("{label} not {value}"),
    });
    let own: Vec<_> = own.collect();
    match own.is_empty() {
        true => String::new(),
        false => format!(" ({})", own.join(", ")),
    }
}

/// The labels that a part is grouped by, and another one is not: ` (of each instance)`.
fn only_grouped(part: &Condition, other: &Condition) -> String {
    let other = &other.query().labels;
    let own = part.query().labels.iter().map(String::as_str);
    let own: Vec<_> = own
        .filter(|label| other.iter().all(|of| of != label))
        .collect();
    match own.is_empty() {
        true => String::new(),
        false => format!(" (of each {})", own.join(", ")),
    }
}

pub fn selection_of(signal: &Signal) -> &[Matcher] {
    let family = match &signal.source {
        Source::Ratio { over, .. } => over.family(),
        _ => signal.family(),
    };
    family.map_or(&[], |family| &family.matchers)
}

pub fn nested(part: &Condition) -> String {
    let text = condition(part);
    match part {
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => text,
        Condition::All(..) | Condition::Any(..) | Condition::Unless(..) => format!("({text})"),
    }
}

/// An absence, alone: `Running requests: no data`.
pub fn gone(absent: &Absent) -> String {
    format!("{}: no data", capital(&absent.signal.title))
}

/// ` for 10m`; empty for a condition that fires immediately.
pub fn held(hold: Duration) -> String {
    match hold == Duration::default() {
        true => String::new(),
        false => format!(" for {hold}"),
    }
}

/// The duration of a condition, alone in a cell: `10m`, `immediately`.
pub fn hold(hold: Duration) -> String {
    if hold == Duration::default() {
        return "immediately".to_owned();
    }
    hold.to_string()
}

/// The state that fires the condition on a signal of 0 and 1: `down`. `None` where the value is a number.
pub fn state(c: &Compare) -> Option<&'static str> {
    let is_state = matches!(c.stat, Stat::Last | Stat::Min | Stat::Max)
        && matches!(c.signal.across, Across::Min | Across::Max);
    let Bound::Fixed(op, bound, _) = &c.bound else {
        return None;
    };
    if c.signal.unit != Unit::Bool || !is_state {
        return None;
    }
    let names = c.signal.family().map(|family| &family.names[..]);
    let is_health =
        |name: &String| name == "up" || name == "probe_success" || name.ends_with("_up");
    let [on, off] = match names.unwrap_or_default().iter().any(is_health) {
        true => ["up", "down"],
        false => ["true", "false"],
    };
    match [1, 0].map(|value| op.holds(Number::from_integer(value), *bound)) {
        [true, false] => Some(on),
        [false, true] => Some(off),
        _ => None,
    }
}

/// The reading that a comparison uses: `p95 time to first token`.
///
/// The time in a fixed threshold shows that the reading is a rate: `preemptions > 5/min`.
pub fn subject(c: &Compare) -> String {
    let fixed = matches!(c.bound, Bound::Fixed(..));
    match c.stat {
        Stat::Rate if fixed && c.signal.kind() == SignalKind::Counter => inside(&c.signal.title),
        _ => reading(&c.signal, c.stat, c.window),
    }
}

/// Any reading of a signal: `p95 time to first token`, `rate of preemptions`.
pub fn reading(signal: &Signal, stat: Stat, window: Duration) -> String {
    let title = inside(&signal.title);
    let is_histogram = signal.kind() == SignalKind::Histogram;
    match stat {
        Stat::Last => title,
        // The value of a ratio always covers the window.
        Stat::Avg if matches!(signal.source, Source::Ratio { .. }) => title,
        Stat::Avg => format!("mean {title}"),
        Stat::Min => format!("minimum {title}"),
        Stat::Max => format!("maximum {title}"),
        // The observations of a histogram are counted.
        Stat::Rate if is_histogram => format!("rate of observations of {title}"),
        Stat::Increase if is_histogram => format!("observations of {title} in the last {window}"),
        Stat::Rate => format!("rate of {title}"),
        Stat::Increase => format!("{title} in the last {window}"),
        Stat::Quantile(_) => format!("{stat} {title}"),
        Stat::Slope => format!("growth of {title} over {window}"),
    }
}

/// Two readings that move together: `correlation of KV cache usage and p95 time to first token over 20m`.
pub fn correlation(readings: &[Reading; 2], window: Duration) -> String {
    let [one, other] = readings
        .each_ref()
        .map(|of| reading(&of.signal, of.stat, of.window));
    format!("correlation of {one} and {other} over {window}")
}

/// A title inside a sentence: `time to first token`, but `KV cache usage`.
///
/// Only common words lose their capital: a title may begin with a name such as `Redis`, or be German.
fn inside(title: &str) -> String {
    let first = title.split(' ').next().unwrap_or_default();
    match COMMON.contains(&first) {
        true => title[..1].to_lowercase() + &title[1..],
        false => title.to_owned(),
    }
}

#[rustfmt::skip]
const COMMON: [&str; 121] = [
    "Accepted", "Active", "All", "Answer", "Answered", "Average", "Bandwidth", "Batch", "Best", "Blocks", "Bytes", "Cache", "Cached",
    "Chunks", "Commit", "Committed", "Completed", "Computed", "Concurrent", "Connections", "Container", "Corrupted",
    "Cost", "Decode", "Deferred", "Denoising", "Descriptors", "Disk", "Draft", "Drafted", "Dropped", "End-to-end",
    "Endpoint", "Engine", "Engines", "Error", "Errors", "Estimated", "Evaluated", "Evicted", "Expired", "External",
    "Failed", "Failures", "Finished", "Free", "Gap", "Gateway", "Generated", "Generation", "Headroom", "Hit", "Host",
    "Idle", "Inference", "Input", "Inter-token", "Jobs", "Latency", "Length", "Lifetime", "Load", "Longest", "Mean",
    "Median", "Memory", "Multi-modal", "Number", "Offload", "Open", "Output", "Pending", "Pinned", "Preemptions",
    "Prefill", "Prefix", "Promotion", "Promotions", "Prompt", "Queue", "Queued", "Rate", "Ready", "Rejected", "Remaining",
    "Replica", "Request", "Requests", "Response", "Responses", "Retries", "Running", "Sequences", "Share", "Size",
    "Skipped", "Sleep", "Speculative", "Store", "Success", "Successful", "Swapped", "Throttled", "Throughput", "Tier",
    "Time", "Timeouts", "Token", "Tokens", "Tool", "Total", "Traffic", "Trimmed", "Trimming", "Usage", "Utilization",
    "Wait", "Waiting", "Weight", "Worst", "Write",
];

/// A text for a place that fills in no values: an ellipsis replaces each template.
pub fn without_templates(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        out.push('…');
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// A threshold: `> 3s`, `> 2 × the value 7 days ago`.
pub fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Fixed(op, _, text) => format!("{} {text}", op.symbol()),
        Bound::Times(op, factor, baseline) => {
            let past = match baseline {
                Baseline::Offset(ago) => format!("the value {} ago", spelled(*ago)),
                Baseline::AvgOver(window) => format!("the {window} mean"),
            };
            let times = match *factor == Number::from_integer(1) {
                true => String::new(),
                false => format!("{} × ", decimal(*factor)),
            };
            format!("{} {times}{past}", op.symbol())
        }
        Bound::Outside(o) => outside(o),
    }
}

/// A time in words: `7 days`, `1 hour`.
fn spelled(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    match units
        .into_iter()
        .find(|(length, _)| seconds.is_multiple_of(*length))
    {
        Some((length, name)) if seconds == length => format!("1 {name}"),
        Some((length, name)) => format!("{} {name}s", seconds / length),
        None => time.to_string(),
    }
}

/// `> 2h mean + 3 standard deviations, and > 10`, `outside the 2h mean ± 3 standard deviations (high values: only > 500ms)`
fn outside(o: &Outside) -> String {
    let deviations = match o.sigma == Number::from_integer(1) {
        true => "1 standard deviation".to_owned(),
        false => format!("{} standard deviations", decimal(o.sigma)),
    };
    let limited = |op: CompareOp, limit: &Limit| format!("{} {}", op.symbol(), limit.text);
    if o.side != Side::Both {
        let sides = o.sides().map(|(op, limit)| {
            let sign = if op.is_upper() { "+" } else { "-" };
            let limit = limit.map(|limit| format!(", and {}", limited(op, limit)));
            let limit = limit.unwrap_or_default();
            format!(
                "{} {} mean {sign} {deviations}{limit}",
                op.symbol(),
                o.window
            )
        });
        return sides.collect();
    }
    let limits = o.sides().filter_map(|(op, limit)| {
        let which = if op.is_upper() { "high" } else { "low" };
        Some(format!("{which} values: only {}", limited(op, limit?)))
    });
    let limits: Vec<_> = limits.collect();
    let limits = match limits.is_empty() {
        true => String::new(),
        false => format!(" ({})", limits.join("; ")),
    };
    format!("outside the {} mean ± {deviations}{limits}", o.window)
}

/// A threshold line of a panel: `alert HighTTFT 2s`, `alert LowThroughput < 100/s`.
pub fn line(line: &Threshold) -> String {
    let whose = match (line.role, line.name.as_str()) {
        (Role::Alert, "") => "alert".to_owned(),
        (Role::Alert, name) => format!("alert {name}"),
        (Role::Target, "") => "target".to_owned(),
        (Role::Target, name) => name.to_owned(),
        (Role::Advisory, "") => "mark".to_owned(),
        (Role::Advisory, name) => format!("part of {name}"),
    };
    // Most thresholds are upper limits; only lower limits have a sign.
    let side = match (line.role, line.upper, line.closed) {
        (Role::Alert | Role::Advisory, false, true) => " <=",
        (Role::Alert | Role::Advisory, false, false) => " <",
        _ => "",
    };
    format!("{whose}{side} {}", line.text)
}

/// The things that an SLO counts: `requests`, `scrapes`, `events`, `the time`.
pub fn counted(sli: &EventSli) -> &'static str {
    let of_unit = |signal: &Signal| match signal.unit {
        Unit::Requests => "requests",
        Unit::Tokens => "tokens",
        _ => "events",
    };
    match sli {
        EventSli::Time(_) => "the time",
        EventSli::Ratio { total, .. } => of_unit(total),
        // Each scrape of a target is one sample of `up`.
        EventSli::Own(own) => {
            let series = selectors(&own.total);
            let is_up = |s: &&Selector| s.metric.as_ref().is_some_and(|name| name.text == "up");
            match !series.is_empty() && series.iter().all(is_up) {
                true => "scrapes",
                false => "events",
            }
        }
        EventSli::Latency { .. } | EventSli::OwnRatio(_) => "events",
    }
}

/// The name of an error ratio: `Error ratio`, `Events above 1s`.
pub fn bad_share(sli: &EventSli) -> String {
    match sli {
        EventSli::Latency { signal, within, .. } => {
            format!("Events above {}", shown(within.bound, signal.unit))
        }
        _ => "Error ratio".to_owned(),
    }
}

/// The unit behind a measured error ratio: ` of requests`; empty where only the ratio is known.
pub fn of_counted(sli: &EventSli) -> String {
    match sli {
        EventSli::OwnRatio(_) => String::new(),
        sli => format!(" of {}", counted(sli)),
    }
}

/// The share of the error budget that the threshold of a tier spends: `1% of the 30d error budget is spent in 1h`.
pub fn spent(slo: &Slo, tier: &Tier) -> String {
    format!(
        "{} of the {} error budget is spent in {}",
        shown(readable(tier.consumed), Unit::Ratio),
        slo.period,
        tier.long
    )
}

/// The events that a burn-rate alert needs in a window: ` Minimum requests in 1h: 20.`; nothing without a minimum.
pub fn minimum(events: &EventSlo, window: &str) -> String {
    match events.min_events {
        0 => String::new(),
        least => format!(" Minimum {} in {window}: {least}.", counted(&events.sli)),
    }
}

/// What keeps a burn-rate alert without data, as a further sentence; nothing where nothing does.
pub fn outlives(events: &EventSlo) -> &'static str {
    match events.tiers.iter().any(|tier| events.is_held(tier)) {
        true => {
            " Of a tier with a short window below 1h, the last ratio counts for up to an hour after its data ended, unless all targets are up."
        }
        false => "",
    }
}

/// Decimals that show on which side of an objective a share in percent is: one more than the objective has.
pub fn share_digits(objective: Number) -> u32 {
    let percent = decimal(objective * 100);
    let decimals = percent.split_once('.').map_or(0, |(_, after)| after.len());
    u32::try_from(decimals + 1).unwrap_or(3)
}
