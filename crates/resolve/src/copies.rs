//! Copies that still select what the original does.
//!
//! `silver-speed: {where: {tier: gold}}` beside `gold-speed: {where: {tier: gold}}` over the same signal: the name of the original
//! has the word of the value, the name of the copy does not.

use std::collections::BTreeMap;

use super::context::Context;
use super::matchers;
use super::names::words;
use slosmith_spec::spec::{Matchers, Spec, Text};
use slosmith_text::diag::Diagnostic;

/// An entry of the spec that selects series of a signal.
struct Entry<'a> {
    name: &'a Text,
    /// What it reads, the same for entries of one kind that can be copies.
    reads: String,
    selection: &'a Matchers,
}

/// Warns of each entry that selects the same as another, whose name alone has a word of the selected value.
pub(super) fn check(cx: &mut Context<'_>) {
    let mut alike: BTreeMap<_, Vec<Entry<'_>>> = BTreeMap::new();
    for entry in entries(cx.spec) {
        let selection = matchers::matchers(entry.selection);
        let key = (entry.reads.clone(), selection);
        alike.entry(key).or_default().push(entry);
    }
    for entries in alike.values().filter(|entries| entries.len() > 1) {
        for entry in entries {
            check_one(cx, entry, entries);
        }
    }
}

fn check_one(cx: &mut Context<'_>, entry: &Entry<'_>, alike: &[Entry<'_>]) {
    let values = || {
        let values = entry.selection.values();
        values.flat_map(matchers::asked_values)
    };
    let pairs = alike
        .iter()
        .flat_map(|other| values().map(move |value| (other, value)));
    let mut named = pairs.filter(|(other, value)| is_named_after(entry.name, other.name, value));
    if let Some((other, value)) = named.next() {
        let message = format!(
            "`{}` selects `{value}`, as `{}` does",
            entry.name, other.name
        );
        let warning = Diagnostic::warning("contradiction", value.span, message);
        cx.sink.push(warning.help(format!(
            "if `{}` is a copy, write its own value; otherwise use the value in its name",
            entry.name
        )));
    }
}

/// True where only the name of the original has a word of the value.
fn is_named_after(copy: &Text, original: &Text, value: &Text) -> bool {
    let (copy, original) = (words(&copy.value), words(&original.value));
    let of_value = words(&value.value);
    let is_in = |name: &[String]| of_value.iter().any(|word| name.contains(word));
    is_in(&original) && !is_in(&copy)
}

fn entries(spec: &Spec) -> Vec<Entry<'_>> {
    let signals = spec.signals.iter().filter_map(|(name, signal)| {
        Some(Entry {
            name,
            reads: format!("signal {}", signal.base.as_ref()?),
            selection: &signal.matchers,
        })
    });
    let slos = spec.slos.iter().map(|(name, slo)| Entry {
        name,
        reads: super::slos::signals(&slo.sli.value)
            .into_iter()
            .fold("slo".to_owned(), |all, signal| format!("{all} {signal}")),
        selection: &slo.groups.matchers,
    });
    let alerts = spec.alerts.iter().filter_map(|(name, alert)| {
        let reading = &alert.when.value.reading;
        Some(Entry {
            name,
            reads: format!("alert {}", reading.signal.as_ref()?),
            selection: &reading.groups.matchers,
        })
    });
    let all = signals.chain(slos).chain(alerts);
    all.filter(|entry| !entry.selection.is_empty()).collect()
}
