//! The CloudFormation template, which CDK includes as well.
//!
//! The alarm `app-queue-overflow` becomes the resource `QueueOverflowAlarm` with the fields of the API; its actions are the
//! parameter of its severity.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::unique::Unique;
use super::{ACCOUNT, OpenDashboard, REGION, api};
use crate::template::Tree;
use slosmith_plan::parity::RETENTION_DAYS;
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::cloudwatch::{AlarmKind, CloudWatch};
use slosmith_spec::naming;

/// Bytes of a template in a call (AWS: "CloudFormation quotas"); S3 holds larger ones.
pub(super) const BODY: usize = 51_200;

const LONGEST_ID: usize = 240;

#[derive(Serialize)]
pub(super) struct View<'a> {
    service: &'a str,
    parameters: Map<String, Value>,
    resources: Tree,
}

pub(super) fn view<'a>(
    plan: &'a Plan,
    cw: &CloudWatch,
    requests: &[Value],
    dashboards: &[OpenDashboard<'_>],
) -> View<'a> {
    let ids = ids(plan, cw);
    let mut resources = Map::new();
    let mut used = BTreeSet::new();
    for (alarm, request) in cw.alarms.iter().zip(requests) {
        let mut properties = request.clone();
        let severity = alarm.severity.as_deref().unwrap_or_default();
        for (field, _) in api::actions(cw, alarm) {
            let parameter = parameter(severity, field);
            properties[field] = json!({"Ref": parameter});
            used.insert(parameter);
        }
        let mut resource = Map::new();
        let kind = match &alarm.kind {
            AlarmKind::Composite(composite) => {
                let mut on: Vec<&str> = composite.rule.alarms();
                on.extend(composite.suppressor.iter().map(|s| s.alarm.as_str()));
                let on: Vec<_> = on.into_iter().map(|name| &ids[name]).collect();
                resource.insert("DependsOn".to_owned(), json!(on));
                "AWS::CloudWatch::CompositeAlarm"
            }
            AlarmKind::Metric(_) | AlarmKind::PromQl(_) => "AWS::CloudWatch::Alarm",
        };
        resource.insert("Type".to_owned(), json!(kind));
        resource.insert("Properties".to_owned(), properties);
        resources.insert(ids[&alarm.name].clone(), Value::Object(resource));
    }
    let mut unique = Unique::numbered_with("");
    for mute in &cw.mutes {
        let on: Vec<_> = mute.alarms.iter().map(|name| &ids[name]).collect();
        let resource = json!({
            "Type": "AWS::CloudWatch::AlarmMuteRule",
            "Properties": api::mute(cw, mute),
            "DependsOn": on,
        });
        let id = unique.take(id(plan, &mute.name, "MuteRule"));
        resources.insert(id, resource);
    }
    if cw.agent_writes_log() {
        let log = json!({
            "LogGroupName": naming::agent_log(&plan.service.name),
            "RetentionInDays": RETENTION_DAYS,
        });
        let resource = json!({
            "Type": "AWS::Logs::LogGroup",
            "Properties": log,
            "DeletionPolicy": "Delete",
            "UpdateReplacePolicy": "Delete",
        });
        resources.insert("AgentLog".to_owned(), resource);
    }
    let mut unique = Unique::numbered_with("");
    for dashboard in dashboards {
        let properties =
            json!({"DashboardName": dashboard.name, "DashboardBody": filled(&dashboard.body)});
        let id = unique.take(format!("{}Dashboard", logical(dashboard.file)));
        resources.insert(
            id,
            json!({"Type": "AWS::CloudWatch::Dashboard", "Properties": properties}),
        );
    }
    let actions = cw.actions.all().into_iter();
    let actions = actions.flat_map(|(field, arns)| arns.iter().map(move |of| (field, of)));
    // A severity that no alarm has needs none.
    let parameters: Map<String, Value> = actions
        .map(|(field, (severity, arns))| {
            let described = json!({
                "Type": "CommaDelimitedList",
                "Description": format!("{field} of alarms with severity {severity}: a list of ARNs."),
                "Default": arns.join(","),
            });
            (parameter(severity, field), described)
        })
        .filter(|(parameter, _)| used.contains(parameter))
        .collect();
    View {
        service: &plan.service.title,
        parameters,
        resources: Tree::of(&resources),
    }
}

/// `CriticalActions`, `CriticalOKActions`.
fn parameter(severity: &str, field: &str) -> String {
    let field = field.strip_prefix("Alarm").unwrap_or(field);
    format!("{}{field}", logical(severity))
}

fn short(plan: &Plan, name: &str) -> String {
    let service = format!("{}-", plan.service.name);
    logical(name.strip_prefix(&service).unwrap_or(name))
}

/// Letters and digits.
fn logical(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let text: String = text.chars().map(plain).collect();
    naming::pascal(&text)
}

/// Logical ids of all alarms by name: the service's own name left out, each once.
fn ids(plan: &Plan, cw: &CloudWatch) -> BTreeMap<String, String> {
    let mut unique = Unique::numbered_with("");
    let alarms = cw.alarms.iter().map(|alarm| &alarm.name);
    alarms
        .map(|name| (name.clone(), unique.take(id(plan, name, "Alarm"))))
        .collect()
}

/// The end of a name and what it is, in fewer characters than a logical id may have.
fn id(plan: &Plan, name: &str, what: &str) -> String {
    let id = format!("{}{what}", short(plan, name));
    id[id.len().saturating_sub(LONGEST_ID)..].to_owned()
}

fn filled(text: &str) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{E000}') {
        let (before, found) = rest.split_at(at);
        if !before.is_empty() {
            parts.push(json!(before));
        }
        let (name, length) = match found.starts_with(REGION) {
            true => ("AWS::Region", REGION.len()),
            false => ("AWS::AccountId", ACCOUNT.len()),
        };
        parts.push(json!({"Ref": name}));
        rest = found.get(length..).unwrap_or_default();
    }
    if parts.is_empty() {
        return json!(text);
    }
    parts.push(json!(rest));
    json!({"Fn::Join": ["", parts]})
}
