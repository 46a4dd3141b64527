//! The operations, as AWS documents them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::http::Request;
use super::store::{Alarm, Store, Tags};
use super::wire;

/// When everything was changed: the server has no clock.
const THEN: f64 = 1_780_000_000.0;
/// Dashboards of one answer.
const DASHBOARDS: usize = 2;
/// Objects of one answer of the index of tags; AWS gives 100.
const RESOURCES: usize = 7;
/// Metrics of one answer; AWS gives 500.
const METRICS: usize = 2;

/// An error of AWS.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: String,
    message: String,
}

impl Refusal {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        let status = if code == "InternalServiceError" {
            500
        } else {
            400
        };
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
        }
    }

    pub(super) fn throttled() -> Self {
        Self::new("Throttling", "Rate exceeded")
    }

    pub(super) fn broken() -> Self {
        Self::new(
            "InternalServiceError",
            "Request processing has failed due to some unknown error",
        )
    }

    pub(super) fn body(&self) -> Value {
        json!({"__type": format!("com.amazonaws.cloudwatch#{}", self.code), "message": self.message})
    }
}

fn invalid<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new("ValidationError", message))
}

type Answer = Result<Value, Refusal>;

pub(super) fn answer(store: &mut Store, request: &Request) -> Answer {
    if store.denied.contains(&request.operation()) {
        return Err(Refusal::new("AccessDenied", "not authorized"));
    }
    if request.operation() == "GetCallerIdentity" {
        return Ok(json!({"xml": format!(
            "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>\
             <Arn>arn:aws:iam::{0}:user/ops</Arn><UserId>AIDA</UserId><Account>{0}</Account></GetCallerIdentityResult>\
             <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>",
            super::store::ACCOUNT
        )}));
    }
    if request.operation() == "GetResources" {
        let input: Value = serde_json::from_slice(&request.body).expect("JSON");
        return Ok(get_resources(store, &input));
    }
    if request.protocol != "rpc-v2-cbor" || !request.is_for_us() {
        return Err(Refusal::new(
            "UnknownOperationException",
            "this is not RPC v2 CBOR",
        ));
    }
    let Some(input) = wire::decode(&request.body) else {
        return Err(Refusal::new("SerializationException", "this is not CBOR"));
    };
    match request.operation() {
        "DescribeAlarms" => describe_alarms(store, &input),
        "PutMetricAlarm" => put_metric_alarm(store, input),
        "PutCompositeAlarm" => put_composite_alarm(store, input),
        "DeleteAlarms" => delete_alarms(store, &input),
        "PutAlarmMuteRule" => put_mute_rule(store, input),
        "GetAlarmMuteRule" => get_mute_rule(store, &input),
        "ListAlarmMuteRules" => list_mute_rules(store, &input),
        "DeleteAlarmMuteRule" => {
            store.mutes.remove(&text(&input, "AlarmMuteRuleName")?);
            Ok(json!({}))
        }
        "PutDashboard" => put_dashboard(store, &input),
        "GetDashboard" => get_dashboard(store, &input),
        "ListDashboards" => list_dashboards(store, &input),
        "DeleteDashboards" => delete_dashboards(store, &input),
        "ListMetrics" => list_metrics(store, &input),
        "ListTagsForResource" => {
            let late = store.late > 0;
            store.late = store.late.saturating_sub(1);
            let tags = tags_of(store, &input)?.iter().filter(|_| !late);
            let tags: Vec<_> = tags
                .map(|(key, value)| json!({"Key": key, "Value": value}))
                .collect();
            Ok(json!({"Tags": tags}))
        }
        "TagResource" => {
            let new = tags(&input);
            let tags = tags_of(store, &input)?;
            tags.extend(new);
            match tags.len() > 50 {
                true => invalid("too many tags"),
                false => Ok(json!({})),
            }
        }
        "UntagResource" => {
            let names = texts(&input, "TagKeys");
            tags_of(store, &input)?.retain(|name, _| !names.contains(name));
            Ok(json!({}))
        }
        other => Err(Refusal::new("UnknownOperationException", other)),
    }
}

fn text(input: &Value, key: &str) -> Result<String, Refusal> {
    match input[key].as_str().filter(|text| !text.is_empty()) {
        Some(text) => Ok(text.to_owned()),
        None => invalid(format!("{key} is missing")),
    }
}

