//! The verdict as text, JSON and JUnit XML.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::{GateArgs, Judged, Verdict};
use crate::diag::render::escape_xml;

pub(super) fn lines(out: &mut dyn Write, judged: &[Judged], worst: Verdict) -> Result<()> {
    let width = judged.iter().map(|j| j.what.chars().count()).max();
    let width = width.unwrap_or(0);
    for j in judged {
        let value = j.value.as_deref().unwrap_or("-");
        let (verdict, what) = (j.verdict.as_str(), &j.what);
        let origin = j.origin.map(|origin| format!(" by {}", origin.as_str()));
        let origin = origin.unwrap_or_default();
        writeln!(
            out,
            "{verdict:<12}  {what:<width$}  {value:>10}  ({}){origin}",
            j.bounds
        )?;
        if let Some(note) = &j.note {
            writeln!(out, "{:<12}  {note}", "")?;
        }
    }
    writeln!(out, "{}", conclusion(judged, worst))?;
    Ok(())
}

/// The verdict, with the number of criteria that were not measured.
fn conclusion(judged: &[Judged], worst: Verdict) -> String {
    let unknown = judged.iter().filter(|j| j.verdict == Verdict::NotMeasured);
    let (verdict, all) = (worst.as_str(), judged.len());
    match unknown.count() {
        0 => verdict.to_owned(),
        n if worst == Verdict::Fail => {
            format!("{verdict}; {n} of {all} criteria were not measured")
        }
        n => format!("no verdict: {n} of {all} criteria were not measured"),
    }
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
