//! Metrics under dimensions that do not exist.

use std::collections::BTreeSet;

use crate::artifact::Dimensions;
use crate::lint::delivery::{self, Delivery};
use crate::lint::listing::{self, Found, Series};
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

/// The number of sets of dimensions in a help.
const MOST: usize = 4;

declare_rule! {
    /// ### What it does
    ///
    /// Compares the dimensions of metrics in alarms and dashboards with the dimensions that exist:
    ///
    /// - in a CloudWatch agent configuration of the run: its declarations must have exactly these dimensions;
    /// - in a file of `slosmith cloudwatch list-metrics`: the metric must be listed with the same dimensions and values.
    ///
    /// ### Why
    ///
    /// Dimensions are part of the identity of a metric. A metric that is published under `[Cluster, Model]` does not
    /// exist under `[Cluster]`, nor without dimensions. The alarm has no data.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"metric_declaration": [{"metric_selectors": ["^vllm:num_requests_waiting$"], "dimensions": [["Cluster"]]}]}
    /// {"MetricName": "vllm:num_requests_waiting", "Dimensions": []}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"metric_declaration": [{"metric_selectors": ["^vllm:num_requests_waiting$"], "dimensions": [["Cluster"], []]}]}
    /// {"MetricName": "vllm:num_requests_waiting", "Dimensions": []}
    /// ```
    ///
    /// Or add `Cluster` to the dimensions of the alarm.
    pub const RULE: Rule = Rule {
        name: "dimension-set",
        summary: "CloudWatch has the metric, or the agent delivers it, under other dimensions",
        group: Group::CloudWatch,
        level: Severity::Warning,
        certain: "The rule assumes that the agent of the same run publishes the metric. Other publishers are not known.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    for shown in delivery::shown(cx) {
        let Some(wanted) = &shown.metric.dimensions else {
            continue;
        };
        let wrong = match &shown.delivery {
            Delivery::Agent(sets) => undeclared(&shown.metric.name, wanted, sets),
            Delivery::Listed(Found::Series(series)) => unlisted(&shown.metric.name, wanted, series),
            Delivery::NoAgent | Delivery::Listed(Found::Nothing { .. }) => None,
        };
        let span = shown.resource.span(&shown.metric.pointer);
        if let Some((message, help)) = wrong {
            out.push(out.at(span, message).help(help));
        }
    }
}

/// Message and help for a metric that the agent delivers under other dimensions.
fn undeclared(name: &str, wanted: &Dimensions, sets: &[Vec<String>]) -> Option<(String, String)> {
    let names: Vec<_> = wanted.keys().map(String::as_str).collect();
    if sets.iter().any(|set| *set == names) {
        return None;
    }
    let known: Vec<_> = sets.iter().map(|set| list(set)).collect();
    Some((
        format!("the agent does not deliver `{name}` {}", in_words(&names)),
        format!(
            "use the dimensions of the agent's configuration: {}",
            known.join(", ")
        ),
    ))
}

/// Message and help for a metric that CloudWatch has under other dimensions or values.
fn unlisted(name: &str, wanted: &Dimensions, listed: &[Series<'_>]) -> Option<(String, String)> {
    if listed.iter().any(|series| listing::is(series, wanted)) {
        return None;
    }
    let names: Vec<_> = wanted.keys().map(String::as_str).collect();
    let same = |series: &&Series<'_>| series.keys().copied().eq(names.iter().copied());
    let same: Vec<_> = listed.iter().filter(same).collect();
    if same.is_empty() {
        let sets: BTreeSet<Vec<_>> = listed.iter().map(|s| s.keys().copied().collect()).collect();
        let sets: Vec<_> = sets.iter().map(|set| list(set)).collect();
        return Some((
            format!("CloudWatch has no `{name}` {}", in_words(&names)),
            format!("use dimensions that CloudWatch lists: {}", few(&sets)),
        ));
    }
    let value =
        |(name, value): (&String, &Option<String>)| Some(format!("{name}={}", value.as_ref()?));
    let values: Vec<_> = wanted.iter().filter_map(value).collect();
    let known = same.iter().map(|series| {
        let all: Vec<_> = series
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        list(&all)
    });
    Some((
        format!("CloudWatch has no `{name}` with {}", list(&values)),
        format!(
            "use values that CloudWatch lists: {}",
            few(&known.collect::<Vec<_>>())
        ),
    ))
}

fn in_words(set: &[&str]) -> String {
    match set {
        [] => "without dimensions".to_owned(),
        _ => format!("with the dimensions {}", list(set)),
    }
}

/// A set of dimensions: `[Cluster, model_name]`.
fn list(set: &[impl AsRef<str>]) -> String {
    if set.is_empty() {
        return "no dimensions".to_owned();
    }
    let names: Vec<_> = set.iter().map(AsRef::as_ref).collect();
    format!("[{}]", names.join(", "))
}

/// The first items of a list that may be long.
fn few(all: &[String]) -> String {
    let shown = all[..all.len().min(MOST)].join(", ");
    match all.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
