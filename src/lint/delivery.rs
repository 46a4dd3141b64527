//! What CloudWatch agents deliver, as far as their configurations are in the run.

use serde_json::Value;

use super::project::ProjectCx;
use crate::artifact::{NamedMetric, Resource, ResourceKind};

/// What an agent delivers.
struct Agent {
    namespace: String,
    declarations: Vec<Declaration>,
}

struct Declaration {
    selectors: Vec<regex::Regex>,
    sets: Vec<Vec<String>>,
}

/// A metric, who shows it, and the sets of dimensions it is delivered under.
type Judged<'a> = (&'a Resource, NamedMetric, Option<Vec<Vec<String>>>);

/// Metrics that alarms and dashboards show of a namespace that agents of the run deliver to, with the sets of
/// dimensions they are delivered under; none when no declaration selects them.
pub(super) fn judged<'a>(cx: &ProjectCx<'a>) -> Vec<Judged<'a>> {
    let resources = || cx.artifacts.iter().flat_map(|a| &a.resources);
    let agents: Vec<Agent> = resources()
        .filter(|resource| resource.what == ResourceKind::Agent)
        .map(agent)
        .collect();
    let mut found = Vec::new();
    for resource in resources() {
        for metric in resource.metrics() {
            let mut of = agents
                .iter()
                .filter(|a| a.namespace == metric.namespace)
                .peekable();
            // Names with a colon come from a scraped page; others may be published by anybody.
            if of.peek().is_none() || !metric.name.contains(':') {
                continue;
            }
            let declared = of.flat_map(|agent| &agent.declarations);
            let selects = |d: &&Declaration| d.selectors.iter().any(|s| s.is_match(&metric.name));
            let selected: Vec<_> = declared.filter(selects).collect();
            let sets = selected.iter().flat_map(|d| d.sets.iter().cloned());
            let sets = (!selected.is_empty()).then(|| sets.collect());
            found.push((resource, metric, sets));
        }
    }
    found
}

/// A set of dimensions, for messages.
pub(super) fn shown(set: &[String]) -> String {
    match set {
        [] => "no dimensions".to_owned(),
        set => format!("[{}]", set.join(", ")),
    }
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
