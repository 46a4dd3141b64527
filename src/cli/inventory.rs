//! What the specs of a project say, service by service.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use super::build::BuildArgs;
use super::build::input;
use super::build::settings::Settings;
use super::findings;
use super::terminal::Terminal;
use crate::config;
use crate::diag::{Sink, guarded};
use crate::plan::runbook::{Check, Step};
use crate::plan::{Alert, BASE_WINDOW, Links, Marks, Plan, Slo, Tier, words};
use crate::query;
use crate::resolve::{self, Options};
use crate::source::{Sources, Span};
use crate::spec::{Bases, Document, Variant};
use crate::units::{Unit, decimal, shown};

/// Number of specs that are in memory at once.
const BATCH: usize = 256;

#[derive(Serialize)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) environment: Option<String>,
    /// Where its name is: `specs/chat.yaml:3`.
    pub(super) spec: String,
    /// The servers and their releases: `vLLM >=0.20`.
    pub(super) servers: Vec<String>,
    pub(super) slos: Vec<Objective>,
    pub(super) alerts: Vec<Notice>,
    pub(super) dashboards: Vec<Titled>,
    pub(super) runbooks: Vec<Titled>,
}

#[derive(Serialize)]
pub(super) struct Objective {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) objective: String,
    pub(super) period: String,
    /// The alerts on its burn rate: `critical: burn rate 14.4 over 1h and 5m`.
    pub(super) burn: Vec<String>,
    pub(super) alert: String,
    /// Severities of these alerts.
    pub(super) severities: Vec<String>,
    /// True where one of them pages.
    pub(super) pages: bool,
    pub(super) owner: Option<String>,
    pub(super) runbook: Option<String>,
    pub(super) spec: String,
    /// The error ratio over the base window.
    pub(super) query: String,
}

#[derive(Serialize)]
pub(super) struct Notice {
    pub(super) name: String,
    pub(super) severity: String,
    /// `queue depth > 80 for 5m`.
    pub(super) condition: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keep_firing_for: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) runbook: Option<String>,
    pub(super) spec: String,
    pub(super) query: String,
    /// True for an alert that slosmith adds to the service.
    pub(super) generated: bool,
    /// True for the severity of pages.
    pub(super) pages: bool,
}

/// A dashboard with its panels, or a runbook with its steps.
#[derive(Serialize)]
pub(super) struct Titled {
    pub(super) name: String,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) panels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<String>,
}

impl Service {
    /// The names of the alerts that page, also those on SLOs.
    pub(super) fn pages(&self) -> impl Iterator<Item = String> {
        let alerts = self.alerts.iter().filter(|alert| alert.pages);
        let slos = self.slos.iter().filter(|slo| slo.pages);
        let names = alerts
            .map(|alert| &alert.name)
            .chain(slos.map(|slo| &slo.alert));
        names.map(|name| format!("{}/{name}", self.name))
    }
}

/// The services of the specs in a folder with a project, or of some specs; `None` if the specs have errors, which are then shown.
pub(super) fn read(args: &BuildArgs) -> Result<Option<Vec<Service>>> {
    let Some(settings) = Settings::read(args)? else {
        return Ok(None);
    };
    let mut services = Vec::new();
    let mut findings = Sink::default();
    let mut sources = Sources::default();
    let mut bases = Bases::default();
    for paths in settings.specs.files.chunks(BATCH) {
        let mut variants = Vec::new();
        for path in paths {
            if let Some(file) = input::load(path, &mut sources, &mut findings)? {
                variants.extend(bases.of_spec(file, &mut sources, &mut findings));
            }
        }
        let read = |variant: &Variant| {
            let read = || service(variant, &settings, &sources);
            guarded(variant.file(), read).unwrap_or_else(|panic| {
                let mut failed = Sink::default();
                failed.push(panic);
                Err(failed)
            })
        };
        let done: Vec<_> = variants.par_iter().map(read).collect();
        for (variant, done) in variants.iter().zip(done) {
            match done {
                Ok(service) => {
                    services.push(service);
                    sources.forget(variant.file());
                }
                Err(errors) => findings.absorb(errors),
            }
        }
    }
    if findings.has_errors() {
        findings::show(&mut Terminal::stderr(), findings, &sources)?;
        return Ok(None);
    }
    services.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Some(services))
}

/// The arguments for the project in a folder.
pub(super) fn project(folder: &Path) -> BuildArgs {
    let config = folder.join(config::NAME);
    match config.is_file() {
        true => BuildArgs::of(&[], Some(&config)),
        false => BuildArgs::of(&[folder.join("specs")], None),
    }
}

fn service(variant: &Variant, settings: &Settings, sources: &Sources) -> Result<Service, Sink> {
    let document = variant.read(sources)?;
    let options = Options {
        vllm: None,
        recorded: &settings.recorded,
        kubernetes: settings.kubernetes.as_ref(),
    };
    let (plan, _) = resolve::resolve(&document, options)?;
    let view = View {
        document: &document,
        plan: &plan,
        sources,
    };
    Ok(view.service())
}

