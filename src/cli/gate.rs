//! `slosmith gate`: checks a load test against the criteria of a spec.

mod report;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};

use super::terminal::Terminal;
use super::words::meant_or_all;
use super::{page, plan};
use slosmith_plan::gate::{self, Difference, Evidence, Judged, Results, Verdict};
use slosmith_plan::plan::runbook::LoadTests;
use slosmith_spec::spec::Measure;
use slosmith_text::input;

/// Check a load test result against the pass criteria of a spec
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Result of `vllm bench serve --save-result` or `k6 run --summary-export`
    #[arg(required_unless_present = "after")]
    result: Option<PathBuf>,
    /// Spec with the criteria
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,
    /// Environment of the spec, if it has several
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Scenario of the load test; its own criteria are checked, too
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// `/metrics` output of the server before the test: a file or a URL. Latencies and the prefix cache hit rate are
    /// computed from the difference to `--after`
    #[arg(long, value_name = "METRICS", requires = "after")]
    before: Option<String>,
    /// `/metrics` output of the server after the test
    #[arg(long, value_name = "METRICS", requires = "before")]
    after: Option<String>,
    /// Value of a measure that the result and the metrics do not contain, such as `oom_events=0` (repeatable)
    #[arg(long, value_name = "MEASURE=VALUE")]
    given: Vec<String>,
    /// Verdicts that exit with 1
    #[arg(long, value_name = "VERDICT", value_enum, default_value_t)]
    fail_on: FailOn,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: GateFormat,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// Verdicts that exit with 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A criterion failed or was not measured
    #[default]
    Fail,
    /// A criterion failed, was not measured or is degraded
    Degraded,
}

impl FailOn {
    fn fails(self, verdict: Verdict) -> bool {
        match self {
            FailOn::Fail => verdict >= Verdict::NotMeasured,
            FailOn::Degraded => verdict != Verdict::Pass,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// One line per criterion
    #[default]
    Text,
    /// One JSON document
    Json,
    /// JUnit XML with one test case per criterion
    Junit,
}

pub fn run(args: &GateArgs, out: &mut Terminal) -> Result<u8> {
    let Some(plan) = plan::of(&args.spec, args.environment.as_deref())? else {
        return Ok(2);
    };
    let Some(tests) = plan
        .runbooks
        .load_tests
        .as_ref()
        .filter(|t| !t.criteria.is_empty())
    else {
        bail!(
            "{}: the spec has no criteria; add `load_tests.criteria`",
            args.spec.display()
        );
    };
    check_scenario(args, tests)?;
    let evidence = evidence(args)?;
    let judged = gate::judge(tests, args.scenario.as_deref(), &evidence);
    let worst = gate::worst(&judged);
    match args.format {
        GateFormat::Text => report::lines(out, &judged, worst)?,
        GateFormat::Json => report::document(out, args, &judged, worst)?,
        GateFormat::Junit => report::junit(out, args, &judged)?,
    }
    Ok(u8::from(args.fail_on.fails(worst)))
}

fn evidence(args: &GateArgs) -> Result<Evidence> {
    let page = |name: &Option<String>| -> Result<_> {
        name.as_deref()
            .map(|name| page::read(name, &args.http))
            .transpose()
    };
    let given = args.given.iter().map(|given| parse(given));
    let given = given.collect::<Result<_>>()?;
    let result = args.result.as_deref().map(result).transpose()?;
    let pages = page(&args.before)?.zip(page(&args.after)?);
    Ok(Evidence {
        result,
        pages: pages.map(|(before, after)| Difference::new(before, after)),
        given,
    })
}

fn result(path: &Path) -> Result<Results> {
    let name = path.display();
    let text = input::read_named(path, input::RESULT)
        .and_then(input::text)
        .with_context(|| format!("cannot read {name}"))?;
    gate::read(&text).map_err(|why| anyhow!("{name}:{why}"))
}

fn check_scenario(args: &GateArgs, tests: &LoadTests) -> Result<()> {
    let Some(name) = &args.scenario else {
        return Ok(());
    };
    let known: Vec<_> = tests.scenarios.iter().map(|s| s.name.as_str()).collect();
    if known.contains(&name.as_str()) {
        return Ok(());
    }
    let help = meant_or_all(name, &known, "known scenarios");
    bail!("`--scenario {name}`: unknown scenario; {help}")
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
        .ok_or_else(|| anyhow!("`--given {given}`: expected MEASURE=VALUE"))?;
    let name = name.trim().replace('-', "_");
    let Some(measure) = ALL.into_iter().find(|m| m.as_str() == name) else {
        let help = meant_or_all(&name, &ALL.map(Measure::as_str), "known measures");
        bail!("`--given {given}`: unknown measure; {help}");
    };
    let (number, share) = match value.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (value.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((measure, number / share)),
        _ => bail!("`--given {given}`: the value must be a number, found `{value}`"),
    }
}
