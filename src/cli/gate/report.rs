//! The verdict as text, JSON and JUnit XML.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::{GateArgs, Judged, Verdict};
use crate::cli::terminal::{Mood, Terminal};
use slosmith_text::diag::render::escape_xml;

/// The verdict, every criterion, and at the end what did not pass, and by how much.
pub(super) fn lines(out: &mut Terminal, judged: &[Judged], worst: Verdict) -> Result<()> {
    out.paint(mood(worst), word(worst))?;
    writeln!(out, ": {}", conclusion(judged))?;
    let width = judged.iter().map(|j| j.what.chars().count()).max();
    let width = width.unwrap_or(0);
    for j in judged {
        let value = j.value.as_deref().unwrap_or("-");
        let what = &j.what;
        let origin = j.origin.map(|origin| format!(" by {}", origin.as_str()));
        let origin = origin.unwrap_or_default();
        out.paint(mood(j.verdict), &format!("{:<12}", j.verdict.as_str()))?;
        writeln!(out, "  {what:<width$}  {value:>10}  ({}){origin}", j.bounds)?;
        if let Some(note) = &j.note {
            writeln!(out, "{:<12}  {note}", "")?;
        }
    }
    for wanted in [Verdict::Degraded, Verdict::NotMeasured, Verdict::Fail] {
        for j in judged.iter().filter(|j| j.verdict == wanted) {
            let value = j.value.as_deref().unwrap_or("no value");
            out.paint(mood(wanted), wanted.as_str())?;
            let missed = j.missed.as_deref().unwrap_or(&j.bounds);
            writeln!(out, ": {}: {value}, {missed}", j.what)?;
        }
    }
    Ok(())
}

fn mood(verdict: Verdict) -> Mood {
    match verdict {
        Verdict::Pass => Mood::Good,
        Verdict::Degraded | Verdict::NotMeasured => Mood::Doubtful,
        Verdict::Fail => Mood::Bad,
    }
}

fn word(worst: Verdict) -> &'static str {
    match worst {
        Verdict::NotMeasured => "no verdict",
        known => known.as_str(),
    }
}

/// The numbers behind the verdict: `2 failed, 1 not measured, 6 passed`.
fn conclusion(judged: &[Judged]) -> String {
    let verdicts = [
        (Verdict::Fail, "failed"),
        (Verdict::NotMeasured, "not measured"),
        (Verdict::Degraded, "degraded"),
        (Verdict::Pass, "passed"),
    ];
    let of = |verdict| judged.iter().filter(|j| j.verdict == verdict).count();
    let counts = verdicts.map(|(verdict, word)| (of(verdict), word));
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<_> = counts.map(|(n, word)| format!("{n} {word}")).collect();
    counts.join(", ")
}

pub(super) fn document(
    out: &mut dyn Write,
    args: &GateArgs,
    judged: &[Judged],
    worst: Verdict,
) -> Result<()> {
    let criteria: Vec<_> = judged
        .iter()
        .map(|j| {
            json!({
                "name": j.name,
                "measure": j.what,
                "value": j.value,
                "measured_by": j.origin.map(|origin| origin.as_str()),
                "bounds": j.bounds,
                "verdict": j.verdict.as_str(),
                "note": j.note,
            })
        })
        .collect();
    let document = json!({
        "result": args.result.as_ref().map(|path| path.display().to_string()),
        "scenario": args.scenario,
        "verdict": worst.as_str(),
        "criteria": criteria,
    });
    writeln!(out, "{document:#}")?;
    Ok(())
}

pub(super) fn junit(out: &mut dyn Write, args: &GateArgs, judged: &[Judged]) -> Result<()> {
    let bad = |j: &&Judged| args.fail_on.fails(j.verdict);
    let failures = judged.iter().filter(bad).count();
    let suite = escape_xml(args.scenario.as_deref().unwrap_or("load test"));
    let tests = judged.len();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"slosmith\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    writeln!(
        out,
        "  <testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    for j in judged {
        let name = escape_xml(&j.what);
        let text = escape_xml(&format!(
            "{}: {} ({})",
            j.verdict.as_str(),
            j.value.as_deref().unwrap_or("no value"),
            j.bounds
        ));
        let note = j.note.as_deref().map(escape_xml);
        let text = note.map_or_else(|| text.to_string(), |note| format!("{text}; {note}"));
        let inner = match bad(&j) {
            true => format!("<failure message=\"{text}\"/>"),
            false => format!("<system-out>{text}</system-out>"),
        };
        writeln!(
            out,
            "    <testcase name=\"{name}\" classname=\"{suite}\">{inner}</testcase>"
        )?;
    }
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")?;
    Ok(())
}
