//! CloudWatch alarms and dashboards: as the API has them, in CloudFormation, in Terraform JSON; and what the
//! agent is configured to deliver.

mod sign;
mod terraform;

use serde_json::{Map, Value};

use super::field::{items, text, word};
use super::reader::Reader;
use super::{Kind, Raw, Resource, ResourceKind, Role, metric};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};
pub(in crate::artifact) use sign::is_any;

/// What the API answers beside what it takes.
const ANSWERS: [&str; 12] = [
    "AlarmArn",
    "AlarmConfigurationUpdatedTimestamp",
    "StateValue",
    "StateReason",
    "StateReasonData",
    "StateUpdatedTimestamp",
    "StateTransitionedTimestamp",
    "EvaluationState",
    "ActionsSuppressedBy",
    "ActionsSuppressedReason",
    "AlarmType",
    "AlarmContributors",
];

/// Reads whichever it is.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::CloudWatch);
    if sign::is_alarm(node) {
        alarm(reader, body, node, false);
    }
    for list in ["MetricAlarms", "CompositeAlarms"] {
        for inner in items(node, &[list]) {
            alarm(reader, body, inner, false);
        }
    }
    if sign::is_dashboard(node) {
        dashboard(reader, body, node);
    }
    if let Some(inner) = text(body, node, &["DashboardBody"]) {
        reader.embed(inner);
    }
    if sign::is_agent(node) {
        let resource = plain(body, node, ResourceKind::Agent, String::new());
        reader.artifact.resources.push(resource);
    }
    for (_, resource) in node.get("Resources").map_or(&[][..], Node::entries) {
        let Some(properties) = resource.get("Properties") else {
            continue;
        };
        match word(resource, &["Type"]) {
            Some("AWS::CloudWatch::Alarm" | "AWS::CloudWatch::CompositeAlarm") => {
                alarm(reader, body, properties, true);
            }
            Some("AWS::CloudWatch::Dashboard") => {
                let inner = text(body, properties, &["DashboardBody"]);
                inner.into_iter().for_each(|inner| reader.embed(inner));
            }
            _ => {}
        }
    }
    terraform::read(reader, body, node);
}

/// A resource in the form of the API.
fn plain(body: &Body<'_>, node: &Node<'_>, what: ResourceKind, name: String) -> Resource {
    let raw = Raw::new(body, node);
    Resource {
        what,
        name,
        request: raw.value(),
        raw,
        pointers: Vec::new(),
        unknown: Vec::new(),
        lenient: false,
    }
}

fn alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, formation: bool) {
    let name = word(node, &["AlarmName"]).unwrap_or_default().to_owned();
    let query = text(
        body,
        node,
        &["EvaluationCriteria", "PromQLCriteria", "Query"],
    );
    if let Some(query) = query {
        let name = name.clone();
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
    metric_names(reader, body, node, &name);
    let mut resource = plain(body, node, ResourceKind::Alarm, name);
    if let Some(fields) = resource.request.as_object_mut() {
        fields.retain(|key, _| !ANSWERS.contains(&key.as_str()));
    }
    resource.lenient = formation;
    if formation {
        intrinsics(&resource.request, "", &mut resource.unknown);
        numbers(&mut resource.request);
    }
    reader.artifact.resources.push(resource);
}

/// Values that CloudFormation fills in.
fn intrinsics(value: &Value, pointer: &str, unknown: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let function = |key: &String| key == "Ref" || key.starts_with("Fn::");
            if map.len() == 1 && map.keys().all(function) {
                unknown.push(pointer.to_owned());
                return;
            }
            for (key, inner) in map {
                intrinsics(inner, &format!("{pointer}/{key}"), unknown);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                intrinsics(inner, &format!("{pointer}/{i}"), unknown);
            }
        }
        _ => {}
    }
}

/// Numbers that are written as text, which templates may do.
fn numbers(request: &mut Value) {
    const NUMBERS: [&str; 5] = [
        "Period",
        "EvaluationPeriods",
        "DatapointsToAlarm",
        "Threshold",
        "EvaluationInterval",
    ];
    let Some(fields) = request.as_object_mut() else {
        return;
    };
    for key in NUMBERS {
        number(fields, key);
    }
}

fn number(fields: &mut Map<String, Value>, key: &str) {
    let text = fields.get(key).and_then(Value::as_str);
    if let Some(Ok(Value::Number(number))) = text.map(serde_json::from_str) {
        fields.insert(key.to_owned(), Value::Number(number));
    }
}

/// Names of metrics that may be vLLM's, as series: what is known of those is known of them.
fn metric_names(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) {
    metric::name(reader, body, node.get("MetricName"), of);
    for entry in items(node, &["Metrics"]) {
        let name = entry.at(&["MetricStat", "Metric", "MetricName"]);
        metric::name(reader, body, name, of);
    }
}

/// A body of a dashboard, with the queries of its `chart` widgets.
fn dashboard(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for widget in items(node, &["widgets"]) {
        let title = word(widget, &["properties", "title"]).unwrap_or_default();
        for row in items(widget, &["properties", "metrics"]) {
            metric::name(reader, body, row.items().get(1), title);
        }
        let queries = items(widget, &["properties", "data", "queries"]);
        for query in queries {
            let Some(expr) = text(body, query, &["query"]) else {
                continue;
            };
            let role = Role::Panel {
                title: title.to_owned(),
                id: None,
            };
            reader.query(expr, Dialect::Prometheus, role);
        }
    }
    let resource = plain(body, node, ResourceKind::Dashboard, String::new());
    reader.artifact.resources.push(resource);
}