struct View<'a> {
    document: &'a Document,
    plan: &'a Plan,
    sources: &'a Sources,
}

impl View<'_> {
    fn service(&self) -> Service {
        let service = &self.plan.service;
        let servers = self.plan.servers.iter();
        let dashboards = self.plan.dashboards.iter().map(|dashboard| Titled {
            name: dashboard.name.clone(),
            title: dashboard.title.clone(),
            panels: {
                // The panels of an overview follow from SLOs and alerts.
                let own = &self.document.spec.dashboards;
                let is_own = own.contains_key(dashboard.name.as_str());
                let rows = dashboard.rows.iter().filter(|_| is_own);
                let panels = rows.flat_map(|row| {
                    let titles = row.panels.iter().map(|panel| panel.title.as_str());
                    titles.map(|title| format!("{} / {title}", row.title))
                });
                panels.collect()
            },
            steps: Vec::new(),
        });
        let runbooks = self.plan.runbooks.pages.iter().map(|page| Titled {
            name: page.name.clone(),
            title: page.title.clone(),
            panels: Vec::new(),
            steps: page.steps.iter().map(step).collect(),
        });
        Service {
            name: service.name.clone(),
            title: service.title.clone(),
            owner: service.owner.clone(),
            environment: self.document.environment.clone(),
            spec: self.place(self.document.spec.service.name.span),
            servers: servers
                .map(|s| format!("{} {}", s.title, s.range))
                .collect(),
            slos: self
                .plan
                .slos
                .iter()
                .map(|slo| self.objective(slo))
                .collect(),
            alerts: self
                .plan
                .alerts
                .iter()
                .map(|alert| self.notice(alert))
                .collect(),
            dashboards: dashboards.collect(),
            runbooks: runbooks.collect(),
        }
    }

    fn objective(&self, slo: &Slo) -> Objective {
        let events = &slo.events;
        let mut severities: Vec<_> = events.tiers.iter().map(|t| t.severity.clone()).collect();
        severities.dedup();
        let marks = events.tiers.first().map(|tier| &tier.marks);
        let ratio = query::direct_ratio(&events.sli, &slo.labels, BASE_WINDOW);
        let named = self.document.spec.slos.get_key_value(slo.name.as_str());
        Objective {
            name: slo.name.clone(),
            title: slo.title.clone(),
            objective: shown(events.budget.objective, Unit::Ratio),
            period: slo.period.to_string(),
            burn: events.tiers.iter().map(burn).collect(),
            alert: slo.alert_name.clone(),
            pages: severities.iter().any(|severity| self.is_page(severity)),
            severities,
            owner: self.owner(marks),
            runbook: runbook(&slo.links),
            spec: self.named(named.map(|(name, _)| name.span)),
            query: ratio.to_string(),
        }
    }

    fn notice(&self, alert: &Alert) -> Notice {
        let named = self.document.spec.alerts.get_key_value(alert.name.as_str());
        Notice {
            name: alert.name.clone(),
            severity: alert.severity.clone(),
            condition: words::condition_held(&alert.condition, alert.hold),
            keep_firing_for: (alert.keep.as_secs() > 0).then(|| alert.keep.to_string()),
            owner: self.owner(Some(&alert.marks)),
            labels: alert.marks.labels.iter().cloned().collect(),
            runbook: runbook(&alert.links),
            spec: self.named(named.map(|(name, _)| name.span)),
            query: alert.condition.query().expr.to_string(),
            generated: named.is_none(),
            pages: self.is_page(&alert.severity),
        }
    }

    /// Where pages and tickets have one severity, none pages.
    fn is_page(&self, severity: &str) -> bool {
        let severities = &self.plan.service.severities;
        severity == severities.page && severities.page != severities.ticket
    }

    fn owner(&self, marks: Option<&Marks>) -> Option<String> {
        let own = marks.and_then(|marks| marks.owner.clone());
        own.or_else(|| self.plan.service.owner.clone())
    }

    /// The place of a name in the spec; what slosmith adds to a service is at the service.
    fn named(&self, at: Option<Span>) -> String {
        self.place(at.unwrap_or(self.document.spec.service.name.span))
    }

    fn place(&self, at: Span) -> String {
        let file = self.sources.get(at.file);
        let line = file.line_col(at.range().start).line;
        format!("{}:{line}", file.path().display())
    }
}

/// A page of the spec, or an address outside it; not the index of all pages.
fn runbook(links: &Links) -> Option<String> {
    (links.page.is_some() || links.elsewhere).then(|| links.runbook.clone())
}

/// What a step asks.
fn step(step: &Step) -> String {
    let asked = || match &step.check {
        Check::Condition { condition, .. } => words::condition(condition),
        Check::Command(command, None) => command.clone(),
        Check::Command(_, Some(question)) | Check::Question(question) => question.clone(),
    };
    step.title.clone().unwrap_or_else(asked)
}

fn burn(tier: &Tier) -> String {
    let factor = decimal(tier.factor);
    let (severity, long, short) = (&tier.severity, tier.long, tier.short);
    format!("{severity}: burn rate {factor} over {long} and {short}")
}
