//! The `Metrics` array of an alarm: metrics, and expressions over them.
//!
//! Of `[{"Id": "a", "MetricStat": …}, {"Id": "b", "Expression": "a / total"}]` no entry has the id `total`, and two
//! return data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::dimensions::{UNITS, dimensions, namespace, period};
use super::fields::{Fields, Form};
use super::graph::Graph;
use super::insights;
use super::limits;
use super::math::{self, Shape};
use super::statistic::Statistic;
use super::unknown::{has_unknown, is_unknown, known};
use super::violation::Fault;

const EXPRESSION: usize = 2048;

/// Seconds that a Metrics Insights query sees.
const INSIGHTS: i64 = 3 * 3600;

const FIELDS: [&str; 7] = [
    "Id",
    "MetricStat",
    "Expression",
    "Label",
    "ReturnData",
    "Period",
    "AccountId",
];

pub(super) fn check(f: &mut Fields<'_, '_>) -> Vec<i64> {
    let entries = f.list("Metrics");
    let whole = !has_unknown(entries);
    let mut periods = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (i, value) in known(entries) {
        let mut entry = f.at(&format!("Metrics/{i}"), value);
        entry.only(&FIELDS);
        id(&mut entry, &mut seen);
        entry.boolean("ReturnData");
        entry.text("Label");
        entry.length("AccountId", 1, limits::NAME);
        periods.extend(one(&mut entry));
    }
    if entries.is_empty() && f.get("Metrics").is_some_and(Value::is_array) {
        f.wrong("Metrics", "`Metrics` is empty");
    }
    count(f, entries);
    if periods.len() > 1 {
        let periods: Vec<_> = periods.iter().map(ToString::to_string).collect();
        let message = format!(
            "all metrics of an alarm must have the same period; found {} seconds",
            periods.join(", ")
        );
        f.wrong("Metrics", message);
    }
    let shapes = shapes(f, entries);
    band(f, entries, &shapes, whole);
    returned(f, entries, &shapes);
    long_query(f, entries);
    periods.into_iter().collect()
}

fn one(entry: &mut Fields<'_, '_>) -> Option<i64> {
    if entry.has("MetricStat") && entry.has("Expression") {
        let message = "`Expression` cannot be combined with `MetricStat`";
        entry.wrong("Expression", message);
        return None;
    }
    if entry.lacks("MetricStat") && entry.lacks("Expression") {
        entry.wrong("", "one of `MetricStat` and `Expression` is required");
    }
    if entry.has("MetricStat") {
        return metric_stat(entry);
    }
    entry.length("Expression", 1, EXPRESSION);
    period(entry, "Period");
    entry.as_whole("Period")
}

fn count(f: &mut Fields<'_, '_>, entries: &[Value]) {
    for (key, what) in [("MetricStat", "metrics"), ("Expression", "expressions")] {
        let count = known(entries)
            .filter(|(_, entry)| !entry[key].is_null())
            .count();
        let most = limits::ALARM_METRICS;
        if count > most {
            f.wrong(
                "Metrics",
                format!("{count} {what}; at most {most} are allowed"),
            );
        }
    }
}

fn id(entry: &mut Fields<'_, '_>, seen: &mut BTreeSet<String>) {
    entry.required("Id");
    let Some(id) = entry.length("Id", 1, limits::NAME) else {
        return;
    };
    if !is_id(id) {
        let message =
            format!("`{id}` is not an id: use a lower-case letter, then letters, digits and `_`");
        entry.wrong("Id", message);
    }
    if !seen.insert(id.to_owned()) {
        entry.wrong("Id", format!("two entries have the id `{id}`"));
    }
}

/// True for what expressions can call an entry.
pub(super) fn is_id(id: &str) -> bool {
    let lower = id.starts_with(|c: char| c.is_ascii_lowercase());
    lower && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn metric_stat(entry: &mut Fields<'_, '_>) -> Option<i64> {
    if entry.has("Period") {
        entry.wrong("Period", "`Period` must be inside `MetricStat`");
    }
    let mut stat = entry.object("MetricStat")?;
    stat.only(&["Metric", "Period", "Stat", "Unit"]);
    stat.required("Stat");
    if let Some(Err(why)) = stat.text("Stat").map(str::parse::<Statistic>) {
        stat.wrong("Stat", why.to_string());
    }
    stat.one_of("Unit", UNITS);
    stat.required("Metric");
    if let Some(mut metric) = stat.object("Metric") {
        metric.only(&["Namespace", "MetricName", "Dimensions"]);
        namespace(&mut metric);
        metric.required("MetricName");
        metric.length("MetricName", 1, limits::NAME);
        dimensions(&mut metric);
    }
    stat.required("Period");
    period(&mut stat, "Period");
    stat.as_whole("Period")
}

fn shapes<'v>(f: &mut Fields<'v, '_>, entries: &'v [Value]) -> BTreeMap<usize, Shape> {
    let is_open = |(_, entry): (usize, &Value)| is_unknown(&entry["Id"]);
    let mut graph = Graph::new(has_unknown(entries) || known(entries).any(is_open));
    for (i, entry) in known(entries) {
        let id = entry["Id"].as_str();
        match entry["Expression"].as_str() {
            Some(text) if entry["MetricStat"].is_null() => graph.expression(i, id, text),
            _ if is_unknown(&entry["Expression"]) => graph.unknown(i, id),
            _ => graph.metric(i, id),
        }
    }
    let judged = graph.judged();
    for (i, fault) in judged.faults {
        let mut entry = f.at(&format!("Metrics/{i}"), &entries[i]);
        match fault {
            math::Fault::Id(message) => entry.fault(Fault::UndefinedId, "Expression", message),
            math::Fault::Other(message) => entry.wrong("Expression", message),
        }
    }
    for (i, function) in judged.used {
        let mut entry = f.at(&format!("Metrics/{i}"), &entries[i]);
        if let Some(why) = math::unsupported(&function) {
            entry.wrong("Expression", why);
        }
        if function == "INSIGHT_RULE_METRIC" {
            own_period(&mut entry);
        }
    }
    for (i, entry) in known(entries) {
        if entry["Expression"].as_str().is_some_and(insights::is_query) {
            own_period(&mut f.at(&format!("Metrics/{i}"), entry));
        }
    }
    judged.shapes
}

