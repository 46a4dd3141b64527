//! The drift report for a terminal: what breaks first, then what the releases have.

use std::io::{Result, Write};

use super::Drift;
use crate::cli::catalog::diff;
use crate::cli::terminal::{Mood, Terminal};
use slosmith_lint::lint::drift::Fate;

pub(super) fn report(drift: &Drift<'_>, out: &mut Terminal) -> Result<()> {
    let counts = drift.counts();
    if let Some(headline) = drift.headline() {
        let worst = counts.first().map_or(Fate::Works, |(fate, _)| *fate);
        out.paint(mood(worst), &headline)?;
        writeln!(out)?;
    }
    for (fate, _) in &counts {
        if *fate == Fate::Works {
            continue;
        }
        writeln!(out)?;
        out.paint(mood(*fate), fate.as_str())?;
        writeln!(out)?;
        for place in drift.of(*fate) {
            let at = format!("{}:{}:{}", place.path, place.at.line, place.at.col);
            line(out, &format!("  {at}: {}", place.item.what))?;
            for reason in &place.item.reasons {
                line(out, &format!("      {reason}"))?;
            }
            for fix in &place.item.fixes {
                line(out, &format!("      → {fix}"))?;
            }
        }
    }
    if !counts.is_empty() {
        let counts: Vec<_> = counts
            .iter()
            .map(|(fate, n)| format!("{n} {}", fate.plural(*n)))
            .collect();
        writeln!(out)?;
        line(
            out,
            &format!("by alert, rule or panel: {}", counts.join(", ")),
        )?;
        writeln!(out)?;
    }
    let releases = diff::text(
        drift.catalog,
        drift.from,
        drift.to,
        &drift.profiles,
        &drift.diff,
    );
    releases.lines().try_for_each(|text| line(out, text))
}

fn line(out: &mut Terminal, text: &str) -> Result<()> {
    let indent = text.len() - text.trim_start().len();
    write!(out, "{:indent$}", "")?;
    out.fold(indent, indent + 2, text)
}

fn mood(fate: Fate) -> Mood {
    match fate {
        Fate::Breaks => Mood::Bad,
        Fate::ChangesMeaning | Fate::AlreadyBroken => Mood::Doubtful,
        Fate::StartsWorking | Fate::Works => Mood::Good,
    }
}
