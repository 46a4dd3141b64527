//! Terraform JSON: in it every string is a template, so literal text is escaped.
//!
//! The label `100 %{x}` becomes `100 %%{x}`; a composite alarm names its parts as
//! `${aws_cloudwatch_metric_alarm.part.alarm_name}`, so that they are created first.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::unique::Unique;
use super::{ACCOUNT, OpenDashboard, REGION, api, rule};
use crate::target::terraform::literal;
use crate::template::Tree;
use slosmith_cloudwatch::quoted;
use slosmith_plan::parity::RETENTION_DAYS;
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::cloudwatch::{Alarm, AlarmKind, Arns, CloudWatch, Mute};
use slosmith_spec::naming;

/// The same with region and account filled in by variables.
fn filled(text: &str) -> String {
    literal(text)
        .replace(REGION, "${var.region}")
        .replace(ACCOUNT, "${var.account}")
}

#[derive(Serialize)]
pub(super) struct View<'a> {
    service: &'a str,
    provider: &'static str,
    region: &'a str,
    account: Option<&'a str>,
    actions: Map<String, Value>,
    tags: Map<String, Value>,
    outputs: Tree,
    resources: Tree,
}

pub(super) fn view<'a>(
    plan: &'a Plan,
    cw: &'a CloudWatch,
    requests: &[Value],
    dashboards: &[OpenDashboard<'_>],
) -> View<'a> {
    let keys = keys(plan, cw);
    let (mut metric, mut composite) = (Map::new(), Map::new());
    for (alarm, request) in cw.alarms.iter().zip(requests) {
        let resources = match alarm.kind {
            AlarmKind::Composite(_) => &mut composite,
            AlarmKind::Metric(_) | AlarmKind::PromQl(_) => &mut metric,
        };
        resources.insert(
            keys[&alarm.name].clone(),
            resource(cw, alarm, request, &keys),
        );
    }
    let mut unique = Unique::numbered_with("_");
    let dashboards: Map<String, Value> = dashboards
        .iter()
        .map(|dashboard| {
            let resource = json!({
                "dashboard_name": literal(dashboard.name),
                "dashboard_body": filled(&dashboard.body),
            });
            (unique.take(identifier(dashboard.file)), resource)
        })
        .collect();
    let mut unique = Unique::numbered_with("_");
    let mutes = cw.mutes.iter().map(|mute| {
        let key = unique.take(identifier(&mute.name));
        (key, self::mute(cw, mute, &keys))
    });
    let log = cw.agent_writes_log().then(|| {
        let log = json!({
            "region": "${var.region}",
            "name": naming::agent_log(&plan.service.name),
            "retention_in_days": RETENTION_DAYS,
            "tags": "${var.tags}",
        });
        ("agent".to_owned(), log)
    });
    let outputs = outputs(cw, &keys, &dashboards);
    let mut resources = Map::new();
    for (kind, of_kind) in [
        ("aws_cloudwatch_metric_alarm", metric),
        ("aws_cloudwatch_composite_alarm", composite),
        ("aws_cloudwatch_alarm_mute_rule", mutes.collect()),
        ("aws_cloudwatch_log_group", log.into_iter().collect()),
        ("aws_cloudwatch_dashboard", dashboards),
    ] {
        if !of_kind.is_empty() {
            resources.insert(kind.to_owned(), Value::Object(of_kind));
        }
    }
    // Defaults of variables are no templates.
    let by_severity = |arns: &Arns| -> Value {
        let pairs = arns.iter();
        pairs
            .map(|(severity, arns)| (severity.clone(), json!(arns)))
            .collect()
    };
    let actions = cw.actions.all().into_iter();
    let actions = actions.map(|(name, arns)| (snake(name), by_severity(arns)));
    let tags = cw.tags.iter();
    let tags: Map<String, Value> = tags.map(|(k, v)| (k.clone(), json!(v))).collect();
    View {
        service: &plan.service.title,
        provider: provider(cw),
        region: &cw.region,
        account: cw.account.as_deref(),
        actions: actions.collect(),
        tags,
        outputs: Tree::of(&outputs),
        resources: Tree::of(&resources),
    }
}

