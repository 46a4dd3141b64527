//! Text for shapes, changes, counts and times.

pub(super) use slosmith_text::diag::count;
use std::time::Duration;

use slosmith_catalog::diff::{Changed, Delta};
use slosmith_catalog::lineage::{ChangeKind, Replacement};
use slosmith_catalog::{MetricType, Shape};
use slosmith_text::diag::did_you_mean;

const MANY: usize = 8;

/// Help for an unknown word: the known word that is meant, or all of them, as in `known measures: ttft, tpot`.
pub(super) fn meant_or_all<W: AsRef<str>>(word: &str, known: &[W], title: &str) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let meant = did_you_mean(word, known.iter().copied());
    meant.unwrap_or_else(|| format!("{title}: {}", known.join(", ")))
}

/// The first of some names, and how many others there are: `a, b and 2 others`.
pub(super) fn first_of<W: AsRef<str>>(names: &[W], at_most: usize) -> String {
    let first: Vec<&str> = names.iter().take(at_most).map(AsRef::as_ref).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(at_most) {
        0 => first,
        others => format!("{first} and {}", count(others, "other")),
    }
}

/// The labels, with their values where they are few and known.
pub(super) fn labels(shape: &Shape) -> String {
    let count = shape.labels.len();
    let named = |label: &String| match shape.values.get(label) {
        Some(values) if (2..=MANY).contains(&values.len()) => {
            format!("{label} ({})", values.join(", "))
        }
        _ => label.clone(),
    };
    let all = || {
        shape
            .labels
            .iter()
            .map(named)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (count, shape.open_labels) {
        (0, true) => "unknown".to_owned(),
        (0, false) => "none".to_owned(),
        (_, true) if count > MANY => format!("{count} labels; they depend on the deployment"),
        (_, true) => format!("{}, possibly more", all()),
        (_, false) => all(),
    }
}

pub(super) fn buckets(shape: &Shape) -> String {
    let bounds: Vec<_> = shape.buckets.iter().filter(|b| *b != "+Inf").collect();
    match (bounds.first(), bounds.last()) {
        _ if shape.kind != MetricType::Histogram => String::new(),
        (Some(_), Some(_)) if shape.open_buckets => "depend on the deployment".to_owned(),
        (Some(first), Some(last)) => format!("{} from {first} to {last}", bounds.len()),
        _ => "unknown".to_owned(),
    }
}

pub(super) fn changes(changed: &Changed) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((old, new)) = changed.kind {
        lines.push(format!("type {old} → {new}"));
    }
    lines.extend(delta("labels", &changed.labels));
    for (label, values) in &changed.values {
        lines.extend(delta(label, values));
    }
    lines.extend(delta("buckets", &changed.buckets));
    lines
}

fn delta(what: &str, delta: &Delta) -> Option<String> {
    let signed = |sign: char, items: &[String]| -> Vec<String> {
        items.iter().map(|item| format!("{sign}{item}")).collect()
    };
    let mut words = signed('+', &delta.added);
    words.extend(signed('-', &delta.removed));
    (!words.is_empty()).then(|| format!("{what} {}", words.join(" ")))
}

/// The expression that replaces a family.
pub(super) fn replacement(replacement: &Replacement) -> String {
    match replacement {
        Replacement::Family(name) => name.clone(),
        Replacement::Rate(name) => format!("rate({name}[w])"),
        Replacement::Ratio { of, over } => format!("rate({of}[w]) / rate({over}[w])"),
        Replacement::Split(names) => names.join(" and "),
    }
}

pub(super) fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Rename => "renamed",
        ChangeKind::Shape => "type changed",
        ChangeKind::Unit => "unit changed",
        ChangeKind::Semantics => "meaning changed",
        ChangeKind::Split => "split",
        ChangeKind::Removed => "removed",
    }
}

/// `17 ms`, `2.4 s`.
pub(super) fn took(time: Duration) -> String {
    match time.as_millis() {
        ms @ 0..1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
