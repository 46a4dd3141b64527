//! `slosmith backtest`: what the alerts of specs would have done on the history of a Prometheus server.

mod report;
mod server;
mod times;

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::build::BuildArgs;
use super::build::settings::Settings;
use super::diff;
use super::terminal::Terminal;
use super::{ReportFormat, findings, inventory, page};
use server::Prometheus;
use slosmith_backtest::{self as backtest, Found, Incident, Incidents, Report};
use slosmith_plan::plan::Plan;

/// Days of history without another option.
const DAYS: u32 = 28;

/// Most days of history: a query asks for 10,000 minutes.
const MOST: i64 = 1_000;

/// Show when alerts would have fired on your own history
#[derive(Debug, Args)]
pub struct BacktestArgs {
    /// Specs, or folders with specs. Default: the specs of the project
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// URL of a server with the query API of Prometheus, such as Prometheus, Mimir, Thanos or VictoriaMetrics
    #[arg(long, value_name = "URL")]
    prometheus: String,
    /// Number of days before the end
    #[arg(long, value_name = "NUMBER", default_value_t = DAYS, value_parser = clap::value_parser!(u32).range(1..=MOST), conflicts_with = "from")]
    days: u32,
    /// Begin of the history (RFC 3339), such as 2026-11-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// End of the history (RFC 3339). Default: now
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// YAML file with incidents: a list of `title`, `start` and `end`. The report shows which of them the alerts found
    #[arg(long, value_name = "FILE")]
    incidents: Option<PathBuf>,
    /// Compare with the specs of a Git revision such as `origin/main`, or of a folder with another copy of the project
    #[arg(long, value_name = "BASE")]
    against: Option<String>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// HTTP header of each request, such as `X-Scope-OrgID: team`. For secrets, use `--bearer-token-file`
    #[arg(
        long,
        value_name = "HEADER",
        help_heading = "Options for http:// and https:// URLs"
    )]
    header: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    #[command(flatten)]
    http: page::HttpArgs,
}

pub fn run(args: &BacktestArgs, out: &mut dyn Write) -> Result<u8> {
    let (from, to) = range(args)?;
    let server = Prometheus::new(&args.prometheus, &args.header, &args.http)?;
    let incidents = match &args.incidents {
        None => None,
        Some(path) => match times::incidents(path)? {
            Ok(incidents) => Some(incidents),
            Err((findings, sources)) => {
                findings::show(&mut Terminal::stderr(), findings, &sources)?;
                return Ok(2);
            }
        },
    };
    let Some(plans) = plans(&BuildArgs::of(&args.specs, args.config.as_deref()))? else {
        return Ok(2);
    };
    let before = match &args.against {
        None => Vec::new(),
        Some(base) => match before(base, args)? {
            Some(plans) => plans,
            None => return Ok(2),
        },
    };
    let one = |plan: &Plan| -> Result<Option<Report>> {
        let mut err = Terminal::stderr();
        writeln!(err, "{}: sending queries", plan.service.name)?;
        match backtest::backtest(plan, &server, from, to) {
            Ok(report) => Ok(Some(report)),
            // Other services may have a history.
            Err(error @ backtest::Error::Empty(_)) => {
                writeln!(err, "{error}")?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    };
    let mut all = Vec::new();
    for plan in &plans {
        let Some(report) = one(plan)? else {
            continue;
        };
        let is_same = |old: &&Plan| old.service.name == plan.service.name;
        let against = match before.iter().find(is_same) {
            Some(old) => one(old)?,
            None => None,
        };
        let incidents = incidents.as_deref().map(|incidents: &[Incident]| {
            let page = &plan.service.severities.page;
            let (outcomes, outside) = backtest::compare(&report, incidents, page);
            Incidents { outcomes, outside }
        });
        all.push(Found {
            report,
            server: server.shown(),
            incidents,
            against,
        });
    }
    let mut err = Terminal::stderr();
    for warning in server.warnings() {
        writeln!(err, "the server warned: {warning}")?;
    }
    if all.is_empty() {
        return Ok(2);
    }
    match args.format {
        ReportFormat::Text => report::text(out, &all)?,
        ReportFormat::Markdown => report::markdown(out, &all)?,
        ReportFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?,
    }
    Ok(0)
}

/// The begin and the end, in seconds since 1970.
fn range(args: &BacktestArgs) -> Result<(i64, i64)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let to = match &args.to {
        None => i64::try_from(now)?,
        Some(time) => times::read(time).with_context(|| format!("`--to {time}`"))?,
    };
    let from = match &args.from {
        None => to - i64::from(args.days) * 86_400,
        Some(time) => times::read(time).with_context(|| format!("`--from {time}`"))?,
    };
    if from >= to {
        bail!("the history is empty: its begin must be before its end");
    }
    if to - from > MOST * 86_400 {
        bail!("the history has more than {MOST} days");
    }
    Ok((from, to))
}

/// The plans of specs; `None` if these have errors, which are then shown.
fn plans(args: &BuildArgs) -> Result<Option<Vec<Plan>>> {
    let Some(settings) = Settings::read(args)? else {
        return Ok(None);
    };
    let plans = inventory::each(&settings, Plan::clone)?;
    Ok(plans.map(|all| all.into_iter().map(|(_, plan)| plan).collect()))
}

/// The plans of the other version; `None` if its specs have errors, which are then shown.
fn before(base: &str, args: &BacktestArgs) -> Result<Option<Vec<Plan>>> {
    let project = diff::project(args.config.as_deref())?;
    let before = diff::Base::open(base, &project)?;
    match before.specs() {
        Some(build) => plans(&build),
        None => bail!("`{base}` has no specs"),
    }
}