fn texts(input: &Value, key: &str) -> Vec<String> {
    let list = input[key].as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

fn tags(input: &Value) -> Tags {
    let tags = input["Tags"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    tags.map(|tag| (text(&tag["Key"]), text(&tag["Value"])))
        .collect()
}

/// Objects with a tag, as the index of tags knew them when it was frozen, else as they are.
fn get_resources(store: &Store, input: &Value) -> Value {
    let wanted = input["TagFilters"][0]["Key"].as_str().expect("a key");
    let now = store.tagged();
    let all = store.index.as_ref().unwrap_or(&now);
    let with = all.iter().filter(|(_, tags)| tags.contains_key(wanted));
    let shown = with.map(|(arn, tags)| {
        let tags = tags.iter();
        let tags: Vec<_> = tags
            .map(|(key, value)| json!({"Key": key, "Value": value}))
            .collect();
        json!({"ResourceARN": arn, "Tags": tags})
    });
    let input = json!({"NextToken": input["PaginationToken"]});
    let (found, next) = page(shown.collect(), &input, RESOURCES);
    json!({"ResourceTagMappingList": found, "PaginationToken": next.unwrap_or_default()})
}

fn tags_of<'s>(store: &'s mut Store, input: &Value) -> Result<&'s mut Tags, Refusal> {
    let arn = text(input, "ResourceARN")?;
    store
        .tags(&arn)
        .ok_or_else(|| Refusal::new("ResourceNotFoundException", format!("{arn} does not exist")))
}

/// One page of `all`, and the token of the next.
fn page<T>(all: Vec<T>, input: &Value, most: usize) -> (Vec<T>, Option<String>) {
    let token = input["NextToken"]
        .as_str()
        .and_then(|token| token.strip_prefix("page-"));
    let start: usize = token.map_or(0, |token| token.parse().expect("our token"));
    let next = (start + most < all.len()).then(|| format!("page-{}", start + most));
    (all.into_iter().skip(start).take(most).collect(), next)
}

fn with_token(mut answer: Value, next: Option<String>) -> Value {
    if let Some(next) = next {
        answer["NextToken"] = json!(next);
    }
    answer
}

fn describe_alarms(store: &Store, input: &Value) -> Answer {
    let most = input["MaxRecords"].as_u64().unwrap_or(50);
    if !(1..=100).contains(&most) {
        return invalid("MaxRecords is 1 to 100");
    }
    let types = match texts(input, "AlarmTypes") {
        none if none.is_empty() => vec!["MetricAlarm".to_owned()],
        some => some,
    };
    let (names, prefix) = (
        texts(input, "AlarmNames"),
        input["AlarmNamePrefix"].as_str().unwrap_or_default(),
    );
    let kind = |alarm: &Alarm| {
        if alarm.is_composite() {
            "CompositeAlarm"
        } else {
            "MetricAlarm"
        }
    };
    let found: Vec<_> = store
        .alarms
        .iter()
        .filter(|(name, alarm)| {
            types.iter().any(|t| t == kind(alarm))
                && (names.is_empty() || names.contains(name))
                && name.starts_with(prefix)
        })
        .collect();
    let (found, next) = page(found, input, usize::try_from(most).expect("small"));
    let (composite, metric): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(_, alarm)| alarm.is_composite());
    let shown = |alarms: Vec<(&String, &Alarm)>| -> Vec<Value> {
        alarms
            .into_iter()
            .map(|(name, alarm)| described(name, alarm))
            .collect()
    };
    let answer = json!({"MetricAlarms": shown(metric), "CompositeAlarms": shown(composite)});
    Ok(with_token(answer, next))
}

/// An alarm as it is told: with its defaults, its state and its times, without its tags.
fn described(name: &str, alarm: &Alarm) -> Value {
    let mut shown = alarm.fields.clone();
    let promql = shown.get("EvaluationCriteria").is_some();
    let fields: &mut Map<String, Value> = shown.as_object_mut().expect("fields");
    let mut default = |key: &str, value: Value| {
        fields.entry(key).or_insert(value);
    };
    default("ActionsEnabled", json!(true));
    for list in ["OKActions", "AlarmActions", "InsufficientDataActions"] {
        default(list, json!([]));
    }
    if !alarm.is_composite() {
        default("Dimensions", json!([]));
    }
    default("AlarmArn", json!(Store::alarm_arn(name)));
    default(
        "StateValue",
        json!(if promql { "OK" } else { "INSUFFICIENT_DATA" }),
    );
    default("StateUpdatedTimestamp", json!(THEN));
    default("AlarmConfigurationUpdatedTimestamp", json!(THEN));
    for query in fields
        .get_mut("Metrics")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let query = query.as_object_mut().expect("an entry");
        query.entry("ReturnData").or_insert(json!(true));
    }
    shown
}

