//! What only CloudWatch's documents have: other products keep `widgets` and `AlarmName` as well.

use super::known::is_ours;
use super::{formation, plan, terraform};
use crate::artifact::field::{items, word};
use slosmith_text::yaml::Node;

const AGENT: [&str; 4] = ["logs", "metrics_collected", "prometheus", "emf_processor"];

/// Types of widgets with properties that they have; a widget elsewhere has neither.
const WIDGETS: [(&str, &[&str]); 7] = [
    ("alarm", &["alarms"]),
    ("chart", &["data"]),
    ("custom", &["endpoint"]),
    ("explorer", &["metrics", "aggregateBy", "labels"]),
    ("log", &["query", "region"]),
    ("metric", &["metrics", "annotations", "region", "view"]),
    ("text", &["markdown"]),
];

/// What a variable of a dashboard says, and other variables do not.
const VARIABLE: [&str; 3] = ["inputType", "populateFrom", "property"];

const GRID: [&str; 2] = ["width", "height"];

/// What an alarm says besides its name; a message about a change of state does not.
const ALARM: [&str; 8] = [
    "AlarmRule",
    "ComparisonOperator",
    "EvaluationCriteria",
    "EvaluationPeriods",
    "MetricName",
    "Metrics",
    "Namespace",
    "Threshold",
];

/// What an alarm says without its name, and nothing else says together.
const NAMELESS: [&str; 3] = ["ComparisonOperator", "EvaluationPeriods", "Threshold"];

pub(in crate::artifact) fn is_any(node: &Node<'_>) -> bool {
    let is_list = |key: &str| node.get(key).is_some_and(Node::is_seq);
    let terraform = node.get("resource");
    let mut blocks = terraform
        .map_or(&[][..], terraform::blocks)
        .iter()
        .flat_map(Node::entries)
        .filter_map(|(key, _)| key.text());
    is_alarm(node)
        || is_list("MetricAlarms")
        || is_list("CompositeAlarms")
        || is_dashboard(node)
        || node.get("DashboardBody").is_some()
        || is_agent(node)
        || is_listing(node)
        || formation::types(node).any(is_ours)
        || plan::is_any(node)
        || blocks.any(is_ours)
}

pub(in crate::artifact) fn is_whole(node: &Node<'_>) -> bool {
    let resources = [
        "Resources",
        "resource",
        "resource_changes",
        "resources",
        "values",
    ];
    is_any(node) && resources.iter().all(|key| node.get(key).is_none())
}

/// True for what stands behind a key, or is a resource, that the readers here read.
pub(in crate::artifact) fn owns(key: &str, node: &Node<'_>) -> bool {
    is_ours(key) || word(node, &["Type"]).is_some_and(is_ours)
}

pub(super) fn is_alarm(node: &Node<'_>) -> bool {
    let has = |key: &&str| node.get(key).is_some();
    has(&"AlarmName") && ALARM.iter().any(has) || NAMELESS.iter().all(has)
}

pub(super) fn is_dashboard(node: &Node<'_>) -> bool {
    let is_variable = |variable: &Node<'_>| VARIABLE.iter().any(|key| variable.get(key).is_some());
    // Only dashboards of CloudWatch have this field.
    let overrides = node.get("periodOverride").is_some();
    overrides && (node.get("widgets").is_some() || node.get("start").is_some())
        || node.get("widgets").is_some_and(Node::is_seq)
            && (items(node, &["variables"]).iter().any(is_variable)
                || items(node, &["widgets"]).iter().any(is_widget))
}

pub(super) fn is_agent(node: &Node<'_>) -> bool {
    node.at(&AGENT).is_some()
}

/// True for what `slosmith cloudwatch list-metrics` writes. What the AWS CLI lists may be a part of a namespace.
pub(super) fn is_listing(node: &Node<'_>) -> bool {
    ["Namespaces", "Metrics"]
        .iter()
        .all(|key| node.get(key).is_some_and(Node::is_seq))
}

/// A widget has a type with its properties, a type on the grid, or a place on the grid with properties that one type has.
fn is_widget(node: &Node<'_>) -> bool {
    let kind = word(node, &["type"]);
    let known = WIDGETS.iter().find(|(name, _)| Some(*name) == kind);
    let has = |key: &&str| node.at(&["properties", key]).is_some();
    let on_grid = GRID.iter().all(|key| node.get(key).is_some());
    let mut own = WIDGETS.iter().flat_map(|(_, properties)| *properties);
    match known {
        Some((_, properties)) => properties.iter().any(has) || on_grid,
        None => on_grid && own.any(has),
    }
}
