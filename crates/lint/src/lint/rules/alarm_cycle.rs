//! Composite alarms that refer to each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::artifact::{Resource, ResourceKind};
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use slosmith_cloudwatch::{alarm_name, children};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Follows the alarm names in the rules of composite alarms through all files of the run, and reports cycles.
    ///
    /// ### Why
    ///
    /// CloudWatch stops evaluating the alarms of a cycle, and rejects deleting them. To break an existing cycle, first
    /// set the rule of one alarm to `FALSE`.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"AlarmName": "a", "AlarmRule": "ALARM(b)"}
    /// {"AlarmName": "b", "AlarmRule": "ALARM(a) OR ALARM(c)"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"AlarmName": "a", "AlarmRule": "ALARM(b)"}
    /// {"AlarmName": "b", "AlarmRule": "ALARM(c)"}
    /// ```
    pub const RULE: Rule = Rule {
        name: "alarm-cycle",
        summary: "composite alarms refer to each other in a cycle",
        group: Group::CloudWatch,
        level: Severity::Error,
        certain: "Certain: CloudWatch rejects such alarms.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let alarms = composites(cx);
    for circle in circles(&alarms) {
        let Some((resource, _)) = circle.first().and_then(|name| alarms.get(name)) else {
            continue;
        };
        let way: Vec<_> = circle.iter().chain(circle.first()).copied().collect();
        let message = format!("the composite alarms form a cycle: {}", way.join(" → "));
        out.push(out.at(resource.span("/AlarmRule"), message));
    }
}

type Composites<'a> = BTreeMap<&'a str, (&'a Resource, Vec<String>)>;

fn composites<'a>(cx: &ProjectCx<'a>) -> Composites<'a> {
    let mut found = Composites::new();
    for resource in cx.artifacts.iter().flat_map(|a| &a.resources) {
        let text = |key: &str| resource.request.get(key).and_then(Value::as_str);
        if resource.what == ResourceKind::Alarm
            && let (Some(name), Some(rule)) = (text("AlarmName"), text("AlarmRule"))
            && let Ok(read) = children(rule)
        {
            let names = read.names.iter().map(|name| alarm_name(name).to_owned());
            found.insert(name, (resource, names.collect()));
        }
    }
    found
}

/// The cycles of two or more alarms, one for each reference that closes a cycle. `alarm-limit` reports an alarm that refers
/// to itself.
fn circles<'a>(alarms: &'a Composites<'_>) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in alarms.keys() {
        // Names on the way, each with those in its rule that are still to be followed.
        let mut way: Vec<(&str, &[String])> = Vec::new();
        let mut on_the_way: BTreeSet<&str> = BTreeSet::new();
        let mut next = Some(*start);
        loop {
            if let Some(name) = next.take()
                && !done.contains(name)
                && let Some((_, children)) = alarms.get(name)
            {
                way.push((name, children));
                on_the_way.insert(name);
            }
            let Some((name, rest)) = way.last_mut() else {
                break;
            };
            let Some((child, others)) = rest.split_first() else {
                done.insert(name);
                on_the_way.remove(name);
                way.pop();
                continue;
            };
            *rest = others;
            if !on_the_way.contains(child.as_str()) {
                next = Some(child);
            } else if child != name {
                let names = way.iter().map(|(name, _)| *name);
                found.push(names.skip_while(|name| name != child).collect());
            }
        }
    }
    found
}
