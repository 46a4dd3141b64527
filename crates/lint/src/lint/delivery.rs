//! The metrics in CloudWatch: the metrics that agents deliver, as far as their configurations are in the run, and the
//! metrics that `slosmith cloudwatch list-metrics` found.

use serde_json::Value;

use super::listing::{Found, Listing};
use super::rule::ProjectCx;
use crate::artifact::{NamedMetric, Resource, ResourceKind};

struct Agent {
    namespace: String,
    declarations: Vec<Declaration>,
}

struct Declaration {
    selectors: Vec<regex::Regex>,
    sets: Vec<Vec<String>>,
}

pub(super) struct Shown<'a> {
    pub(super) resource: &'a Resource,
    pub(super) metric: NamedMetric,
    pub(super) delivery: Delivery<'a>,
}

pub(super) enum Delivery<'a> {
    /// An agent of the run delivers it under these sets of dimensions.
    Agent(Vec<Vec<String>>),
    NoAgent,
    Listed(Found<'a>),
}

/// Metrics of namespaces that agents of the run deliver to, or that were listed.
pub(super) fn shown<'a>(cx: &ProjectCx<'a>) -> Vec<Shown<'a>> {
    let resources = || cx.artifacts.iter().flat_map(|a| &a.resources);
    let of = |what: ResourceKind| resources().filter(move |resource| resource.what == what);
    let agents: Vec<Agent> = of(ResourceKind::Agent).map(agent).collect();
    let listing = Listing::of(of(ResourceKind::Listing));
    let mut found = Vec::new();
    for resource in resources() {
        for metric in resource.metrics() {
            let by_agent = by_agent(&agents, &metric);
            // A metric of an agent may have been delivered only after the namespace was listed.
            let delivery = match (by_agent, listing.find(&metric)) {
                (Some(Delivery::Agent(sets)), _) => Delivery::Agent(sets),
                (_, Some(found)) => Delivery::Listed(found),
                (Some(delivery), None) => delivery,
                (None, None) => continue,
            };
            found.push(Shown {
                resource,
                metric,
                delivery,
            });
        }
    }
    found
}

/// The delivery of a metric by the agents of its namespace. Names with a colon come from `/metrics` output; other names
/// may have other sources.
fn by_agent<'a>(agents: &[Agent], metric: &NamedMetric) -> Option<Delivery<'a>> {
    let mut of = agents
        .iter()
        .filter(|a| a.namespace == metric.namespace)
        .peekable();
    if of.peek().is_none() || !metric.name.contains(':') {
        return None;
    }
    let declared = of.flat_map(|agent| &agent.declarations);
    let selects = |d: &&Declaration| d.selectors.iter().any(|s| s.is_match(&metric.name));
    let selected: Vec<_> = declared.filter(selects).collect();
    let sets = selected.iter().flat_map(|d| d.sets.iter().cloned());
    Some(match selected.is_empty() {
        true => Delivery::NoAgent,
        false => Delivery::Agent(sets.collect()),
    })
}

fn agent(resource: &Resource) -> Agent {
    let emf = &resource.request["logs"]["metrics_collected"]["prometheus"]["emf_processor"];
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let declarations = emf["metric_declaration"].as_array().into_iter().flatten();
    let declarations = declarations.map(|d| Declaration {
        selectors: texts(&d["metric_selectors"])
            .iter()
            .filter_map(|text| regex::Regex::new(text).ok())
            .collect(),
        sets: d["dimensions"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|set| {
                let mut set = texts(set);
                set.sort();
                set
            })
            .collect(),
    });
    Agent {
        namespace: emf["metric_namespace"]
            .as_str()
            .unwrap_or("CWAgent/Prometheus")
            .to_owned(),
        declarations: declarations.collect(),
    }
}
