//! The rules as a ruler loads them: one file for each service, with the options of its groups.

use serde::{Deserialize, Serialize};

use super::view::{Group, RuleFile};
use slosmith_plan::plan::{Plan, Ruler as Given};
use slosmith_spec::naming;
use slosmith_spec::spec::Ruler;

/// So many rules Mimir takes in a group, unless `ruler.max-rules-per-rule-group` is raised. A group is what a sharded
/// ruler gives to one of its instances.
pub(super) const MOST: usize = 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RulerFile {
    /// Namespace of the groups, for Mimir; templates have a function `namespace`.
    #[serde(
        default,
        rename(serialize = "rule_namespace"),
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) namespace: Option<String>,
    pub(super) groups: Vec<Group>,
}

pub(super) fn file(plan: &Plan, ruler: &Given, all: &RuleFile) -> (RulerFile, Vec<String>) {
    let mimir = ruler.kind == Ruler::Mimir;
    let file = RulerFile {
        namespace: mimir.then(|| plan.service.name.clone()),
        groups: all.groups.iter().map(|group| with(ruler, group)).collect(),
    };
    let large = all.groups.iter().filter(|g| mimir && g.rules.len() > MOST);
    let notes = large.map(|group| {
        let (name, rules) = (&group.name, group.rules.len());
        format!("`{name}` has {rules} rules: raise Mimir's `ruler.max-rules-per-rule-group` above its {MOST}")
    });
    (file, notes.collect())
}

pub(super) fn has_resource(ruler: &Given) -> bool {
    matches!(ruler.kind, Ruler::Prometheus | Ruler::Thanos)
}

fn with(ruler: &Given, group: &Group) -> Group {
    let offset = ruler.query_offset.map(|offset| offset.to_string());
    let (query_offset, eval_delay) = match ruler.kind {
        Ruler::VictoriaMetrics => (None, offset),
        Ruler::Prometheus | Ruler::Mimir | Ruler::Thanos => (offset, None),
    };
    let partial = ruler.partial_response;
    Group {
        query_offset,
        eval_delay,
        source_tenants: ruler.source_tenants.clone(),
        partial_response_strategy: partial.map(|p| p.as_str().to_owned()),
        ..group.clone()
    }
}

/// Groups of at most [`MOST`] rules, whole `lists` in each: a list's rules read each other.
pub(super) fn split<T>(lists: Vec<Vec<T>>) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for list in lists {
        match groups.last_mut() {
            Some(last) if last.len() + list.len() <= MOST => last.extend(list),
            _ => groups.push(list),
        }
    }
    groups
}

/// Name of one of several groups, counted from 0.
pub(super) fn part(group: &str, part: usize) -> String {
    match part {
        0 => group.to_owned(),
        part => naming::group_part(group, part + 1),
    }
}
