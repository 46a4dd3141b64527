//! CloudWatch alarms and dashboards: as the API has them, in CloudFormation, in Terraform; and what the agent is
//! configured to deliver.

mod arguments;
mod formation;
mod known;
mod plan;
mod references;
mod sign;
mod terraform;

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{items, text, word};
use super::reader::Reader;
use super::{Kind, Raw, Resource, ResourceKind, Role, json, metric};
pub(in crate::artifact) use plan::planned;
pub(in crate::artifact) use sign::{is_any, is_whole, owns};
use slosmith_cloudwatch::{Fault, Form, Violation};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node, Tag, Text};
pub(in crate::artifact) use terraform::blocks;

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

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::CloudWatch);
    if sign::is_alarm(node) {
        alarm(reader, body, node, Form::Api);
    }
    for list in ["MetricAlarms", "CompositeAlarms"] {
        for inner in items(node, &[list]) {
            alarm(reader, body, inner, Form::Api);
        }
    }
    if sign::is_dashboard(node) {
        dashboard(reader, body, node);
    }
    if let Some(inner) = text(body, node, &["DashboardBody"]) {
        put_dashboard(reader, body, node, Form::Api);
        reader.embed_board(inner);
    }
    for (what, is_one) in [
        (ResourceKind::Agent, sign::is_agent(node)),
        (ResourceKind::Listing, sign::is_listing(node)),
    ] {
        if is_one {
            let resource = plain(body, node, what, String::new());
            reader.artifact.resources.push(resource);
        }
    }
    formation::read(reader, body, node);
    plan::read(reader, body, node);
    terraform::read(reader, body, node);
}

fn plain(body: &Body<'_>, node: &Node<'_>, what: ResourceKind, name: String) -> Resource {
    Resource {
        what,
        name,
        request: known::value(node),
        raw: Raw::new(body, node),
        pointers: BTreeMap::new(),
        form: Form::Api,
        faults: Vec::new(),
    }
}

fn put_dashboard(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, form: Form) {
    let mut resource = plain(body, node, ResourceKind::PutDashboard, String::new());
    resource.form = form;
    reader.artifact.resources.push(resource);
}

/// Marks the alarm that was read last as a composite, which it is without a rule too.
fn is_composite(reader: &mut Reader) {
    let last = reader.artifact.resources.last_mut();
    if let Some(fields) = last.and_then(|alarm| alarm.request.as_object_mut()) {
        fields.entry("AlarmRule").or_insert(Value::Null);
    }
}

/// Names that alarms of a document have for certain, with the resource that has each first.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn take(&mut self, reader: &mut Reader, resource: &str, pointer: &str) {
        let last = reader.artifact.resources.last_mut();
        let Some(alarm) = last.filter(|last| last.what == ResourceKind::Alarm) else {
            return;
        };
        let Some(name) = alarm.request["AlarmName"].as_str() else {
            return;
        };
        match self.0.get(name) {
            Some(first) => alarm.faults.push(Violation {
                pointer: pointer.to_owned(),
                message: format!(
                    "the resource `{first}` has the same alarm name, `{name}`: alarm names must be unique in a region"
                ),
                fault: Fault::Limit,
            }),
            None => drop(self.0.insert(name.to_owned(), resource.to_owned())),
        }
    }
}

fn alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, form: Form) {
    let name = word(node, &["AlarmName"]).unwrap_or_default().to_owned();
    let query = node.at(&["EvaluationCriteria", "PromQLCriteria", "Query"]);
    let query = query.filter(|query| query.tag == Tag::None);
    if let Some(query) = query.and_then(|query| body.read(query)) {
        let name = name.clone();
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
    metric_names(reader, body, node, &name);
    let mut resource = plain(body, node, ResourceKind::Alarm, name);
    if let Some(fields) = resource.request.as_object_mut() {
        fields.retain(|key, _| !ANSWERS.contains(&key.as_str()));
    }
    resource.form = form;
    reader.artifact.resources.push(resource);
}

/// Reads the text of a dashboard's body. One that something fills in may only then be JSON.
pub(in crate::artifact) fn body(reader: &mut Reader, text: &Text) {
    let inside = Body::inside(text.map.clone(), &text.value);
    let holes = known::is_filled_in(&text.value);
    let root = json::parse(&text.value).or_else(|fault| match holes {
        true => json::parse_filled(&text.value),
        false => Err(fault),
    });
    match root {
        Ok(root) => dashboard(reader, &inside, &root),
        Err(_) if holes => {}
        Err(fault) => reader.artifact.faults.push(fault.in_body(&inside)),
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
