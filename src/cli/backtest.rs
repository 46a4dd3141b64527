//! `slosmith backtest`: what the alerts of specs would have done on the history of a Prometheus server.

mod html;
mod report;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::build::BuildArgs;
use super::build::settings::Settings;
use super::history::{HistoryArgs, of_service, show_warnings};
use super::out::put;
use super::{diff, inventory};
use slosmith_backtest::{self as backtest, Also, Found, Incident, Incidents};
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
    format: BacktestFormat,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BacktestFormat {
    /// Aligned text
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Markdown, for a comment on a pull request
    Markdown,
    /// A page with plots, which needs no other file
    Html,
}

pub fn run(args: &BacktestArgs, out: &mut dyn Write) -> Result<u8> {
    let range = args.history.range()?;
    let server = args.history.server()?;
    let Some(incidents) = args.history.incidents()? else {
        return Ok(2);
    };
    let Some(plans) = plans(&args.history.build())? else {
        return Ok(2);
    };
    let all: Vec<&Plan> = plans.iter().collect();
    let is_json = args.format == BacktestFormat::Json;
    let mut cost = Vec::new();
    if args.history.is_dry_run(&all, &server, is_json, &mut cost)? {
        args.print(out, cost)?;
        return Ok(0);
    }
    let before = match &args.against {
        None => Vec::new(),
        Some(base) => match before(base, args)? {
            Some(plans) => plans,
            None => return Ok(2),
        },
    };
    let also = match args.format {
        BacktestFormat::Html => Also::Plots,
        _ => Also::Nothing,
    };
    let one = |plan: &Plan| {
        let name = &plan.service.name;
        of_service(name, &server, || {
            backtest::backtest(plan, &server, range, also)
        })
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
    let mut text = Vec::new();
    report(args.format, &mut text, &all, &incidents)?;
    args.print(out, text)?;
    Ok(0)
}

impl BacktestArgs {
    fn print(&self, out: &mut dyn Write, text: Vec<u8>) -> Result<()> {
        match &self.out {
            None => out.write_all(&text)?,
            Some(path) => put(path, &String::from_utf8(text)?)?,
        }
        Ok(())
    }
}

fn report(
    format: BacktestFormat,
    out: &mut dyn Write,
    all: &[Found],
    incidents: &[Incident],
) -> Result<()> {
    match format {
        BacktestFormat::Text => report::text(out, all)?,
        BacktestFormat::Markdown => report::markdown(out, all)?,
        BacktestFormat::Html => html::page(out, all, incidents)?,
        BacktestFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(all)?)?,
    }
    Ok(())
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