/// Keeps an alarm. Tags of one that exists are ignored.
fn put_alarm(store: &mut Store, mut input: Value) -> Answer {
    let name = text(&input, "AlarmName")?;
    if name.chars().count() > 255 {
        return invalid("AlarmName is too long");
    }
    for actions in ["OKActions", "AlarmActions", "InsufficientDataActions"] {
        if texts(&input, actions).len() > 5 {
            return invalid(format!("{actions}: at most 5"));
        }
    }
    let new = tags(&input);
    if new.len() > 50 {
        return invalid("too many tags");
    }
    input.as_object_mut().expect("fields").shift_remove("Tags");
    let alarm = Alarm {
        fields: input,
        tags: new,
    };
    match store.alarms.get_mut(&name) {
        Some(old) if old.is_composite() != alarm.is_composite() => {
            return invalid(format!("{name} is an alarm of another type"));
        }
        Some(old) => old.fields = alarm.fields,
        None => drop(store.alarms.insert(name, alarm)),
    }
    Ok(json!({}))
}

fn put_metric_alarm(store: &mut Store, input: Value) -> Answer {
    let has = |key: &str| input.get(key).is_some();
    let sources = ["MetricName", "Metrics", "EvaluationCriteria"];
    if sources.into_iter().filter(|key| has(key)).count() != 1 {
        return invalid("exactly one of MetricName, Metrics and EvaluationCriteria");
    }
    if has("EvaluationCriteria") != has("EvaluationInterval") {
        return invalid("EvaluationCriteria and EvaluationInterval belong together");
    }
    let compares = has("EvaluationPeriods") && has("ComparisonOperator");
    if !(compares || has("EvaluationCriteria")) {
        return invalid("EvaluationPeriods and ComparisonOperator are required");
    }
    put_alarm(store, input)
}

fn put_composite_alarm(store: &mut Store, input: Value) -> Answer {
    text(&input, "AlarmRule")?;
    let suppressor = [
        "ActionsSuppressor",
        "ActionsSuppressorWaitPeriod",
        "ActionsSuppressorExtensionPeriod",
    ];
    let given = suppressor
        .into_iter()
        .filter(|key| input.get(key).is_some())
        .count();
    if given != 0 && given != 3 {
        return invalid("a suppressor has two periods");
    }
    let alarm = Alarm {
        fields: input.clone(),
        tags: Tags::new(),
    };
    let missing: Vec<_> = alarm
        .children()
        .into_iter()
        .filter(|c| !store.alarms.contains_key(c))
        .collect();
    if !missing.is_empty() {
        return invalid(format!(
            "Could not save the composite alarm as alarms {missing:?} in the alarm rule do not exist"
        ));
    }
    put_alarm(store, input)
}

fn delete_alarms(store: &mut Store, input: &Value) -> Answer {
    let names = texts(input, "AlarmNames");
    if names.is_empty() || names.len() > 100 {
        return invalid("AlarmNames: 1 to 100");
    }
    let known = names.iter().filter_map(|name| store.alarms.get(name));
    if known.filter(|alarm| alarm.is_composite()).count() > 1 {
        return invalid("at most one composite alarm");
    }
    for (parent, alarm) in &store.alarms {
        let children = alarm.children();
        if let Some(name) = names.iter().find(|name| children.contains(*name)) {
            return invalid(format!(
                "Cannot delete {name} as there are composite alarm(s) depending on it: {parent}"
            ));
        }
    }
    let missing: Vec<_> = names
        .iter()
        .filter(|name| store.alarms.remove(*name).is_none())
        .collect();
    match missing.is_empty() {
        true => Ok(json!({})),
        false => Err(Refusal::new(
            "ResourceNotFound",
            format!("{missing:?} do not exist"),
        )),
    }
}

fn put_mute_rule(store: &mut Store, mut input: Value) -> Answer {
    let name = text(&input, "Name")?;
    text(&input["Rule"]["Schedule"], "Expression")?;
    text(&input["Rule"]["Schedule"], "Duration")?;
    if texts(&input["MuteTargets"], "AlarmNames").len() > 100 {
        return invalid("a mute rule has 100 alarms at most");
    }
    let new = tags(&input);
    input.as_object_mut().expect("fields").shift_remove("Tags");
    match store.mutes.get_mut(&name) {
        Some(old) => old.fields = input,
        None => {
            let mute = Alarm {
                fields: input,
                tags: new,
            };
            store.mutes.insert(name, mute);
        }
    }
    Ok(json!({}))
}

