//! What a build says: findings, stale files, a short summary.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::BuildArgs;
use super::job::{Built, How, Summary};
use crate::cli::terminal::{Terminal, Trust, is_stderr_styled};
use crate::diag::{Severity, Sink, render};
use crate::output::OutputError;
use crate::source::Sources;

/// Above this many services, those that stay as they are are only counted.
const FEW: usize = 20;

/// Shows all findings with their lines.
pub(in crate::cli) fn findings(err: &mut Terminal, sink: Sink, sources: &Sources) -> Result<()> {
    let (errors, warnings) = (sink.count(Severity::Error), sink.count(Severity::Warning));
    let found = sink.into_sorted();
    if found.is_empty() {
        return Ok(());
    }
    // Colours are taken out again by the stream where nobody can see them.
    let unicode = is_stderr_styled();
    err.print(
        &render::human::render(&found, sources, unicode),
        Trust::Styles,
    )?;
    if errors > 0 {
        let and = if warnings > 0 {
            format!(" and {}", count(warnings, "warning"))
        } else {
            String::new()
        };
        writeln!(err, "{}{and}; nothing was written", count(errors, "error"))?;
    }
    Ok(())
}

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

/// One line per service and what needs attention.
pub(super) fn summary(
    err: &mut dyn Write,
    args: &BuildArgs,
    built: &[Built],
    took: Duration,
) -> Result<()> {
    let mut unlisted = 0;
    for b in built {
        let folder = args.out.join(&b.service);
        match &b.how {
            How::Removed => {
                let state = if args.check { "stale" } else { "removed" };
                writeln!(err, "{}: {state}: no spec asks for it", folder.display())?;
            }
            _ if b.changed == 0 && built.len() > FEW => unlisted += 1,
            how => {
                let files = count(b.files, "file");
                let state = state(args, b.changed);
                writeln!(err, "{}: {files}, {state}", folder.display())?;
                if let How::Built(summary) = how {
                    attention(err, summary)?;
                }
            }
        }
    }
    if unlisted > 0 {
        writeln!(err, "{unlisted} more up to date")?;
    }
    let stale: usize = built.iter().map(|b| b.changed).sum();
    if args.check && stale > 0 {
        let advice = "run `slosmith build` and commit what it writes";
        writeln!(err, "{} stale; {advice}", count(stale, "file"))?;
    }
    let services = built.iter();
    let services = services.filter(|b| !matches!(b.how, How::Removed)).count();
    let services = count(services, "service");
    writeln!(err, "{services} in {}", rounded(took))?;
    Ok(())
}

fn state(args: &BuildArgs, changed: usize) -> String {
    match (args.check, changed) {
        (_, 0) => "up to date".to_owned(),
        (true, n) => format!("{n} stale"),
        (false, n) => format!("{n} written or removed"),
    }
}

fn attention(err: &mut dyn Write, summary: &Summary) -> Result<()> {
    if let Some(runtime) = &summary.runtime {
        writeln!(err, "  vLLM {} ({})", runtime.range, runtime.releases)?;
    }
    for left in &summary.left_out {
        writeln!(err, "  left out: {}: {}", left.signal, left.why)?;
    }
    for note in &summary.notes {
        writeln!(err, "  note: {note}")?;
    }
    Ok(())
}

fn count(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// `17 ms`, `2.4 s`.
fn rounded(took: Duration) -> String {
    match took.as_millis() {
        ms @ 0..1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}
