//! What a build says: findings, stale files, a short summary.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use similar::TextDiff;

use super::{BuildArgs, Built, Changes};
use crate::diag::{Severity, Sink, render};
use crate::output::{Change, MANIFEST};
use crate::source::Sources;

/// Above this many services, those that stay as they are are only counted.
const FEW: usize = 20;

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
    let by_name: BTreeMap<_, _> = built.iter().map(|b| (&b.folder.service, b)).collect();
    for (service, files) in changes {
        let folder = by_name.get(service).map(|b| &b.folder);
        for (path, change) in files {
            let name = root.join(service).join(path).display().to_string();
            let wanted = folder.and_then(|f| f.files.get(path));
            let wanted = wanted.map_or("", String::as_str);
            if path == MANIFEST {
                writeln!(out, "{name}: the list of our files is stale")?;
                continue;
            }
            let none = "/dev/null";
            let (found, old, new) = match change {
                Change::Added => ("", none, name.as_str()),
                Change::Modified(text) => (text.as_str(), name.as_str(), name.as_str()),
                Change::Removed(text) => (text.as_str(), name.as_str(), none),
            };
            let diff = TextDiff::from_lines(found, wanted);
            write!(out, "{}", diff.unified_diff().header(old, new))?;
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
    let mut unlisted = 0;
    for b in built {
        let changed = changes.get(&b.folder.service).map_or(0, |c| c.len());
        if changed == 0 && built.len() > FEW {
            unlisted += 1;
        } else {
            service(err, args, b, changed)?;
        }
    }
    if unlisted > 0 {
        writeln!(err, "{unlisted} more up to date")?;
    }
    let wanted: BTreeSet<_> = built.iter().map(|b| &b.folder.service).collect();
    for gone in changes.keys().filter(|name| !wanted.contains(name)) {
        let state = if args.check { "stale" } else { "removed" };
        let folder = args.out.join(gone);
        writeln!(err, "{}: {state}: no spec asks for it", folder.display())?;
    }
    let stale: usize = changes.values().map(|c| c.len()).sum();
    if args.check && stale > 0 {
        let advice = "run `slosmith build` and commit what it writes";
        writeln!(err, "{} stale; {advice}", count(stale, "file"))?;
    }
    let services = count(built.len(), "service");
    writeln!(err, "{services} in {}", rounded(took))?;
    Ok(())
}

fn service(err: &mut dyn Write, args: &BuildArgs, b: &Built, changed: usize) -> Result<()> {
    let state = match (args.check, changed) {
        (_, 0) => "up to date".to_owned(),
        (true, n) => format!("{n} stale"),
        (false, n) => format!("{n} written or removed"),
    };
    let folder = args.out.join(&b.folder.service);
    let files = count(b.folder.files.len(), "file");
    writeln!(err, "{}: {files}, {state}", folder.display())?;
    let summary = &b.summary;
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