/// `region` of a resource came with 6.0, alarms on PromQL with 6.45 (absent in 6.40).
fn provider(cw: &CloudWatch) -> &'static str {
    let promql = |alarm: &Alarm| matches!(alarm.kind, AlarmKind::PromQl(_));
    match cw.alarms.iter().any(promql) || !cw.mutes.is_empty() {
        true => ">= 6.45",
        false => ">= 6.0",
    }
}

fn outputs(
    cw: &CloudWatch,
    keys: &BTreeMap<String, String>,
    dashboards: &Map<String, Value>,
) -> Value {
    let own = cw.alarms.iter().filter(|alarm| alarm.severity.is_some());
    let arns: Map<String, Value> = own
        .map(|alarm| {
            let arn = format!("${{{}.arn}}", address(cw, keys, &alarm.name));
            (literal(&alarm.name), json!(arn))
        })
        .collect();
    let name = |key: &String| format!("${{aws_cloudwatch_dashboard.{key}.dashboard_name}}");
    let names: Vec<_> = dashboards.keys().map(name).collect();
    json!({
        "alarm_arns": {
            "description": "ARNs of the alarms with notifications, by name.",
            "value": arns,
        },
        "dashboard_names": {"description": "Names of the dashboards.", "value": names},
    })
}

fn mute(cw: &CloudWatch, mute: &Mute, keys: &BTreeMap<String, String>) -> Value {
    let request = api::mute(cw, mute);
    let schedule = &request["Rule"]["Schedule"];
    let mut out = json!({
        "region": "${var.region}",
        "name": literal(&mute.name),
        "tags": "${var.tags}",
    });
    if !mute.description.is_empty() {
        out["description"] = json!(literal(&mute.description));
    }
    out["rule"] = json!({"schedule": {
        "expression": text(&schedule["Expression"]),
        "duration": text(&schedule["Duration"]),
        "timezone": text(&schedule["Timezone"]),
    }});
    let alarms = mute.alarms.iter().map(|name| reference(cw, keys, name));
    out["mute_targets"] = json!({"alarm_names": alarms.collect::<Vec<_>>()});
    out
}

