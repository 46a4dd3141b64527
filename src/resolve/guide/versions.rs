//! Version notes: what the signals of a page were called before, and what changed in them.

use crate::catalog::Catalog;
use crate::plan::{Signal, Source};
use crate::resolve::context::Context;

/// One line for each family with a history, sorted.
pub(super) fn notes(cx: &Context<'_>, signals: &[Signal]) -> Vec<String> {
    let mut families = Vec::new();
    signals
        .iter()
        .for_each(|signal| gather(signal, &mut families));
    families.sort();
    families.dedup();
    let notes = families
        .iter()
        .flat_map(|family| history(cx.catalog, family));
    notes.collect()
}

fn gather(signal: &Signal, families: &mut Vec<String>) {
    match &signal.source {
        Source::Family(family) if family.recorded => families.extend(family.names.iter().cloned()),
        Source::Ratio { of, over, .. } => {
            gather(of, families);
            gather(over, families);
        }
        Source::Family(_) | Source::Raw(_) => {}
    }
}

fn history(catalog: &Catalog, family: &str) -> Vec<String> {
    let lineage = catalog.lineage();
    let mut notes = Vec::new();
    let before = lineage.predecessors(family);
    if !before.is_empty() {
        let lived = |name: &&str| {
            let last = catalog.first_last(name).and_then(|life| life.last);
            match last {
                Some(last) => format!("`{name}` (up to {last})"),
                None => format!("`{name}`"),
            }
        };
        let before: Vec<_> = before.iter().map(lived).collect();
        let since = catalog
            .first_last(family)
            .map(|life| format!(" (since {})", life.first));
        let since = since.unwrap_or_default();
        notes.push(format!(
            "`{family}`{since} was called {} before.",
            before.join(", then ")
        ));
    }
    for change in lineage.in_place(family) {
        notes.push(format!(
            "`{family}` changed in {}: {}",
            change.release, change.note
        ));
    }
    notes
}
