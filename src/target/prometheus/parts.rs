//! Parts of other configurations: Alertmanager's inhibition, Prometheus's scraping.

use super::view::{
    FileDiscovery, InhibitRule, Inhibition, Params, Relabel, ScrapeConfig, ScrapeFile,
};
use crate::naming::{self, SERVICE, SEVERITY, SLO, TIER};
use crate::plan::{Plan, ScrapeJob, SloKind};

/// A page about an objective silences its tickets. `None` when nothing both pages and opens tickets.
pub(super) fn inhibition(plan: &Plan) -> Option<Inhibition> {
    let severities = &plan.service.severities;
    let both = plan.slos.iter().any(|slo| match &slo.kind {
        SloKind::Events(events) => {
            let has = |severity: &str| events.tiers.iter().any(|t| t.severity == severity);
            has(&severities.page) && has(&severities.ticket)
        }
        SloKind::Percentile(_) => false,
    });
    if !both || severities.page == severities.ticket {
        return None;
    }
    let matchers = |severity: &str| {
        vec![
            format!("{SERVICE}=\"{}\"", plan.service.name),
            format!("{TIER}!=\"\""),
            format!("{SEVERITY}=\"{severity}\""),
        ]
    };
    let mut equal = vec![SLO.to_owned()];
    let mut labels: Vec<_> = plan
        .slos
        .iter()
        .flat_map(|s| s.labels.iter().cloned())
        .collect();
    labels.sort();
    labels.dedup();
    equal.extend(labels);
    Some(Inhibition {
        inhibit_rules: vec![InhibitRule {
            source_matchers: matchers(&severities.page),
            target_matchers: matchers(&severities.ticket),
            equal,
        }],
    })
}

/// How the service's targets are found and scraped.
pub(super) fn scrape(plan: &Plan) -> ScrapeFile {
    let jobs = plan.scrape.jobs.iter();
    ScrapeFile {
        labels: plan.scrape.labels.clone(),
        scrape_configs: jobs.map(|job| scrape_config(plan, job)).collect(),
    }
}

/// Names of jobs must differ between all files that are loaded together, so they contain the service's name.
pub(super) fn scrape_config(plan: &Plan, job: &ScrapeJob) -> ScrapeConfig {
    let service = &plan.service.name;
    let (path, params) = match &job.probe {
        None => (job.path.as_str(), None),
        Some(probe) => ("/probe", Some(vec![probe.module.clone()])),
    };
    let mut relabel = vec![set("job", &job.name)];
    if let Some(probe) = &job.probe {
        relabel.push(copy("__address__", "__param_target"));
        relabel.push(copy("__param_target", "instance"));
        relabel.push(set("__address__", &probe.exporter));
    }
    ScrapeConfig {
        job_name: naming::scrape_job(service, &job.name),
        scrape_interval: plan.scrape.interval.to_string(),
        metrics_path: path.to_owned(),
        params: params.map(|module| Params { module }),
        file_sd_configs: vec![FileDiscovery {
            files: vec![naming::targets_file(service, &job.name)],
        }],
        relabel_configs: relabel,
        metric_relabel_configs: vec![Relabel {
            source_labels: vec!["__name__".into()],
            regex: Some(".*_created".into()),
            action: Some("drop".into()),
            ..Relabel::default()
        }],
    }
}

/// A label with a fixed value, in which a dollar is only a dollar.
pub(super) fn set(label: &str, value: &str) -> Relabel {
    Relabel {
        target_label: Some(label.to_owned()),
        replacement: Some(value.replace('$', "$$")),
        ..Relabel::default()
    }
}

/// A label with another one's value.
pub(super) fn copy(from: &str, to: &str) -> Relabel {
    Relabel {
        source_labels: vec![from.to_owned()],
        target_label: Some(to.to_owned()),
        ..Relabel::default()
    }
}
