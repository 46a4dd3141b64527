//! What brings metrics to CloudWatch: the agent, or a collector that speaks OpenTelemetry.
//!
//! `Scraped {family: "vllm:num_requests_waiting", dimension_sets: [[]], …}` becomes a declaration of the agent with the
//! selector `^vllm:num_requests_waiting$`, and a family that the scrape job keeps.

use serde_json::{Value, json};

use crate::naming;
use crate::plan::cloudwatch::{CloudWatch, Scraped};
use crate::plan::{Plan, ScrapeJob};
use crate::spec::Via;
use crate::target::scrape;

/// A pattern for exactly this text. Names of metrics need no escapes; names of jobs may.
fn exactly(text: &str) -> String {
    format!("^{}$", regex::escape(text))
}

/// Declarations of the agent: one for each job and group of dimension sets.
pub(super) fn agent(plan: &Plan, cw: &CloudWatch) -> Value {
    // Families that are delivered in the same way share one declaration.
    type Alike<'a> = (Option<&'a str>, &'a [Vec<String>]);
    let mut declared: Vec<(Alike<'_>, Vec<String>)> = Vec::new();
    for scraped in &cw.scraped {
        let alike = (scraped.job.as_deref(), scraped.dimension_sets.as_slice());
        let name = exactly(&scraped.family);
        match declared.iter_mut().find(|(known, _)| *known == alike) {
            Some((_, names)) => names.push(name),
            None => declared.push((alike, vec![name])),
        }
    }
    let declarations = declared.into_iter().map(|((job, sets), names)| {
        json!({
            "source_labels": ["job"],
            "label_matcher": job.map_or_else(|| ".+".to_owned(), exactly),
            "dimensions": sets,
            "metric_selectors": names,
        })
    });
    json!({
        "service": plan.service.name,
        "region": cw.region,
        "namespace": cw.namespace,
        "log_group": naming::agent_log(&plan.service.name),
        "declarations": declarations.collect::<Vec<_>>(),
    })
}

/// Jobs to scrape, each with the families that are kept.
pub(super) fn scrape(plan: &Plan, cw: &CloudWatch) -> Value {
    let own = plan.scrape.job.as_str();
    let mut jobs: Vec<(&str, Vec<&Scraped>)> = Vec::new();
    for scraped in &cw.scraped {
        let job = scraped.job.as_deref().unwrap_or(own);
        match jobs.iter_mut().find(|(name, _)| *name == job) {
            Some((_, families)) => families.push(scraped),
            None => jobs.push((job, vec![scraped])),
        }
    }
    let jobs = jobs.into_iter().map(|(name, families)| {
        let job = plan.scrape.jobs.iter().find(|job| job.name == name);
        let job = job.cloned().unwrap_or_else(|| ScrapeJob::named(name));
        let config = scrape::config_of(plan, &job, kept(cw.via, &families));
        match cw.via {
            Via::Agent => config.each_minute(),
            Via::Otlp => config.for_collector(),
        }
    });
    json!({
        "service": plan.service.name,
        "region": cw.region,
        "scrape_configs": jobs.collect::<Vec<_>>(),
    })
}

/// A pattern for all series of these families. The agent drops histograms.
fn kept(via: Via, families: &[&Scraped]) -> String {
    let names: Vec<_> = families.iter().map(|s| regex::escape(&s.family)).collect();
    match via {
        Via::Agent => names.join("|"),
        Via::Otlp => format!("({})(_bucket|_count|_sum)?", names.join("|")),
    }
}
