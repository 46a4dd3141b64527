//! Monitors of the Prometheus operator: the jobs of `scrape.yaml` for targets in Kubernetes.

use indexmap::IndexMap;
use serde::Serialize;

use super::view::Named;
use crate::target::kubernetes::{Metadata, metadata};
use crate::target::scrape::{self, Relabel, ScrapeConfig, copy, set};
use slosmith_plan::plan::{Discovery, Kind, LabelSource, Plan, ScrapeJob};
use slosmith_spec::naming;

#[derive(Serialize)]
pub(super) struct Monitor {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) metadata: Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selector: Option<Selector>,
    /// True if the rules need the classic series of histograms.
    pub(super) classic_histograms: bool,
    pub(super) job: ScrapeConfig,
}

#[derive(Serialize)]
pub(super) struct Selector {
    pub(super) endpoints: &'static str,
    pub(super) labels: IndexMap<String, String>,
    /// Where they are looked for; in the monitor's own namespace when there are none.
    pub(super) namespaces: Vec<String>,
    pub(super) port: String,
}

/// One monitor per job; none if the spec has no `kubernetes` block.
pub(super) fn files(plan: &Plan) -> Vec<Named<Monitor>> {
    let jobs = plan.scrape.jobs.iter();
    let wanted = jobs.filter(|job| plan.kubernetes.is_some() || job.discovery.is_some());
    wanted.map(|job| named(plan, job)).collect()
}

fn named(plan: &Plan, job: &ScrapeJob) -> Named<Monitor> {
    let name = format!("{}-{}", plan.service.name, job.name);
    let file = monitor(plan, job, &name);
    let kind = file.kind.to_ascii_lowercase();
    Named {
        name: format!("{}.{kind}", naming::resource(&job.name)),
        title: format!("{}: scrapes {}.", plan.service.title, job.name),
        file,
    }
}

fn monitor(plan: &Plan, job: &ScrapeJob, name: &str) -> Monitor {
    let (api_version, kind) = match &job.discovery {
        None => ("monitoring.coreos.com/v1alpha1", "ScrapeConfig"),
        Some(found) => match found.kind {
            Kind::Pods => ("monitoring.coreos.com/v1", "PodMonitor"),
            Kind::Services => ("monitoring.coreos.com/v1", "ServiceMonitor"),
        },
    };
    let mut config = scrape::config(plan, job);
    let labels = job.discovery.iter().flat_map(|found| &found.labels);
    config.relabel_configs.extend(labels.map(relabel));
    Monitor {
        api_version,
        kind,
        metadata: metadata(plan, name, ("app.kubernetes.io/component", "scrape"), &[]),
        selector: job.discovery.as_ref().map(selector),
        classic_histograms: job.histograms,
        job: config,
    }
}

fn selector(found: &Discovery) -> Selector {
    Selector {
        endpoints: match found.kind {
            Kind::Pods => "podMetricsEndpoints",
            Kind::Services => "endpoints",
        },
        labels: found.selector.clone(),
        namespaces: found.namespaces.clone(),
        port: found.port.clone(),
    }
}

fn relabel((label, source): &(String, LabelSource)) -> Relabel {
    match source {
        LabelSource::Value(value) => set(label, value),
        LabelSource::Discovered(from) => copy(from, label),
    }
}
