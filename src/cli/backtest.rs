//! `slosmith backtest`: what the alerts of specs would have done on the history of a Prometheus server.

mod report;

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;

use super::build::BuildArgs;
use super::build::settings::Settings;
use super::history::{HistoryArgs, of_service, show_warnings};
use super::{ReportFormat, diff, inventory};
use slosmith_backtest::{self as backtest, Found, Incidents};
use slosmith_plan::plan::Plan;

/// Show when alerts would have fired on your own history
#[derive(Debug, Args)]
pub struct BacktestArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Compare with the specs of a Git revision such as `origin/main`, or of a folder with another copy of the project
    #[arg(long, value_name = "BASE")]
    against: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

pub fn run(args: &BacktestArgs, out: &mut dyn Write) -> Result<u8> {
    let (from, to) = args.history.range()?;
    let server = args.history.server()?;
    let Some(incidents) = args.history.incidents()? else {
        return Ok(2);
    };
    let Some(plans) = plans(&args.history.build())? else {
        return Ok(2);
    };
    let all: Vec<&Plan> = plans.iter().collect();
    let is_json = args.format == ReportFormat::Json;
    if args.history.is_dry_run(&all, &server, is_json, out)? {
        return Ok(0);
    }
    let before = match &args.against {
        None => Vec::new(),
        Some(base) => match before(base, args)? {
            Some(plans) => plans,
            None => return Ok(2),
        },
    };
    let one = |plan: &Plan| {
        let name = &plan.service.name;
        of_service(name, || backtest::backtest(plan, &server, from, to))
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
        let incidents = args.history.has_incidents().then(|| {
            let page = &plan.service.severities.page;
            let (outcomes, outside) = backtest::compare(&report, &incidents, page);
            Incidents { outcomes, outside }
        });
        all.push(Found {
            report,
            server: server.shown(),
            incidents,
            against,
        });
    }
    show_warnings(&server)?;
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

/// The plans of specs; `None` if these have errors, which are then shown.
fn plans(args: &BuildArgs) -> Result<Option<Vec<Plan>>> {
    let Some(settings) = Settings::read(args)? else {
        return Ok(None);
    };
    let plans = inventory::each(&settings, |read| read.plan.clone())?;
    Ok(plans.map(|all| all.into_iter().map(|(_, plan)| plan).collect()))
}

/// The plans of the other version; `None` if its specs have errors, which are then shown.
fn before(base: &str, args: &BacktestArgs) -> Result<Option<Vec<Plan>>> {
    let project = diff::project(args.history.config.as_deref())?;
    let before = diff::Base::open(base, &project)?;
    match before.specs() {
        Some(build) => plans(&build),
        None => bail!("`{base}` has no specs"),
    }
}
