//! Composite alarms that are made of each other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::artifact::{Resource, ResourceKind};
use crate::cloudwatch::children;
use crate::diag::{Group, Severity};
use crate::lint::project::ProjectCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// CloudWatch stops evaluating composite alarms that are made of each other, and lets none of them be
    /// deleted: one has to be given the rule `FALSE` first. Alarms of all files of the run are followed, by
    /// their names.
    ///
    /// ```json
    /// {"AlarmName": "a", "AlarmRule": "ALARM(b)"}
    /// {"AlarmName": "b", "AlarmRule": "ALARM(a) OR ALARM(c)"}
    /// ```
    ///
    /// This is bad: neither is ever evaluated.
    pub const RULE: Rule = Rule {
        name: "alarm-cycle",
        summary: "composite alarms are made of each other",
        group: Group::CloudWatch,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let alarms = composites(cx);
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for name in alarms.keys() {
        let circle = circle(&alarms, name);
        // What an alarm says of itself is told of its rule.
        if circle.len() < 2 || circle.iter().any(|name| told.contains(name)) {
            continue;
        }
        told.extend(&circle);
        let way: Vec<_> = circle.iter().chain(circle.first()).copied().collect();
        let message = format!("the alarm is made of itself: {}", way.join(" → "));
        let (resource, _) = &alarms[name];
        out.push(out.at(resource.span("/AlarmRule"), message));
    }
}

type Composites<'a> = BTreeMap<&'a str, (&'a Resource, Vec<String>)>;

/// Composite alarms by name, with the names in their rules.
fn composites<'a>(cx: &ProjectCx<'a>) -> Composites<'a> {
    let mut found = Composites::new();
    for resource in cx.artifacts.iter().flat_map(|a| &a.resources) {
        let text = |key: &str| resource.request.get(key).and_then(Value::as_str);
        if resource.what == ResourceKind::Alarm
            && let (Some(name), Some(rule)) = (text("AlarmName"), text("AlarmRule"))
            && let Ok(read) = children(rule)
        {
            let names = read.names.iter().map(|name| bare(name).to_owned());
            found.insert(name, (resource, names.collect()));
        }
    }
    found
}

/// The name in an ARN.
fn bare(name: &str) -> &str {
    match name.starts_with("arn:") {
        true => name.splitn(7, ':').nth(6).unwrap_or(name),
        false => name,
    }
}

/// The shortest way from an alarm back to itself; empty when there is none.
fn circle<'a>(alarms: &'a Composites<'_>, start: &'a str) -> Vec<&'a str> {
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut next = vec![start];
    while !next.is_empty() {
        let mut further = Vec::new();
        for name in next {
            for child in alarms.get(name).map_or(&[][..], |(_, names)| names) {
                if child == start {
                    return way(&from, start, name);
                }
                if alarms.contains_key(child.as_str()) && !from.contains_key(child.as_str()) {
                    from.insert(child, name);
                    further.push(child.as_str());
                }
            }
        }
        next = further;
    }
    Vec::new()
}

fn way<'a>(from: &BTreeMap<&'a str, &'a str>, start: &'a str, end: &'a str) -> Vec<&'a str> {
    let mut way = vec![end];
    while let Some(before) = way.last().filter(|last| **last != start).and_then(|last| from.get(last)) {
        way.push(before);
    }
    way.reverse();
    way
}