/// A name that Terraform takes for a resource.
fn identifier(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

/// Identifiers of all alarms by name: the service's own name left out, each once.
fn keys(plan: &Plan, cw: &CloudWatch) -> BTreeMap<String, String> {
    let service = format!("{}-", plan.service.name);
    let mut unique = Unique::numbered_with("_");
    let alarms = cw.alarms.iter().map(|alarm| &alarm.name);
    let key = |name: &String| {
        let short = name.strip_prefix(&service).unwrap_or(name);
        (name.clone(), unique.take(identifier(short)))
    };
    alarms.map(key).collect()
}

fn resource(
    cw: &CloudWatch,
    alarm: &Alarm,
    request: &Value,
    keys: &BTreeMap<String, String>,
) -> Value {
    let mut out = Map::new();
    out.insert("region".to_owned(), json!("${var.region}"));
    for (key, value) in request.as_object().into_iter().flatten() {
        field(key, value, &mut out);
    }
    if !alarm.tags.is_empty() {
        let own = alarm.tags.iter();
        let own: Vec<_> = own.map(|(k, v)| format!("\"{k}\" = \"{v}\"")).collect();
        let tags = format!("${{merge(var.tags, {{{}}})}}", own.join(", "));
        out.insert("tags".to_owned(), json!(tags));
    }
    let severity = literal(alarm.severity.as_deref().unwrap_or_default());
    for (name, _) in api::actions(cw, alarm) {
        let name = snake(name);
        let actions = format!("${{lookup(var.{name}, \"{severity}\", [])}}");
        out.insert(name, json!(actions));
    }
    if let AlarmKind::Composite(composite) = &alarm.kind {
        let reference = |name: &str| reference(cw, keys, name);
        let rule = rule::text(&composite.rule, &|name| match plain(name) {
            true => format!("\"{}\"", reference(name)),
            false => literal(&quoted(name)),
        });
        out.insert("alarm_rule".to_owned(), json!(rule));
        let odd: Vec<_> = composite
            .rule
            .alarms()
            .into_iter()
            .filter(|n| !plain(n))
            .collect();
        if !odd.is_empty() {
            let on = odd.iter().map(|name| address(cw, keys, name));
            out.insert("depends_on".to_owned(), json!(on.collect::<Vec<_>>()));
        }
        if let Some(s) = &composite.suppressor {
            let suppressor = json!({
                "alarm": reference(&s.alarm), "wait_period": s.wait, "extension_period": s.extension
            });
            out.insert("actions_suppressor".to_owned(), suppressor);
        }
    }
    Value::Object(out)
}

fn plain(name: &str) -> bool {
    !name.contains(['"', '\\'])
}

fn address(cw: &CloudWatch, keys: &BTreeMap<String, String>, name: &str) -> String {
    let alarm = cw.alarms.iter().find(|alarm| alarm.name == name);
    let kind = match alarm.map(|alarm| &alarm.kind) {
        Some(AlarmKind::Composite(_)) => "aws_cloudwatch_composite_alarm",
        _ => "aws_cloudwatch_metric_alarm",
    };
    let key = keys.get(name).map_or(name, String::as_str);
    format!("{kind}.{key}")
}

fn reference(cw: &CloudWatch, keys: &BTreeMap<String, String>, name: &str) -> String {
    format!("${{{}.alarm_name}}", address(cw, keys, name))
}

fn field(key: &str, value: &Value, out: &mut Map<String, Value>) {
    let (name, value) = match (key, value) {
        ("AlarmActions" | "OKActions" | "InsufficientDataActions" | "AlarmRule", _) => return,
        (key, _) if key.starts_with("ActionsSuppressor") => return,
        ("EvaluateLowSampleCountPercentile", value) => {
            // The provider calls it by a plural.
            let name = "evaluate_low_sample_count_percentiles".to_owned();
            (name, value.clone())
        }
        ("Dimensions", value) => ("dimensions".to_owned(), pairs(value, "Name")),
        ("Tags", _) => ("tags".to_owned(), json!("${var.tags}")),
        ("Metrics", value) => {
            let entries = value.as_array().into_iter().flatten().map(query);
            ("metric_query".to_owned(), entries.collect())
        }
        ("EvaluationCriteria", value) => {
            let inner = &value["PromQLCriteria"];
            let criteria = json!({"promql_criteria": {
                "query": text(&inner["Query"]),
                "pending_period": inner["PendingPeriod"],
                "recovery_period": inner["RecoveryPeriod"],
            }});
            ("evaluation_criteria".to_owned(), criteria)
        }
        (key, Value::String(text)) => (snake(key), json!(literal(text))),
        (key, value) => (snake(key), value.clone()),
    };
    out.insert(name, value);
}

fn text(value: &Value) -> String {
    literal(value.as_str().unwrap_or_default())
}

fn pairs(list: &Value, name: &str) -> Value {
    let all = list.as_array().into_iter().flatten();
    let pairs: Map<String, Value> = all
        .map(|pair| {
            let key = pair[name].as_str().unwrap_or_default().to_owned();
            (key, json!(text(&pair["Value"])))
        })
        .collect();
    Value::Object(pairs)
}

/// An entry of metric math as a block. Whether it returns data is always said: the defaults differ.
fn query(entry: &Value) -> Value {
    let mut out = json!({"id": entry["Id"], "return_data": entry["ReturnData"]});
    for key in ["Expression", "Label"] {
        if entry[key].is_string() {
            out[snake(key)] = json!(text(&entry[key]));
        }
    }
    if let Some(stat) = entry.get("MetricStat") {
        let metric = &stat["Metric"];
        out["metric"] = json!({
            "namespace": text(&metric["Namespace"]),
            "metric_name": text(&metric["MetricName"]),
            "period": stat["Period"],
            "stat": text(&stat["Stat"]),
        });
        if metric["Dimensions"].is_array() {
            out["metric"]["dimensions"] = pairs(&metric["Dimensions"], "Name");
        }
    }
    out
}

/// `AlarmName` → `alarm_name`.
fn snake(key: &str) -> String {
    slosmith_spec::naming::kebab(key).replace('-', "_")
}
