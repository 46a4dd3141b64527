//! What a build says: findings, stale files, a short summary.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use similar::TextDiff;

use super::{BuildArgs, Built, Changes};
use crate::diag::{Severity, Sink, render};
use crate::output::{Change, MANIFEST};
use crate::source::Sources;

/// Shows all findings with their lines.
pub(super) fn findings(err: &mut dyn Write, sink: Sink, sources: &Sources) -> Result<()> {
    let (errors, warnings) = (sink.count(Severity::Error), sink.count(Severity::Warning));
    let found = sink.into_sorted();
    if found.is_empty() {
        return Ok(());
    }
    // Colours are taken out again by the stream where nobody can see them.
    let unicode = std::io::stderr().is_terminal();
    err.write_all(render::human::render(&found, sources, unicode).as_bytes())?;
    if errors > 0 {
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let and = if warnings > 0 {
            format!(" and {}", count(warnings, "warning"))
        } else {
            String::new()
        };
        writeln!(err, "{}{and}; nothing was written", count(errors, "error"))?;
    }
    Ok(())
}

/// Shows how files on disk differ from what they should be, as a unified diff.
pub(super) fn stale(
    out: &mut dyn Write,
    root: &Path,
    built: &[Built],
    changes: &Changes,
) -> Result<()> {
    for (service, files) in changes {
        let folder = built.iter().find(|b| b.folder.service == *service);
        for (path, change) in files {
            let wanted = folder.and_then(|b| b.folder.files.get(path));
            let wanted = wanted.map_or("", String::as_str);
            let found = match change {
                Change::Added => "",
                Change::Modified(text) | Change::Removed(text) => text,
            };
            let name = root.join(service).join(path);
            let (old, new) = match change {
                Change::Added => ("/dev/null".into(), name.display().to_string()),
                Change::Modified(_) => (name.display().to_string(), name.display().to_string()),
                Change::Removed(_) => (name.display().to_string(), "/dev/null".into()),
            };
            if path == MANIFEST {
                writeln!(out, "{}: the list of our files is stale", name.display())?;
                continue;
            }
            let diff = TextDiff::from_lines(found, wanted);
            write!(out, "{}", diff.unified_diff().header(&old, &new))?;
        }
    }
    Ok(())
}

/// One line per service and what needs attention.
pub(super) fn summary(
    err: &mut dyn Write,
    args: &BuildArgs,
    built: &[Built],
    changes: &Changes,
    took: Duration,
) -> Result<()> {
    for b in built {
        let files = b.folder.files.len();
        let changed = changes.get(&b.folder.service).map_or(0, |c| c.len());
        let state = match (args.check, changed) {
            (_, 0) => "up to date".to_owned(),
            (true, n) => format!("{n} stale"),
            (false, n) => format!("{n} written or removed"),
        };
        let folder = args.out.join(&b.folder.service);
        writeln!(err, "{}: {files} files, {state}", folder.display())?;
        let plan = &b.plan;
        if let Some(runtime) = &plan.runtime {
            writeln!(err, "  vLLM {} ({})", runtime.range, runtime.releases)?;
        }
        for left in &plan.left_out {
            writeln!(err, "  left out: {}: {}", left.signal, left.why)?;
        }
        for note in &b.notes {
            writeln!(err, "  note: {note}")?;
        }
    }
    for service in changes
        .keys()
        .filter(|s| !built.iter().any(|b| b.folder.service == **s))
    {
        let state = if args.check { "stale" } else { "removed" };
        writeln!(
            err,
            "{}: {state}: no spec asks for it",
            args.out.join(service).display()
        )?;
    }
    let stale: usize = changes.values().map(|c| c.len()).sum();
    if args.check && stale > 0 {
        writeln!(
            err,
            "{stale} stale; run `slosmith build` and commit what it writes"
        )?;
    }
    let services = if built.len() == 1 {
        "service"
    } else {
        "services"
    };
    writeln!(err, "{} {services} in {}", built.len(), rounded(took))?;
    Ok(())
}

/// `17 ms`, `2.4 s`.
fn rounded(took: Duration) -> String {
    match took.as_millis() {
        ms @ 0..1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}
