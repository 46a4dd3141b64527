//! What the signals of a page were called before, and what changed in them, from lineage.

use slosmith_catalog::Catalog;
use slosmith_plan::plan::runbook::FamilyHistory;
use slosmith_plan::plan::{Signal, Source};

/// The history of each family that has one, sorted by name; `prefix` is the prefix of the names in the store.
pub(super) fn of<'a>(
    catalog: &Catalog,
    prefix: &str,
    signals: impl IntoIterator<Item = &'a Signal>,
) -> Vec<FamilyHistory> {
    let mut families = Vec::new();
    signals
        .into_iter()
        .for_each(|signal| gather(signal, &mut families));
    families.sort_unstable();
    families.dedup();
    let histories = families.into_iter();
    histories
        .filter_map(|f| history(catalog, prefix, f))
        .collect()
}

fn gather<'a>(signal: &'a Signal, families: &mut Vec<&'a str>) {
    match &signal.source {
        Source::Family(family) if family.recorded => {
            families.extend(family.served.iter().map(String::as_str));
        }
        Source::Ratio { of, over, .. } => {
            gather(of, families);
            gather(over, families);
        }
        Source::Family(_) | Source::Raw(_) => {}
    }
}

/// What is known of a family; `None` where nothing happened to it.
fn history(catalog: &Catalog, prefix: &str, family: &str) -> Option<FamilyHistory> {
    let lineage = catalog.lineage();
    let life = |name: &str| catalog.first_last(name);
    let before = lineage.predecessors(family).into_iter().map(|name| {
        let last = life(name).and_then(|life| life.last);
        (
            catalog.stored(prefix, name),
            last.map(|last| last.to_string()),
        )
    });
    let before: Vec<_> = before.collect();
    let changes = lineage.in_place(family);
    let changes: Vec<_> = changes
        .map(|change| (change.release.to_string(), change.note.clone()))
        .collect();
    let any = !before.is_empty() || !changes.is_empty();
    any.then(|| FamilyHistory {
        family: catalog.stored(prefix, family),
        since: life(family).map(|life| life.first.to_string()),
        before,
        changes,
    })
}
