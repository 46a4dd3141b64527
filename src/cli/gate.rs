//! `slosmith gate`: the result of a load test against the criteria of a spec.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::plan;
use crate::diag::did_you_mean;
use crate::diag::render::escape_xml;
use crate::gate::{self, Judged, Verdict};
use crate::input;
use crate::plan::runbook::LoadTests;
use crate::spec::Measure;

/// Judge the result of a load test by the criteria of a spec: pass, degraded or fail
#[derive(Debug, Args)]
pub struct GateArgs {
    /// What `vllm bench serve --save-result` or `k6 run --summary-export` wrote
    result: PathBuf,
    /// The spec whose criteria are used
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,
    /// The scenario that was run: its own criteria count as well
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// A measure that the result does not hold, such as `oom_events=0` or `prefix_cache_hit_rate=0.7`; repeatable
    #[arg(long, value_name = "MEASURE=VALUE")]
    given: Vec<String>,
    /// What ends with 1
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// How the verdict is printed
    #[arg(long, value_enum, default_value_t)]
    format: GateFormat,
}

/// What ends with 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A criterion that failed
    #[default]
    Fail,
    /// Also one that is degraded, or was not measured
    Degraded,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// A line for each criterion
    #[default]
    Text,
    /// One JSON document
    Json,
    /// JUnit XML: a test case for each criterion
    Junit,
}

/// Runs `slosmith gate`.
///
/// # Errors
/// When the result or the spec cannot be read, or the spec has no criteria.
pub fn run(args: &GateArgs, out: &mut dyn Write) -> Result<u8> {
    let Some(plan) = plan::of(&args.spec)? else {
        return Ok(2);
    };
    let Some(tests) = plan
        .runbooks
        .load_tests
        .as_ref()
        .filter(|t| !t.criteria.is_empty())
    else {
        bail!(
            "{}: the spec has no `load_tests` with `criteria`",
            args.spec.display()
        );
    };
    check_scenario(args, tests)?;
    let path = args.result.display();
    let text = input::read_named(&args.result, input::RESULT)
        .and_then(input::text)
        .with_context(|| format!("cannot read {path}"))?;
    let mut results = gate::read(&text).map_err(|why| anyhow!("{path}:{why}"))?;
    for given in &args.given {
        let (measure, value) = parse(given)?;
        results.give(measure, value);
    }
    let judged = gate::judge(tests, args.scenario.as_deref(), &results);
    let worst = gate::worst(&judged);
    match args.format {
        GateFormat::Text => lines(out, &judged, worst)?,
        GateFormat::Json => document(out, args, &judged, worst)?,
        GateFormat::Junit => junit(out, args, &judged)?,
    }
    let failed = match args.fail_on {
        FailOn::Fail => worst == Verdict::Fail,
        FailOn::Degraded => worst != Verdict::Pass,
    };
    Ok(u8::from(failed))
}

fn check_scenario(args: &GateArgs, tests: &LoadTests) -> Result<()> {
    let Some(name) = &args.scenario else {
        return Ok(());
    };
    let known = tests.scenarios.iter().map(|s| s.name.as_str());
    if known.clone().any(|known| known == name) {
        return Ok(());
    }
    let help = did_you_mean(name, known.clone());
    let help =
        help.unwrap_or_else(|| format!("there are {}", known.collect::<Vec<_>>().join(", ")));
    bail!("`--scenario {name}`: the spec has no such scenario; {help}")
}

/// `oom_events=0`, `prefix_cache_hit_rate=70%`.
fn parse(given: &str) -> Result<(Measure, f64)> {
    const ALL: [Measure; 9] = [
        Measure::Ttft,
        Measure::Tpot,
        Measure::Itl,
        Measure::E2e,
        Measure::ErrorRate,
        Measure::RequestThroughput,
        Measure::OutputThroughput,
        Measure::OomEvents,
        Measure::PrefixCacheHitRate,
    ];
    let (name, value) = given
        .split_once('=')
        .ok_or_else(|| anyhow!("`--given {given}`: write MEASURE=VALUE"))?;
    let name = name.trim().replace('-', "_");
    let Some(measure) = ALL.into_iter().find(|m| m.as_str() == name) else {
        let words = ALL.map(Measure::as_str);
        let help = did_you_mean(&name, words);
        let help = help.unwrap_or_else(|| format!("there are {}", words.join(", ")));
        bail!("`--given {given}`: there is no such measure; {help}");
    };
    let (number, share) = match value.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (value.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((measure, number / share)),
        _ => bail!("`--given {given}`: `{value}` is no number"),
    }
}

fn lines(out: &mut dyn Write, judged: &[Judged], worst: Verdict) -> Result<()> {
    let width = judged
        .iter()
        .map(|j| j.what.chars().count())
        .max()
        .unwrap_or(0);
    for j in judged {
        let value = j.value.as_deref().unwrap_or("-");
        let (verdict, what) = (j.verdict.as_str(), &j.what);
        writeln!(
            out,
            "{verdict:<12}  {what:<width$}  {value:>10}  ({})",
            j.bounds
        )?;
    }
    writeln!(out, "{}", worst.as_str())?;
    Ok(())
}

fn document(out: &mut dyn Write, args: &GateArgs, judged: &[Judged], worst: Verdict) -> Result<()> {
    let criteria: Vec<_> = judged
        .iter()
        .map(|j| {
            json!({
                "name": j.name,
                "measure": j.what,
                "value": j.value,
                "bounds": j.bounds,
                "verdict": j.verdict.as_str(),
            })
        })
        .collect();
    let document = json!({
        "result": args.result.display().to_string(),
        "scenario": args.scenario,
        "verdict": worst.as_str(),
        "criteria": criteria,
    });
    writeln!(out, "{document:#}")?;
    Ok(())
}

fn junit(out: &mut dyn Write, args: &GateArgs, judged: &[Judged]) -> Result<()> {
    let bad = |j: &&Judged| match args.fail_on {
        FailOn::Fail => j.verdict == Verdict::Fail,
        FailOn::Degraded => j.verdict != Verdict::Pass,
    };
    let failures = judged.iter().filter(bad).count();
    let skipped = judged
        .iter()
        .filter(|j| !bad(j) && j.verdict == Verdict::NotMeasured)
        .count();
    let suite = escape_xml(args.scenario.as_deref().unwrap_or("load test"));
    let tests = judged.len();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"slosmith\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    writeln!(
        out,
        "  <testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
    )?;
    for j in judged {
        let name = escape_xml(&j.what);
        let text = escape_xml(&format!(
            "{}: {} ({})",
            j.verdict.as_str(),
            j.value.as_deref().unwrap_or("no value"),
            j.bounds
        ));
        let inner = match (bad(&j), j.verdict) {
            (true, _) => format!("<failure message=\"{text}\"/>"),
            (false, Verdict::NotMeasured) => format!("<skipped message=\"{text}\"/>"),
            (false, _) => format!("<system-out>{text}</system-out>"),
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
