//! Alarms as requests of the API: the one form that the others are made from.

use serde_json::{Map, Value, json};

use crate::cloudwatch::quoted;
use crate::plan::CompareOp;
use crate::plan::cloudwatch::{
    Alarm, AlarmKind, CloudWatch, Composite, MetricAlarm, MetricStat, PromQl, Side, Test,
};
use crate::spec::{LowSamples, Missing};
use crate::units::{Number, decimal};

/// A number as JSON, exact where the decimal ends.
pub(super) fn number(value: Number) -> Value {
    if value.is_integer()
        && let Ok(whole) = i64::try_from(value.to_integer())
    {
        return json!(whole);
    }
    json!(decimal(value).parse::<f64>().unwrap_or_default())
}

/// The request of PutMetricAlarm or PutCompositeAlarm.
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
    if let Some(actions) = actions(cw, alarm) {
        put("AlarmActions", json!(actions));
    }
    match &alarm.kind {
        AlarmKind::Metric(metric) => self::metric(metric, &mut fields),
        AlarmKind::Composite(composite) => self::composite(composite, &mut fields),
        AlarmKind::PromQl(promql) => self::promql(promql, &mut fields),
    }
    if !cw.tags.is_empty() {
        let tags = cw.tags.iter();
        let tags: Vec<_> = tags.map(|(k, v)| json!({"Key": k, "Value": v})).collect();
        fields.insert("Tags".to_owned(), json!(tags));
    }
    Value::Object(fields)
}

/// Whom an alarm tells, if anybody.
pub(super) fn actions<'a>(cw: &'a CloudWatch, alarm: &Alarm) -> Option<&'a Vec<String>> {
    let severity = alarm.severity.as_ref()?;
    let found = cw.actions.iter().find(|(name, _)| name == severity);
    found.map(|(_, arns)| arns).filter(|arns| !arns.is_empty())
}

fn metric(alarm: &MetricAlarm, fields: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    let band = matches!(alarm.test, Test::Band(..));
    match (alarm.value.metrics.as_slice(), &alarm.value.expression) {
        ([one], None) if !band => {
            put("Namespace", json!(one.namespace));
            put("MetricName", json!(one.name));
            if !one.dimensions.is_empty() {
                put("Dimensions", dimensions(one));
            }
            let plain = crate::cloudwatch::PLAIN.contains(&one.stat.as_str());
            let key = if plain {
                "Statistic"
            } else {
                "ExtendedStatistic"
            };
            put(key, json!(one.stat));
            put("Period", json!(alarm.period));
            if let Some(low) = alarm.low_samples {
                put("EvaluateLowSampleCountPercentile", json!(low_samples(low)));
            }
        }
        _ => put("Metrics", json!(entries(alarm))),
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

fn entries(alarm: &MetricAlarm) -> Vec<Value> {
    let value = &alarm.value;
    let alone = value.expression.is_none();
    let mut all: Vec<Value> = value
        .metrics
        .iter()
        .map(|m| {
            let mut metric = json!({"Namespace": m.namespace, "MetricName": m.name});
            if !m.dimensions.is_empty() {
                metric["Dimensions"] = dimensions(m);
            }
            let stat = json!({"Metric": metric, "Period": alarm.period, "Stat": m.stat});
            json!({"Id": m.id, "MetricStat": stat, "ReturnData": alone})
        })
        .collect();
    let watched = match &value.expression {
        Some(expression) => {
            all.push(json!({
                "Id": "value", "Label": value.label, "Expression": expression, "ReturnData": true
            }));
            "value"
        }
        None => value.metrics.first().map_or("value", |m| &m.id),
    };
    if let Test::Band(_, width) = alarm.test {
        let expression = format!("ANOMALY_DETECTION_BAND({watched}, {})", decimal(width));
        all.push(json!({
            "Id": "band", "Label": "usual values", "Expression": expression, "ReturnData": true
        }));
    }
    all
}

fn dimensions(metric: &MetricStat) -> Value {
    let all = metric.dimensions.iter();
    all.map(|(name, value)| json!({"Name": name, "Value": value}))
        .collect()
}

fn composite(composite: &Composite, fields: &mut Map<String, Value>) {
    let rule = composite.rule.text(&quoted);
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
        "Query": promql.query, "PendingPeriod": promql.pending, "RecoveryPeriod": 0
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
