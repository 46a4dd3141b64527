//! Alarms as requests of the API: the one form that the others are made from.
//!
//! A `MetricAlarm` on one metric becomes `{"AlarmName": …, "MetricName": …, "Period": 60, …}`, one on an expression has
//! `Metrics` with an entry `value` in its place.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::expression::{Formula, Named, Speller};
use super::rule;
use slosmith_cloudwatch::quoted;
use slosmith_plan::plan::CompareOp;
use slosmith_plan::plan::cloudwatch::{
    Alarm, AlarmKind, Arns, CloudWatch, Composite, MetricAlarm, Mute, PromQl, Test,
};
use slosmith_spec::spec::{LowSamples, Missing, Side};
use slosmith_text::units::{Duration, Number, decimal};

/// A number as JSON, exact where the decimal ends.
pub(super) fn number(value: Number) -> Value {
    if value.is_integer()
        && let Ok(whole) = i64::try_from(value.to_integer())
    {
        return json!(whole);
    }
    json!(decimal(value).parse::<f64>().unwrap_or_default())
}

pub(super) fn request(cw: &CloudWatch, alarm: &Alarm) -> Value {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    put("AlarmName", json!(alarm.name));
    if !alarm.description.is_empty() {
        put("AlarmDescription", json!(alarm.description));
    }
    put("ActionsEnabled", json!(alarm.severity.is_some()));
    for (field, arns) in actions(cw, alarm) {
        put(field, json!(arns));
    }
    match &alarm.kind {
        AlarmKind::Metric(metric) => self::metric(metric, &mut fields),
        AlarmKind::Composite(composite) => self::composite(composite, &mut fields),
        AlarmKind::PromQl(promql) => self::promql(promql, &mut fields),
    }
    // Its own come after those of all, and take their place.
    let tags: BTreeMap<_, _> = cw
        .tags
        .iter()
        .chain(&alarm.tags)
        .map(|(k, v)| (k, v))
        .collect();
    if !tags.is_empty() {
        let tags = tags.into_iter();
        let tags: Vec<_> = tags.map(|(k, v)| json!({"Key": k, "Value": v})).collect();
        fields.insert("Tags".to_owned(), json!(tags));
    }
    Value::Object(fields)
}

pub(super) fn mute(cw: &CloudWatch, mute: &Mute) -> Value {
    let schedule = json!({
        "Expression": mute.schedule, "Duration": iso(mute.duration), "Timezone": mute.timezone
    });
    let mut request = json!({"Name": mute.name, "Rule": {"Schedule": schedule}});
    if !mute.description.is_empty() {
        request["Description"] = json!(mute.description);
    }
    request["MuteTargets"] = json!({"AlarmNames": mute.alarms});
    if !cw.tags.is_empty() {
        let tags = cw.tags.iter();
        request["Tags"] = tags.map(|(k, v)| json!({"Key": k, "Value": v})).collect();
    }
    request
}

/// `P2DT12H30M`: a length of time as ISO 8601 has it.
fn iso(length: Duration) -> String {
    let minutes = length.mins_up();
    let part = |n: u64, unit: char| match n {
        0 => String::new(),
        n => format!("{n}{unit}"),
    };
    let time = part(minutes / 60 % 24, 'H') + &part(minutes % 60, 'M');
    let t = if time.is_empty() { "" } else { "T" };
    format!("P{}{t}{time}", part(minutes / 1_440, 'D'))
}

pub(super) fn actions<'a>(
    cw: &'a CloudWatch,
    alarm: &Alarm,
) -> impl Iterator<Item = (&'static str, &'a Vec<String>)> {
    let of_severity = |(field, by_severity): (&'static str, &'a Arns)| {
        let severity = alarm.severity.as_ref()?;
        let (_, arns) = by_severity.iter().find(|(name, _)| name == severity)?;
        (!arns.is_empty()).then_some((field, arns))
    };
    cw.actions.all().into_iter().filter_map(of_severity)
}