/// An expression that names no metric needs a period of its own.
fn own_period(entry: &mut Fields<'_, '_>) {
    if entry.lacks("Period") {
        let message = "`Period` is missing: the expression has no metric to take it from";
        entry.wrong("", message);
    }
}

fn long_query<'v>(f: &mut Fields<'v, '_>, entries: &'v [Value]) {
    let periods = f.as_whole("EvaluationPeriods").unwrap_or(1);
    for (i, value) in known(entries) {
        if !value["Expression"].as_str().is_some_and(insights::is_query) {
            continue;
        }
        let mut entry = f.at(&format!("Metrics/{i}"), value);
        let seconds = entry.as_whole("Period").unwrap_or_default();
        if seconds.saturating_mul(periods) > INSIGHTS {
            let message = "a Metrics Insights query sees the last three hours only";
            entry.wrong("Period", message);
        }
    }
}

fn band(f: &mut Fields<'_, '_>, entries: &[Value], shapes: &BTreeMap<usize, Shape>, whole: bool) {
    let Some(wanted) = f.length("ThresholdMetricId", 1, limits::NAME) else {
        return;
    };
    let found = known(entries).find(|(_, entry)| entry["Id"] == wanted);
    let open = !whole || known(entries).any(|(_, entry)| is_unknown(&entry["Id"]));
    match found {
        None if !open => {
            let message = format!("no entry has the id {wanted}");
            f.fault(Fault::UndefinedId, "ThresholdMetricId", message);
        }
        Some((i, _)) if matches!(shapes.get(&i), Some(Shape::Series | Shape::Scalar)) => {
            let message = format!(
                "`{wanted}` is not a band; `ThresholdMetricId` needs an ANOMALY_DETECTION_BAND"
            );
            f.wrong("ThresholdMetricId", message);
        }
        _ => {}
    }
}

/// Exactly one entry is watched, and it gives one series; with a band, the metric and the band.
fn returned<'v>(f: &mut Fields<'v, '_>, entries: &'v [Value], shapes: &BTreeMap<usize, Shape>) {
    let (wanted, what) = if f.has("ThresholdMetricId") {
        (2, "the metric and its band must return data")
    } else if f.lacks("ThresholdMetricId") {
        (1, "exactly one entry must return data")
    } else {
        return;
    };
    let mut unsure = has_unknown(entries);
    let mut count = 0;
    for (i, value) in known(entries) {
        match returns(value, f.form) {
            Some(true) => {
                count += 1;
                if wanted == 1 {
                    let mut entry = f.at(&format!("Metrics/{i}"), value);
                    watched(&mut entry, shapes.get(&i).copied());
                }
            }
            Some(false) => {}
            None => unsure = true,
        }
    }
    if count > wanted || count < wanted && !unsure && !entries.is_empty() {
        let message = format!("{what}; found {count} (an entry without `ReturnData` returns data)");
        f.wrong("Metrics", message);
    }
}

/// Whether an entry returns data, as far as that is known.
fn returns(entry: &Value, form: Form) -> Option<bool> {
    let mut unread = Vec::new();
    let mut entry = Fields::new(entry, form, &mut unread);
    match entry.lacks("ReturnData") {
        true => Some(true),
        false => entry.boolean("ReturnData"),
    }
}

fn watched(entry: &mut Fields<'_, '_>, shape: Option<Shape>) {
    let text = entry.get("Expression").and_then(Value::as_str);
    // A query that is grouped gives a contributor for each series.
    if text.is_some_and(insights::is_query) {
        return;
    }
    match shape {
        Some(Shape::Scalar) => entry.wrong(
            "Expression",
            "the expression returns a number; an alarm needs a time series",
        ),
        Some(Shape::Array) => entry.wrong(
            "Expression",
            "the expression returns several time series; an alarm needs one",
        ),
        _ => {}
    }
}
