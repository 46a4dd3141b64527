//! One form of each request: defaults are left out or filled in, lists whose order means nothing are sorted.
//!
//! `{"Threshold": 80.0, "ActionsEnabled": true}` as CloudWatch answers and `{"Threshold": 80}` as a build writes become the same
//! fields, so that they compare as equal.

use serde_json::{Map, Value, json};

use super::object::Kind;
use slosmith_cloudwatch::alarm_name;

/// The fields of a request, without its tags, in the form in which they are compared. The body of a dashboard is such fields.
pub fn normal(kind: Kind, mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        match kind {
            Kind::MetricAlarm => metric_alarm(fields),
            Kind::CompositeAlarm => composite_alarm(fields),
            Kind::MuteRule => mute_rule(fields),
            Kind::LogAlarm | Kind::Dashboard => {}
        }
        fields.shift_remove("Tags");
    }
    numbers(&mut fields);
    fields.sort_all_objects();
    fields
}

fn metric_alarm(fields: &mut Map<String, Value>) {
    alarm(fields);
    sorted(fields, "Dimensions");
    if let Some(Value::Array(queries)) = fields.get_mut("Metrics") {
        queries
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(query);
        queries.sort_by_cached_key(|query| query["Id"].to_string());
    }
    unset(
        fields,
        "EvaluateLowSampleCountPercentile",
        &json!("evaluate"),
    );
    unset(fields, "EvaluationWindow", &json!({"SlidingWindow": {}}));
    if let Some(Value::Object(criteria)) = fields.get_mut("EvaluationCriteria") {
        if let Some(Value::Object(promql)) = criteria.get_mut("PromQLCriteria") {
            default(promql, "PendingPeriod", json!(0));
            default(promql, "RecoveryPeriod", json!(0));
        }
        return;
    }
    default(fields, "TreatMissingData", json!("missing"));
    if let Some(all) = fields.get("EvaluationPeriods").cloned() {
        default(fields, "DatapointsToAlarm", all);
    }
}

fn query(query: &mut Map<String, Value>) {
    default(query, "ReturnData", json!(true));
    if let Some(Value::Object(metric)) = query
        .get_mut("MetricStat")
        .and_then(|s| s.get_mut("Metric"))
    {
        sorted(metric, "Dimensions");
    }
}

fn composite_alarm(fields: &mut Map<String, Value>) {
    alarm(fields);
    if let Some(Value::String(suppressor)) = fields.get_mut("ActionsSuppressor") {
        *suppressor = alarm_name(suppressor).to_owned();
    }
    unset(fields, "ActionsSuppressor", &json!(""));
}

fn alarm(fields: &mut Map<String, Value>) {
    default(fields, "ActionsEnabled", json!(true));
    unset(fields, "AlarmDescription", &json!(""));
    for actions in ["AlarmActions", "OKActions", "InsufficientDataActions"] {
        sorted(fields, actions);
    }
}

fn mute_rule(fields: &mut Map<String, Value>) {
    unset(fields, "Description", &json!(""));
    if let Some(Value::Object(schedule)) =
        fields.get_mut("Rule").and_then(|r| r.get_mut("Schedule"))
    {
        default(schedule, "Timezone", json!("UTC"));
    }
    if let Some(Value::Object(targets)) = fields.get_mut("MuteTargets") {
        sorted(targets, "AlarmNames");
    }
    unset(fields, "MuteTargets", &json!({}));
}

fn default(fields: &mut Map<String, Value>, key: &str, value: Value) {
    if fields.get(key).is_none_or(Value::is_null) {
        fields.insert(key.to_owned(), value);
    }
}

/// Leaves a field out whose value says nothing.
fn unset(fields: &mut Map<String, Value>, key: &str, nothing: &Value) {
    if fields
        .get(key)
        .is_some_and(|value| value == nothing || value.is_null())
    {
        fields.shift_remove(key);
    }
}

/// A list in any order; an empty one is left out.
fn sorted(fields: &mut Map<String, Value>, key: &str) {
    if let Some(Value::Array(list)) = fields.get_mut(key) {
        list.sort_by_cached_key(Value::to_string);
    }
    unset(fields, key, &json!([]));
}

/// `80.0` as `80`: CloudWatch keeps a threshold as a float, whatever it was given.
fn numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let float = number
                .as_f64()
                .filter(|f| f.fract() == 0.0 && f.abs() < 1e15);
            if let Some(whole) = float.and_then(|float| format!("{float:.0}").parse::<i64>().ok()) {
                *value = json!(whole);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(numbers),
        Value::Object(fields) => fields.values_mut().for_each(numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(kind: Kind, a: Value, b: Value) {
        assert_eq!(normal(kind, a), normal(kind, b));
    }

    #[test]
    fn defaults_are_equal_to_what_is_left_out() {
        let short = json!({"AlarmName": "a", "Threshold": 80, "EvaluationPeriods": 3});
        let long = json!({
            "AlarmName": "a", "Threshold": 80.0, "EvaluationPeriods": 3, "DatapointsToAlarm": 3,
            "ActionsEnabled": true, "OKActions": [], "AlarmDescription": "", "Dimensions": [],
            "TreatMissingData": "missing", "Tags": [{"Key": "a", "Value": "b"}],
            "EvaluateLowSampleCountPercentile": "evaluate", "EvaluationWindow": {"SlidingWindow": {}},
        });
        same(Kind::MetricAlarm, short, long);
    }

    #[test]
    fn order_counts_only_where_it_means_something() {
        let dimensions = |a: &str, b: &str| json!({"Dimensions": [{"Name": a}, {"Name": b}]});
        same(
            Kind::MetricAlarm,
            dimensions("x", "y"),
            dimensions("y", "x"),
        );
        let body = |a: u8, b: u8| json!({"widgets": [{"x": a}, {"x": b}]});
        assert_ne!(
            normal(Kind::Dashboard, body(1, 2)),
            normal(Kind::Dashboard, body(2, 1))
        );
        same(
            Kind::Dashboard,
            json!({"a": 1, "b": 2.0}),
            json!({"b": 2, "a": 1}),
        );
    }

    #[test]
    fn numbers_keep_their_fractions_and_their_size() {
        let fields = |n: Value| json!({"Threshold": n});
        same(Kind::MetricAlarm, fields(json!(-0.0)), fields(json!(0)));
        for (a, b) in [
            (json!(0.5), json!(0)),
            (json!(1e300), json!(1e299)),
            (json!(1), json!(1.000_001)),
        ] {
            assert_ne!(
                normal(Kind::MetricAlarm, fields(a)),
                normal(Kind::MetricAlarm, fields(b))
            );
        }
    }

    #[test]
    fn promql_alarms_have_no_missing_data() {
        let alarm = json!({"EvaluationCriteria": {"PromQLCriteria": {"Query": "up"}}, "EvaluationInterval": 60});
        let alarm = normal(Kind::MetricAlarm, alarm);
        assert!(alarm.get("TreatMissingData").is_none());
        assert_eq!(
            alarm["EvaluationCriteria"]["PromQLCriteria"]["PendingPeriod"],
            0
        );
    }
}
