//! `slosmith gate`: a load test against the criteria of a spec.

mod report;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};

use super::{page, plan};
use crate::diag::did_you_mean;
use crate::gate::{self, Difference, Evidence, Judged, Results, Verdict};
use crate::input;
use crate::plan::runbook::LoadTests;
use crate::spec::Measure;

/// Judge a load test by the criteria of a spec: pass, degraded or fail
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Result file of `vllm bench serve --save-result` or `k6 run --summary-export`
    #[arg(required_unless_present = "after")]
    result: Option<PathBuf>,
    /// The spec whose criteria to use
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,
    /// The scenario that was run; its own criteria apply as well
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// The server's metrics page before the test: a file or a URL. With `--after`, latencies and the prefix cache hit
    /// rate are what the server measured between the two pages
    #[arg(long, value_name = "PAGE", requires = "after")]
    before: Option<String>,
    /// The server's metrics page after the test
    #[arg(long, value_name = "PAGE", requires = "before")]
    after: Option<String>,
    /// A measure that neither the result nor the pages contain, such as `oom_events=0` (repeatable)
    #[arg(long, value_name = "MEASURE=VALUE")]
    given: Vec<String>,
    /// Which verdicts exit with 1
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Format of the verdict
    #[arg(long, value_enum, default_value_t)]
    format: GateFormat,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// Which verdicts exit with 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A criterion failed or was not measured
    #[default]
    Fail,
    /// Also if a criterion is degraded
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
        _ => bail!("`--given {given}`: `{value}` is not a number"),
    }
}
