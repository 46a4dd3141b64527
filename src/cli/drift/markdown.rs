//! The drift report as a comment on a pull request.

use std::fmt::Write;

use super::Drift;
use crate::cli::words;
use slosmith_catalog::diff::Diff;
use slosmith_lint::lint::drift::Fate;

pub(super) fn report(drift: &Drift<'_>) -> String {
    let mut out = format!(
        "## {} {} → {}\n",
        drift.catalog.title(),
        drift.from.version(),
        drift.to.version()
    );
    let counts = drift.counts();
    if let Some(headline) = drift.headline() {
        let counts: Vec<_> = counts
            .iter()
            .map(|(fate, n)| format!("**{n}** {}", fate.plural(*n)))
            .collect();
        out.push_str(&format!(
            "\n**{headline}.** By alert, rule or panel: {}.\n",
            counts.join(", ")
        ));
    }
    let hurt = drift
        .counts()
        .into_iter()
        .any(|(fate, _)| fate != Fate::Works);
    if hurt {
        out.push_str("\n| status | alert, rule or panel | reason | fix |\n|---|---|---|---|\n");
    }
    for (fate, _) in counts.into_iter().filter(|(fate, _)| *fate != Fate::Works) {
        for place in drift.of(fate) {
            let item = place.item;
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {} | {}<br>`{}:{}` | {} | {} |",
                fate.as_str(),
                cell(&item.what),
                place.path,
                place.at.line,
                lines(&item.reasons),
                lines(&item.fixes)
            );
        }
    }
    metrics(&mut out, &drift.diff);
    out
}

fn metrics(out: &mut String, diff: &Diff) {
    if diff.is_empty() {
        out.push_str("\nNo metric changes.\n");
        return;
    }
    out.push_str("\n<details><summary>Metrics</summary>\n\n| metric | change |\n|---|---|\n");
    let mut row =
        |name: &str, what: &str| out.push_str(&format!("| `{name}` | {} |\n", cell(what)));
    for (old, new) in &diff.renamed {
        row(old, &format!("renamed to `{new}`"));
    }
    diff.removed.iter().for_each(|name| row(name, "removed"));
    diff.added.iter().for_each(|name| row(name, "added"));
    for changed in &diff.changed {
        row(&changed.family, &words::changes(changed).join("; "));
    }
    out.push_str("\n</details>\n");
}

fn lines(all: &[String]) -> String {
    let cells: Vec<_> = all.iter().map(|line| cell(line)).collect();
    cells.join("<br>")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
