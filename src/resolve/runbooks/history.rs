//! What the signals of a page were called before, and what changed in them, from lineage.

use crate::catalog::Catalog;
use crate::plan::runbook::FamilyHistory;
use crate::plan::{Signal, Source};

/// The history of each family that has one, sorted by name.
pub(super) fn of<'a>(
    catalog: &Catalog,
    signals: impl IntoIterator<Item = &'a Signal>,
) -> Vec<FamilyHistory> {
    let mut families = Vec::new();
    signals
        .into_iter()
        .for_each(|signal| gather(signal, &mut families));
    families.sort_unstable();
    families.dedup();
    let histories = families.into_iter().map(|family| history(catalog, family));
    histories
        .filter(|h| !h.before.is_empty() || !h.changes.is_empty())
        .collect()
}

fn gather<'a>(signal: &'a Signal, families: &mut Vec<&'a str>) {
    match &signal.source {
        Source::Family(family) if family.recorded => {
            families.extend(family.names.iter().map(String::as_str));
        }
        Source::Ratio { of, over, .. } => {
            gather(of, families);
            gather(over, families);
        }
        Source::Family(_) | Source::Raw(_) => {}
    }
}

fn history(catalog: &Catalog, family: &str) -> FamilyHistory {
    let lineage = catalog.lineage();
    let life = |name: &str| catalog.first_last(name);
    let before = lineage.predecessors(family).into_iter().map(|name| {
        let last = life(name).and_then(|life| life.last);
        (name.to_owned(), last.map(|last| last.to_string()))
    });
    let changes = lineage.in_place(family);
    FamilyHistory {
        family: family.to_owned(),
        since: life(family).map(|life| life.first.to_string()),
        before: before.collect(),
        changes: changes
            .map(|change| (change.release.to_string(), change.note.clone()))
            .collect(),
    }
}
