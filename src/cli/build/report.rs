//! The report of a build: out-of-date files, and a short summary.

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
    }
    let services = built.iter();
    let services = services.filter(|b| !matches!(b.how, How::Removed)).count();
    let services = count(services, "service");
    writeln!(err, "{services} in {}", words::took(took))?;
    Ok(())
}

fn each(err: &mut dyn Write, settings: &Settings, built: &[Built]) -> Result<()> {
    for b in built {
        let folder = settings.out.join(&b.service);
        if let How::Removed = b.how {
            let state = if settings.check {
                "to remove"
            } else {
                "removed"
            };
            writeln!(err, "{}: {state} (no longer in any spec)", folder.display())?;
            continue;
        }
        let files = count(b.files, "file");
        let state = state(settings, b);
        writeln!(err, "{}: {files}, {state}", folder.display())?;
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
