//! Conditions in words, for alerts that bring no summary of their own.

use crate::plan::{Bound, Compare, Condition, Kind, Signal};
use crate::spec::{Baseline, Side, Stat};
use crate::units::{Duration, decimal};

/// The condition as a sentence that starts with a capital.
pub(super) fn sentence(condition: &Condition) -> String {
    capital(words(condition))
}

/// Text that begins with a capital.
pub(super) fn capital(text: String) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => text,
    }
}

/// The condition in words: `p95 of time to first token above 3s and …`.
pub fn words(condition: &Condition) -> String {
    let list = |parts: &[Condition], word: &str| {
        let parts: Vec<_> = parts.iter().map(words).collect();
        parts.join(word)
    };
    match condition {
        Condition::Compare(c) => compare(c),
        Condition::Absent(a) => format!("series of {} are gone", a.signal.title),
        Condition::Raw(r) => match &r.words {
            Some(words) => words.clone(),
            None => format!("`{}`", r.query.expr),
        },
        Condition::All(parts, _) => list(parts, " and "),
        Condition::Any(parts, _) => list(parts, " or "),
        Condition::Unless(parts, _) => list(&parts[..], " but not "),
    }
}

/// How a signal is read, in words: `p95 of time to first token`.
pub fn subject(c: &Compare) -> String {
    reading(&c.signal, c.stat, c.window)
}

/// The same for any reading.
pub(super) fn reading(signal: &Signal, stat: Stat, window: Duration) -> String {
    let title = &signal.title;
    match stat {
        Stat::Last => title.clone(),
        Stat::Avg if signal.kind() == Kind::Ratio => title.clone(),
        Stat::Avg => format!("mean of {title}"),
        Stat::Min => format!("lowest {title}"),
        Stat::Max => format!("highest {title}"),
        Stat::Rate => format!("rate of {title}"),
        Stat::Increase => format!("{title} in {window}"),
        Stat::Quantile(_) => format!("{stat} of {title}"),
        Stat::Slope => format!("growth of {title}"),
    }
}

fn compare(c: &Compare) -> String {
    let subject = subject(c);
    match &c.bound {
        Bound::Fixed(op, _, text) => format!("{subject} {} {text}", op.as_str()),
        Bound::Times(op, factor, baseline) => {
            let times = decimal(*factor);
            let past = match baseline {
                Baseline::Offset(ago) => format!("its value {ago} ago"),
                Baseline::AvgOver(window) => format!("its mean over {window}"),
            };
            format!("{subject} {} {times} times {past}", op.as_str())
        }
        Bound::Outside(o) => {
            let side = match o.side {
                Side::Both => "outside",
                Side::High => "above",
                Side::Low => "below",
            };
            let sigma = decimal(o.sigma);
            format!(
                "{subject} {side} its usual range ({sigma} sigma over {})",
                o.window
            )
        }
    }
}