fn metric(alarm: &MetricAlarm, fields: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    let band = matches!(alarm.test, Test::Band(..));
    let formula = Speller::of_alarm().value(&alarm.value, alarm.period);
    match (formula.metrics.as_slice(), &formula.expression) {
        ([one], None) if !band => {
            put("Namespace", json!(one.stat.namespace));
            put("MetricName", json!(one.name));
            if !one.dimensions().is_empty() {
                put("Dimensions", dimensions(one));
            }
            let key = match one.stat.statistic.is_extended() {
                true => "ExtendedStatistic",
                false => "Statistic",
            };
            put(key, json!(one.stat.statistic.to_string()));
            put("Period", json!(alarm.period));
            if let Some(low) = alarm.low_samples {
                put("EvaluateLowSampleCountPercentile", json!(low_samples(low)));
            }
        }
        _ => put("Metrics", Value::Array(entries(alarm, &formula))),
    }
    put("EvaluationPeriods", json!(alarm.evaluate));
    put("DatapointsToAlarm", json!(alarm.datapoints));
    match alarm.test {
        Test::Threshold(op, value) => {
            put("Threshold", number(value));
            put("ComparisonOperator", json!(operator(op)));
        }
        Test::Band(side, _) => {
            put("ThresholdMetricId", json!("band"));
            put("ComparisonOperator", json!(range(side)));
        }
    }
    put("TreatMissingData", json!(missing(alarm.missing)));
}

fn entries(alarm: &MetricAlarm, formula: &Formula<'_>) -> Vec<Value> {
    let alone = formula.expression.is_none();
    let mut all: Vec<Value> = formula
        .metrics
        .iter()
        .map(|m| {
            let mut metric = json!({"Namespace": m.stat.namespace, "MetricName": m.name});
            if !m.dimensions().is_empty() {
                metric["Dimensions"] = dimensions(m);
            }
            let statistic = m.stat.statistic.to_string();
            let mut entry = json!({"Id": m.id, "MetricStat": {}, "ReturnData": alone});
            entry["MetricStat"]["Metric"] = metric;
            entry["MetricStat"]["Period"] = json!(alarm.period);
            entry["MetricStat"]["Stat"] = json!(statistic);
            entry
        })
        .collect();
    let watched = match &formula.expression {
        Some(expression) => {
            all.push(json!({
                "Id": "value", "Label": alarm.label, "Expression": expression, "ReturnData": true
            }));
            "value"
        }
        None => formula.metrics.first().map_or("value", |m| &m.id),
    };
    if let Test::Band(_, width) = alarm.test {
        let expression = format!("ANOMALY_DETECTION_BAND({watched}, {})", decimal(width));
        all.push(json!({
            "Id": "band", "Label": "usual values", "Expression": expression, "ReturnData": true
        }));
    }
    all
}

fn dimensions(metric: &Named<'_>) -> Value {
    let all = metric.dimensions().iter();
    all.map(|(name, value)| json!({"Name": name, "Value": value}))
        .collect()
}

fn composite(composite: &Composite, fields: &mut Map<String, Value>) {
    let rule = rule::text(&composite.rule, &quoted);
    fields.insert("AlarmRule".to_owned(), json!(rule));
    if let Some(s) = &composite.suppressor {
        for (key, value) in [
            ("ActionsSuppressor", json!(s.alarm)),
            ("ActionsSuppressorWaitPeriod", json!(s.wait)),
            ("ActionsSuppressorExtensionPeriod", json!(s.extension)),
        ] {
            fields.insert(key.to_owned(), value);
        }
    }
}

fn promql(promql: &PromQl, fields: &mut Map<String, Value>) {
    let criteria = json!({"PromQLCriteria": {
        "Query": promql.query, "PendingPeriod": promql.pending, "RecoveryPeriod": promql.recovery
    }});
    fields.insert("EvaluationCriteria".to_owned(), criteria);
    fields.insert("EvaluationInterval".to_owned(), json!(promql.interval));
}

fn operator(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Above => "GreaterThanThreshold",
        CompareOp::Below => "LessThanThreshold",
        CompareOp::AtLeast => "GreaterThanOrEqualToThreshold",
        CompareOp::AtMost => "LessThanOrEqualToThreshold",
    }
}

fn range(side: Side) -> &'static str {
    match side {
        Side::Both => "LessThanLowerOrGreaterThanUpperThreshold",
        Side::High => "GreaterThanUpperThreshold",
        Side::Low => "LessThanLowerThreshold",
    }
}

fn missing(missing: Missing) -> &'static str {
    match missing {
        Missing::Breaching => "breaching",
        Missing::NotBreaching => "notBreaching",
        Missing::Ignore => "ignore",
        Missing::Missing => "missing",
    }
}

fn low_samples(low: LowSamples) -> &'static str {
    match low {
        LowSamples::Evaluate => "evaluate",
        LowSamples::Ignore => "ignore",
    }
}
