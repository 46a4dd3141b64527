//! The drift report for a terminal.

use super::Drift;
use crate::cli::catalog::diff;
use crate::lint::drift::Fate;

pub(super) fn report(drift: &Drift<'_>) -> String {
    let mut out = String::new();
    if let Some(headline) = drift.headline() {
        out.push_str(&format!("{headline}\n\n"));
    }
    out.push_str(&diff::text(
        drift.catalog,
        drift.from,
        drift.to,
        &drift.profiles,
        &drift.diff,
    ));
    for (fate, _) in drift.counts() {
        if fate == Fate::Works {
            continue;
        }
        out.push_str(&format!("\n{}\n", fate.as_str()));
        for place in drift.of(fate) {
            let at = format!("{}:{}:{}", place.path, place.at.line, place.at.col);
            out.push_str(&format!("  {at}: {}\n", place.item.what));
            for reason in &place.item.reasons {
                out.push_str(&format!("      {reason}\n"));
            }
            for fix in &place.item.fixes {
                out.push_str(&format!("      → {fix}\n"));
            }
        }
    }
    let counts = drift.counts();
    if !counts.is_empty() {
        let counts: Vec<_> = counts
            .iter()
            .map(|(fate, n)| format!("{n} {}", fate.plural(*n)))
            .collect();
        out.push_str(&format!(
            "\nby alert, rule or panel: {}\n",
            counts.join(", ")
        ));
    }
    out
}