fn get_mute_rule(store: &Store, input: &Value) -> Answer {
    let name = text(input, "AlarmMuteRuleName")?;
    let Some(mute) = store.mutes.get(&name) else {
        return Err(Refusal::new(
            "ResourceNotFoundException",
            format!("{name} does not exist"),
        ));
    };
    let mut shown = mute.fields.clone();
    shown["AlarmMuteRuleArn"] = json!(Store::mute_arn(&name));
    shown["Status"] = json!("SCHEDULED");
    shown["LastUpdatedTimestamp"] = json!(THEN);
    Ok(shown)
}

fn list_mute_rules(store: &Store, input: &Value) -> Answer {
    let most = input["MaxRecords"].as_u64().unwrap_or(50);
    let all = store
        .mutes
        .keys()
        .map(|name| json!({"AlarmMuteRuleArn": Store::mute_arn(name), "Status": "SCHEDULED"}));
    let (rules, next) = page(all.collect(), input, usize::try_from(most).expect("small"));
    Ok(with_token(json!({"AlarmMuteRuleSummaries": rules}), next))
}

fn put_dashboard(store: &mut Store, input: &Value) -> Answer {
    let (name, body) = (text(input, "DashboardName")?, text(input, "DashboardBody")?);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.chars().all(plain) {
        return Err(Refusal::new(
            "InvalidParameterInput",
            "the name has other signs",
        ));
    }
    let parsed: Result<Value, _> = serde_json::from_str(&body);
    if !parsed.is_ok_and(|body| body["widgets"].is_array()) {
        return Err(Refusal::new(
            "InvalidParameterInput",
            "the body is no dashboard",
        ));
    }
    let dashboard = store
        .dashboards
        .entry(name)
        .or_insert_with(|| (String::new(), tags(input)));
    dashboard.0 = body;
    Ok(json!({"DashboardValidationMessages": []}))
}

fn get_dashboard(store: &Store, input: &Value) -> Answer {
    let name = text(input, "DashboardName")?;
    match store.dashboards.get(&name) {
        Some((body, _)) => Ok(json!({
            "DashboardArn": Store::dashboard_arn(&name), "DashboardName": name, "DashboardBody": body
        })),
        None => Err(Refusal::new(
            "ResourceNotFound",
            format!("Dashboard {name} does not exist"),
        )),
    }
}

fn list_dashboards(store: &Store, input: &Value) -> Answer {
    let prefix = input["DashboardNamePrefix"].as_str().unwrap_or_default();
    let all = store
        .dashboards
        .iter()
        .filter(|(name, _)| name.starts_with(prefix));
    let all = all.map(|(name, (body, _))| {
        json!({
            "DashboardName": name, "DashboardArn": Store::dashboard_arn(name), "LastModified": THEN, "Size": body.len()
        })
    });
    let (entries, next) = page(all.collect(), input, DASHBOARDS);
    Ok(with_token(json!({"DashboardEntries": entries}), next))
}

fn delete_dashboards(store: &mut Store, input: &Value) -> Answer {
    let names: BTreeSet<_> = texts(input, "DashboardNames").into_iter().collect();
    // If one is missing, none is deleted.
    if let Some(name) = names
        .iter()
        .find(|name| !store.dashboards.contains_key(*name))
    {
        return Err(Refusal::new(
            "ResourceNotFound",
            format!("Dashboard {name} does not exist"),
        ));
    }
    store.dashboards.retain(|name, _| !names.contains(name));
    Ok(json!({}))
}

fn list_metrics(store: &Store, input: &Value) -> Answer {
    let recently = &input["RecentlyActive"];
    if !recently.is_null() && recently != "PT3H" {
        return invalid("RecentlyActive: PT3H");
    }
    let wanted = |(metric, recent): &&(Value, bool)| {
        (input["Namespace"].is_null() || metric["Namespace"] == input["Namespace"])
            && (*recent || recently.is_null())
    };
    let all = store.metrics.iter().filter(wanted);
    let all = all.map(|(metric, _)| metric.clone()).collect();
    let (metrics, next) = page(all, input, METRICS);
    Ok(with_token(json!({"Metrics": metrics}), next))
}
