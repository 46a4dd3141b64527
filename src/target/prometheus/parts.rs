//! Parts of other configurations: Alertmanager's inhibition, Prometheus's scraping.

use super::view::{FileDiscovery, InhibitRule, Inhibition, Relabel, ScrapeConfig, ScrapeFile};
use crate::naming::{SERVICE, SEVERITY, SLO, TIER};
use crate::plan::{Plan, SloKind};

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
    let scrape = &plan.scrape;
    ScrapeFile {
        labels: scrape.labels.clone(),
        scrape_configs: vec![ScrapeConfig {
            job_name: scrape.job.clone(),
            scrape_interval: scrape.interval.to_string(),
            metrics_path: "/metrics".into(),
            file_sd_configs: vec![FileDiscovery {
                files: vec![format!(
                    "/etc/prometheus/targets/{}.yaml",
                    plan.service.name
                )],
            }],
            metric_relabel_configs: vec![Relabel {
                source_labels: vec!["__name__".into()],
                regex: ".*_created".into(),
                action: "drop".into(),
            }],
        }],
    }
}
