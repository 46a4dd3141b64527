//! The report of a build with many services: counts, and each note once.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;

use super::job::{Built, How, Summary};
use super::settings::Settings;
use crate::cli::words::count;

/// Number of names and notes that are listed; the rest is counted.
const LISTED: usize = 10;

pub(super) fn print(err: &mut dyn Write, settings: &Settings, built: &[Built]) -> Result<()> {
    let (removed, kept): (Vec<_>, Vec<_>) =
        built.iter().partition(|b| matches!(b.how, How::Removed));
    let (same, changed): (Vec<_>, Vec<_>) = kept.into_iter().partition(|b| b.changed == 0);
    let [written, gone] = match settings.check {
        true => ["out of date", "to remove (no longer in any spec)"],
        false => ["written", "removed (no longer in any spec)"],
    };
    let out = settings.out.display();
    writeln!(err, "{out}:")?;
    if !same.is_empty() {
        writeln!(err, "  {} up to date", count(same.len(), "service"))?;
    }
    names(err, written, &changed)?;
    names(err, gone, &removed)?;
    attention(err, built)
}

fn names(err: &mut dyn Write, state: &str, services: &[&Built]) -> Result<()> {
    if services.is_empty() {
        return Ok(());
    }
    let files: usize = services.iter().map(|b| b.changed).sum();
    let names: Vec<_> = services.iter().map(|b| b.service.as_str()).collect();
    let listed = names[..names.len().min(LISTED)].join(", ");
    let more = if names.len() > LISTED { ", …" } else { "" };
    let services = count(names.len(), "service");
    let files = count(files, "file");
    writeln!(err, "  {services} {state}: {files}: {listed}{more}")?;
    Ok(())
}

fn attention(err: &mut dyn Write, built: &[Built]) -> Result<()> {
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    for b in built {
        if let How::Built(summary) = &b.how {
            words(summary).for_each(|line| *said.entry(line).or_default() += 1);
        }
    }
    let mut said: Vec<_> = said.into_iter().collect();
    said.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    for (line, times) in said.iter().take(LISTED) {
        writeln!(err, "  {line} ({})", count(*times, "service"))?;
    }
    if said.len() > LISTED {
        let more = said.len() - LISTED;
        writeln!(err, "  and {}", count(more, "more note"))?;
    }
    let advice = "  `slosmith build --verbose` lists each service";
    writeln!(err, "{advice}")?;
    Ok(())
}

pub(super) fn words(summary: &Summary) -> impl Iterator<Item = String> {
    let left = summary.left_out.iter();
    let left = left.map(|left| format!("left out: {}: {}", left.signal, left.why));
    let notes = summary.notes.iter().map(|note| format!("note: {note}"));
    left.chain(notes).chain(summary.cost.clone())
}
