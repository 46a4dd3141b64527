//! `slosmith list`: the services of a project with their SLOs and alerts.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::build::{BuildArgs, Settings};
use super::inventory;
use super::table::Table;
use super::words::count;
use slosmith_plan::inventory::Service;
use slosmith_render::target::prometheus::project::{self, Notified};
use slosmith_render::target::{backstage, services as project_services};

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
    /// One Alertmanager configuration: a route per owner and severity, and the inhibit rules of all services
    Alertmanager,
    /// Entities of Backstage's software catalog: a component per service
    Backstage,
    /// One Grafana dashboard: the error budgets of all services, the worst first, and firing alerts
    Grafana,
}

const HEADER: [&str; 9] = [
    "service",
    "owner",
    "kind",
    "name",
    "severity",
    "condition",
    "runbook",
    "spec",
    "environment",
];

pub fn run(args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    let build = BuildArgs::of(&args.paths, args.config.as_deref());
    let Some(settings) = Settings::read(&build)? else {
        return Ok(2);
    };
    let notified = |read: &inventory::Read<'_>| match args.format {
        Format::Alertmanager => Notified::of(read.plan),
        _ => None,
    };
    let Some(read) = inventory::each(&settings, notified)? else {
        return Ok(2);
    };
    let (services, notified): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let templates = &settings.templates;
    match args.format {
        Format::Alertmanager => {
            let notified: Vec<_> = notified.into_iter().flatten().collect();
            write!(out, "{}", project::alertmanager(&notified, templates)?)?;
        }
        Format::Backstage => write!(out, "{}", backstage::render(&services, templates)?)?,
        Format::Grafana => write!(out, "{}", project_services::dashboard(templates)?)?,
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(&services)?)?,
        Format::Csv => csv(out, &services)?,
        Format::Text => text(out, &services)?,
    }
    Ok(0)
}

/// A line for each SLO and each alert of a service.
fn lines(service: &Service) -> impl Iterator<Item = [String; 9]> {
    let slos = service.slos.iter().map(|slo| {
        let promise = format!("{} over {}", slo.objective, slo.period);
        (
            "SLO",
            &slo.name,
            slo.severities.join(", "),
            promise,
            &slo.told,
        )
    });
    let alerts = service.alerts.iter().map(|alert| {
        let (severity, condition) = (alert.severity.clone(), alert.condition.clone());
        ("alert", &alert.name, severity, condition, &alert.told)
    });
    slos.chain(alerts)
        .map(|(kind, name, severity, condition, told)| {
            let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
            let [owner, runbook, spec] = [&told.owner, &told.runbook, &told.spec].map(or_empty);
            let environment = or_empty(&service.environment);
            let (service, kind, name) = (service.name.clone(), kind.to_owned(), name.clone());
            [
                service,
                owner,
                kind,
                name,
                severity,
                condition,
                runbook,
                spec,
                environment,
            ]
        })
}

fn csv(out: &mut dyn Write, services: &[Service]) -> Result<()> {
    writeln!(out, "{}", HEADER.join(","))?;
    for cells in services.iter().flat_map(lines) {
        let quoted = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        writeln!(out, "{}", quoted.join(","))?;
    }
    Ok(())
}

fn text(out: &mut dyn Write, services: &[Service]) -> Result<()> {
    let mut table = Table::default();
    let header = HEADER.map(str::to_uppercase);
    for cells in std::iter::once(header).chain(services.iter().flat_map(lines)) {
        let or_none = |cell: &'_ String| {
            if cell.is_empty() {
                "-".to_owned()
            } else {
                cell.clone()
            }
        };
        let cells = cells.each_ref().map(or_none);
        let [service, owner, kind, name, severity, condition, ..] = cells.each_ref();
        table.row([service, owner, kind, name, severity, condition].map(String::as_str));
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
    let bare = own.filter(|alert| alert.told.runbook.is_none());
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
