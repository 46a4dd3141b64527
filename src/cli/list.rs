//! `slosmith list`: the services of a project with their SLOs and alerts.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::build::BuildArgs;
use super::inventory;
use super::table::Table;
use super::words::count;
use crate::inventory::Service;

/// List services with their SLOs and alerts
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Specs or folders of specs. Default: `specs` in `slosmith.toml`, otherwise the folder `specs`
    paths: Vec<PathBuf>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned text
    #[default]
    Text,
    /// One JSON document, with queries, places, dashboards and runbooks
    Json,
    /// Comma-separated values: a line per SLO and alert
    Csv,
}

/// A line: an SLO or an alert of a service.
struct Line<'a>([&'a str; 8]);

const HEADER: [&str; 8] = [
    "service",
    "owner",
    "kind",
    "name",
    "severity",
    "condition",
    "runbook",
    "spec",
];

pub fn run(args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    let build = BuildArgs::of(&args.paths, args.config.as_deref());
    let Some(services) = inventory::read(&build)? else {
        return Ok(2);
    };
    match args.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(&services)?)?,
        Format::Csv => csv(out, &services)?,
        Format::Text => text(out, &services)?,
    }
    Ok(0)
}

/// The lines of a service, each with owned cells in front of it: severities and promises are put together.
fn lines(service: &Service, each: &mut dyn FnMut(&Line<'_>) -> Result<()>) -> Result<()> {
    let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
    for slo in &service.slos {
        let severities = slo.severities.join(", ");
        let promise = format!("{} over {}", slo.objective, slo.period);
        let (owner, runbook) = (or_empty(&slo.owner), or_empty(&slo.runbook));
        each(&Line([
            &service.name,
            &owner,
            "SLO",
            &slo.name,
            &severities,
            &promise,
            &runbook,
            &or_empty(&slo.spec),
        ]))?;
    }
    for alert in &service.alerts {
        let (owner, runbook) = (or_empty(&alert.owner), or_empty(&alert.runbook));
        each(&Line([
            &service.name,
            &owner,
            "alert",
            &alert.name,
            &alert.severity,
            &alert.condition,
            &runbook,
            &or_empty(&alert.spec),
        ]))?;
    }
    Ok(())
}

fn csv(out: &mut dyn Write, services: &[Service]) -> Result<()> {
    writeln!(out, "{}", HEADER.join(","))?;
    for service in services {
        lines(service, &mut |Line(cells)| {
            let quoted = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
            Ok(writeln!(out, "{}", quoted.join(","))?)
        })?;
    }
    Ok(())
}

fn text(out: &mut dyn Write, services: &[Service]) -> Result<()> {
    let mut table = Table::default();
    let [service, owner, kind, name, severity, condition, ..] = HEADER;
    table.row(
        [service, owner, kind, name, severity, condition]
            .map(str::to_uppercase)
            .each_ref()
            .map(String::as_str),
    );
    for service in services {
        lines(service, &mut |Line(
            [service, owner, kind, name, severity, condition, ..],
        )| {
            let or_none = |text: &str| {
                if text.is_empty() {
                    "-".to_owned()
                } else {
                    text.to_owned()
                }
            };
            let (owner, severity) = (or_none(owner), or_none(severity));
            table.row([
                service,
                owner.as_str(),
                kind,
                name,
                severity.as_str(),
                condition,
            ]);
            Ok(())
        })?;
    }
    write!(out, "{}", table.text(""))?;
    let slos: usize = services.iter().map(|service| service.slos.len()).sum();
    let alerts: Vec<_> = services
        .iter()
        .flat_map(|service| &service.alerts)
        .collect();
    let (all, slos) = (count(services.len(), "service"), count(slos, "SLO"));
    writeln!(out, "\n{all}, {slos}, {}", count(alerts.len(), "alert"))?;
    let without = services.iter().filter(|service| service.slos.is_empty());
    let own = alerts.iter().filter(|alert| !alert.generated);
    let bare = own.filter(|alert| alert.runbook.is_none());
    for (number, word, lacks) in [
        (without.count(), "service", "SLOs"),
        (bare.count(), "alert", "a runbook"),
    ] {
        if number > 0 {
            writeln!(out, "{} without {lacks}", count(number, word))?;
        }
    }
    Ok(())
}
