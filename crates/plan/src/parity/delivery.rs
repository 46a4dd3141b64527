//! Delivery: what the agent or the collector must bring for all alarms and graphs.
//!
//! An alarm on `vllm.requests_waiting` and a graph of it by `model_name` make one entry with two sets of
//! dimensions: none, and `[model_name]`.

use crate::plan::Signal;
use crate::plan::cloudwatch::Scraped;
use slosmith_promql::ast::MatchOp;

pub(super) type Scrapes = Vec<(Signal, Vec<String>)>;

/// What must be delivered for alarms on metrics and for those on PromQL, sorted.
pub(super) fn scraped(used: &Scrapes, queried: Vec<(String, Option<String>)>) -> Vec<Scraped> {
    let mut all: Vec<Scraped> = queried
        .into_iter()
        .map(|(family, job)| Scraped {
            family,
            job,
            dimension_sets: Vec::new(),
        })
        .collect();
    for (signal, dimensions) in used {
        let Some(family) = signal.family() else {
            continue;
        };
        let job = family.matchers.iter();
        let job = job
            .filter(|(label, op, _)| label == "job" && *op == MatchOp::Equal)
            .map(|(_, _, value)| value.clone())
            .next();
        for name in &family.names {
            let same = |s: &&mut Scraped| s.family == *name && s.job == job;
            match all.iter_mut().find(same) {
                Some(known) if known.dimension_sets.contains(dimensions) => {}
                Some(known) => known.dimension_sets.push(dimensions.clone()),
                None => all.push(Scraped {
                    family: name.clone(),
                    job: job.clone(),
                    dimension_sets: vec![dimensions.clone()],
                }),
            }
        }
    }
    all.iter_mut().for_each(|s| s.dimension_sets.sort());
    all.sort();
    all.dedup();
    all
}
