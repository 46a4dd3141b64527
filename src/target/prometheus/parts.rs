//! Parts of other configurations: Alertmanager's inhibition, Prometheus's scraping.

use super::view::{Collector, InhibitRule, Inhibition, ScrapeFile, SpanCount};
use crate::naming::{SERVICE, SEVERITY, SLO, TIER};
use crate::plan::{Plan, SloKind};
use crate::target::scrape;

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
            format!("{SLO}!=\"\""),
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

pub(super) fn collector(plan: &Plan) -> Option<Collector> {
    let spans: Vec<_> = plan
        .span_counts
        .iter()
        .map(|count| SpanCount {
            name: count.name.clone(),
            condition: count.condition.clone(),
        })
        .collect();
    (!spans.is_empty()).then_some(Collector { spans })
}

pub(super) fn scrape(plan: &Plan) -> ScrapeFile {
    let jobs = plan.scrape.jobs.iter();
    ScrapeFile {
        labels: plan.scrape.labels.clone(),
        scrape_configs: jobs.map(|job| scrape::config(plan, job)).collect(),
    }
}
