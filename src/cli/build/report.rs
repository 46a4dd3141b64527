//! The report of a build: out-of-date files, and a short summary.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::job::{Built, How, Summary};
use super::overview;
use super::settings::Settings;
use crate::cli::terminal::Terminal;
use crate::cli::words::{self, count};
use slosmith_render::output::OutputError;

const FEW: usize = 20;

pub(super) fn waiting(out: &Path) {
    let out = out.display();
    // Ignore write errors: stderr is closed.
    let _ = writeln!(
        Terminal::stderr(),
        "waiting: another build is writing {out}"
    );
}

pub(super) fn left(err: &mut dyn Write, why: OutputError) {
    let why = anyhow::Error::from(why);
    let _ = writeln!(
        err,
        "warning: cannot remove files of an interrupted build: {why:#}"
    );
}

pub(super) fn summary(
    err: &mut dyn Write,
    settings: &Settings,
    built: &[Built],
    took: Duration,
) -> Result<()> {
    match built.len() > FEW && !settings.verbose {
        true => overview::print(err, settings, built)?,
        false => each(err, settings, built)?,
    }
    let stale: usize = built.iter().map(|b| b.changed).sum();
    if settings.check && stale > 0 {
        let advice = "run `slosmith build` and commit the result";
        writeln!(err, "{} out of date: {advice}", count(stale, "file"))?;
        others(err, built)?;
    }
    let services = built.iter();
    let services = services.filter(|b| !matches!(b.how, How::Removed)).count();
    let services = count(services, "service");
    writeln!(err, "{services} in {}", words::took(took))?;
    Ok(())
}

/// Other builds of slosmith whose files are out of date: an upgrade may be the reason.
fn others(err: &mut dyn Write, built: &[Built]) -> Result<()> {
    const THIS: &str = env!("SLOSMITH_VERSION");
    let stale = built.iter().filter(|b| b.changed > 0);
    let others: BTreeSet<&str> = stale.filter_map(|b| b.version.as_deref()).collect();
    for other in others.into_iter().filter(|version| *version != THIS) {
        writeln!(err, "built by slosmith {other}; this is slosmith {THIS}")?;
    }
    Ok(())
}

/// A service and the state of its files, as one line.
pub(super) fn line(settings: &Settings, built: &Built) -> String {
    let folder = settings.out.join(&built.service);
    let state = match (&built.how, settings.check) {
        (How::Removed, true) => "to remove (no longer in any spec)".to_owned(),
        (How::Removed, false) => "removed (no longer in any spec)".to_owned(),
        _ => format!("{}, {}", count(built.files, "file"), state(settings, built)),
    };
    format!("{}: {state}\n", folder.display())
}

fn each(err: &mut dyn Write, settings: &Settings, built: &[Built]) -> Result<()> {
    for b in built {
        if !settings.summary || b.changed == 0 {
            write!(err, "{}", line(settings, b))?;
        }
        if let How::Built(summary) = &b.how {
            attention(err, summary)?;
        }
    }
    Ok(())
}

fn state(settings: &Settings, built: &Built) -> String {
    let written = built.changed - built.removed;
    match (settings.check, written, built.removed) {
        (_, 0, 0) => "up to date".to_owned(),
        (true, ..) => format!("{} out of date", built.changed),
        (false, _, 0) => format!("{written} written"),
        (false, 0, removed) => format!("{removed} removed"),
        (false, _, removed) => format!("{written} written, {removed} removed"),
    }
}

fn attention(err: &mut dyn Write, summary: &Summary) -> Result<()> {
    for server in &summary.servers {
        writeln!(err, "  {server}")?;
    }
    for line in overview::words(summary) {
        writeln!(err, "  {line}")?;
    }
    Ok(())
}
