//! What brings metrics to CloudWatch: the agent, or a collector that speaks OpenTelemetry.
//!
//! `Scraped {family: "vllm:num_requests_waiting", dimension_sets: [[]], …}` becomes a declaration of the agent with the
//! selector `^vllm:num_requests_waiting$`, and a family that the scrape job keeps.

use serde_json::{Value, json};

use crate::target::scrape;
use slosmith_cloudwatch::domain;
use slosmith_plan::plan::cloudwatch::{CloudWatch, Scraped};
use slosmith_plan::plan::{Plan, Rename, ScrapeJob};
use slosmith_spec::naming;
use slosmith_spec::spec::Via;

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
        "events": !plan.published.is_empty(),
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
    let mut statements = Vec::new();
    let jobs = jobs.into_iter().map(|(name, families)| {
        let job = plan.scrape.jobs.iter().find(|job| job.name == name);
        let mut job = job.cloned().unwrap_or_else(|| ScrapeJob::named(name));
        let names: Vec<_> = families.iter().map(|s| s.family.as_str()).collect();
        match cw.via {
            Via::Agent => scrape::config_of(plan, &job, kept(&names)).each_minute(),
            Via::Otlp => {
                // A collector loses the types of metrics that it renames while it scrapes.
                let renames = std::mem::take(&mut job.renames);
                let names = names.iter().flat_map(|name| spellings(name, &renames));
                let names: Vec<_> = names.collect();
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                for statement in renames.iter().flat_map(renaming) {
                    if !statements.contains(&statement) {
                        statements.push(statement);
                    }
                }
                let kept = format!("({})(_bucket|_count|_sum)?", kept(&names));
                scrape::config_of(plan, &job, kept).for_collector()
            }
        }
    });
    let jobs: Vec<_> = jobs.collect();
    json!({
        "statements": statements,
        "service": plan.service.name,
        "region": cw.region,
        "domain": domain(&cw.region),
        "scrape_configs": jobs,
    })
}

/// A pattern for any of these names. The agent drops histograms.
fn kept(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| regex::escape(name)).collect();
    names.join("|")
}

/// A name as the collector may scrape it.
fn spellings(name: &str, renames: &[Rename]) -> Vec<String> {
    let other =
        |rename: &Rename| Some(format!("{}{}", rename.from, name.strip_prefix(&rename.to)?));
    [name.to_owned()]
        .into_iter()
        .chain(renames.iter().filter_map(other))
        .collect()
}

/// Statements of the processor `transform` that rename metrics.
fn renaming(rename: &Rename) -> Vec<String> {
    let Rename { from, to, except } = rename;
    let back = except.iter().map(|name| {
        format!("set(metric.name, \"{from}{name}\") where metric.name == \"{to}{name}\"")
    });
    let renamed = format!("replace_pattern(metric.name, \"^{from}\", \"{to}\")");
    [renamed].into_iter().chain(back).collect()
}
