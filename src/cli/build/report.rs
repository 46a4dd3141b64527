//! What a build says: stale files, a short summary.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::job::{Built, How, Summary};
use super::overview;
use super::settings::Settings;
use crate::cli::terminal::Terminal;
use crate::cli::words::{self, count};
use crate::output::OutputError;

/// Above this many services, they are counted, and not listed.
const FEW: usize = 20;

/// Says why nothing happens for now.
pub(super) fn waiting(out: &Path) {
    let out = out.display();
    // Nobody would read it when stderr is gone.
    let _ = writeln!(Terminal::stderr(), "waiting for another build of {out}");
}

/// Says what could not be cleared away.
pub(super) fn left(err: &mut dyn Write, why: OutputError) {
    let why = anyhow::Error::from(why);
    let _ = writeln!(err, "warning: left over from a build: {why:#}");
}

/// What became of the services: a line for each where there are few, or where each is asked for.
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
        let advice = "run `slosmith build` and commit what it writes";
        writeln!(err, "{} stale; {advice}", count(stale, "file"))?;
    }
    let services = built.iter();
    let services = services.filter(|b| !matches!(b.how, How::Removed)).count();
    let services = count(services, "service");
    writeln!(err, "{services} in {}", words::took(took))?;
    Ok(())
}

/// One line per service and what needs attention.
fn each(err: &mut dyn Write, settings: &Settings, built: &[Built]) -> Result<()> {
    for b in built {
        let folder = settings.out.join(&b.service);
        if let How::Removed = b.how {
            let state = if settings.check { "stale" } else { "removed" };
            writeln!(err, "{}: {state}: no spec asks for it", folder.display())?;
            continue;
        }
        let files = count(b.files, "file");
        let state = state(settings, b.changed);
        writeln!(err, "{}: {files}, {state}", folder.display())?;
        if let How::Built(summary) = &b.how {
            attention(err, summary)?;
        }
    }
    Ok(())
}

fn state(settings: &Settings, changed: usize) -> String {
    match (settings.check, changed) {
        (_, 0) => "up to date".to_owned(),
        (true, n) => format!("{n} stale"),
        (false, n) => format!("{n} written or removed"),
    }
}

fn attention(err: &mut dyn Write, summary: &Summary) -> Result<()> {
    if let Some(runtime) = &summary.runtime {
        writeln!(err, "  vLLM {} ({})", runtime.range, runtime.releases)?;
    }
    for line in overview::words(summary) {
        writeln!(err, "  {line}")?;
    }
    Ok(())
}
