//! The `Metrics` array of an alarm: metrics, and expressions over them.
//!
//! Of `[{"Id": "a", "MetricStat": …}, {"Id": "b", "Expression": "a / total"}]` no entry has the id `total`, and two
//! return data.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dimensions::{dimensions, namespace, period};
use super::fields::Fields;
use super::limits;
use super::math::{self, Usage};
use super::statistic::Statistic;
use super::violation::Fault;

/// Entries of either sort.
const MOST: usize = 10;

/// Characters of an expression.
const EXPRESSION: usize = 2048;

/// Seconds that a Metrics Insights query sees.
const INSIGHTS: i64 = 3 * 3600;

/// Checks the array; gives back the period that all entries share. `band`: the alarm compares with a band.
pub(super) fn check(f: &mut Fields<'_, '_>, band: bool) -> Option<i64> {
    let entries = f.list("Metrics");
    let ids: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry["Id"].as_str())
        .collect();
    let threshold = f.text("ThresholdMetricId");
    let mut periods = BTreeSet::new();
    let (mut metrics, mut expressions) = (0, 0);
    let mut seen = BTreeSet::new();
    for (i, entry) in entries.iter().enumerate() {
        let mut entry = f.at(&format!("Metrics/{i}"), entry);
        entry.only(&[
            "Id",
            "MetricStat",
            "Expression",
            "Label",
            "ReturnData",
            "Period",
            "AccountId",
        ]);
        id(&mut entry, &mut seen);
        match (entry.has("MetricStat"), entry.has("Expression")) {
            (true, false) => {
                metrics += 1;
                periods.extend(metric_stat(&mut entry));
            }
            (false, true) => {
                expressions += 1;
                periods.extend(expression(&mut entry, &ids));
            }
            (true, true) => entry.wrong(
                "Expression",
                "Expression cannot be combined with MetricStat",
            ),
            (false, false) => entry.wrong("", "one of MetricStat and Expression is needed"),
        }
    }
    if entries.is_empty() {
        f.wrong("Metrics", "Metrics is empty");
    }
    for (count, what) in [(metrics, "metrics"), (expressions, "expressions")] {
        if count > MOST {
            f.wrong("Metrics", format!("{count} {what}; {MOST} are allowed"));
        }
    }
    if periods.len() > 1 {
        let periods: Vec<_> = periods.iter().map(ToString::to_string).collect();
        let message = format!(
            "all metrics of an alarm share one period; these have {} seconds",
            periods.join(", ")
        );
        f.wrong("Metrics", message);
    }
    if let Some(threshold) = threshold.filter(|threshold| !ids.contains(threshold)) {
        let message = format!("no entry has the id {threshold}");
        f.fault(Fault::UndefinedId, "ThresholdMetricId", message);
    }
    returned(f, entries, band);
    periods.into_iter().next()
}

fn id(entry: &mut Fields<'_, '_>, seen: &mut BTreeSet<String>) {
    let Some(id) = entry.length("Id", 1, limits::NAME) else {
        if !entry.has("Id") {
            entry.wrong("", "Id is missing");
        }
        return;
    };
    let lower = id.starts_with(|c: char| c.is_ascii_lowercase());
    if !lower || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        entry.wrong(
            "Id",
            format!("`{id}` is not an id: a small letter, then letters, digits and `_`"),
        );
    }
    if !seen.insert(id.to_owned()) {
        entry.wrong("Id", format!("two entries have the id `{id}`"));
    }
}

fn metric_stat(entry: &mut Fields<'_, '_>) -> Option<i64> {
    if entry.has("Period") {
        entry.wrong("Period", "Period belongs inside MetricStat");
    }
    let stat = entry.get("MetricStat")?;
    let mut stat = entry.at("MetricStat", stat);
    stat.only(&["Metric", "Period", "Stat", "Unit"]);
    match stat.text("Stat") {
        Some(text) => {
            if let Err(why) = text.parse::<Statistic>() {
                stat.wrong("Stat", why.to_string());
            }
        }
        None if !stat.has("Stat") => stat.wrong("", "Stat is missing"),
        None => {}
    }
    match stat.get("Metric") {
        None => stat.wrong("", "Metric is missing"),
        Some(metric) => {
            let mut metric = stat.at("Metric", metric);
            metric.only(&["Namespace", "MetricName", "Dimensions"]);
            namespace(&mut metric);
            if metric.length("MetricName", 1, limits::NAME).is_none() && !metric.has("MetricName") {
                metric.wrong("", "MetricName is missing");
            }
            dimensions(&mut metric);
        }
    }
    let seconds = stat.whole("Period");
    match seconds {
        Some(seconds) => period(&mut stat, "Period", seconds),
        None if !stat.has("Period") => stat.wrong("", "Period is missing"),
        None => {}
    }
    seconds
}

fn expression(entry: &mut Fields<'_, '_>, ids: &[&str]) -> Option<i64> {
    let text = entry.length("Expression", 1, EXPRESSION)?;
    let usage = match math::read(text) {
        Ok(usage) => usage,
        Err(why) => {
            entry.wrong(
                "Expression",
                format!("the expression cannot be read: {why}"),
            );
            return None;
        }
    };
    for id in usage.ids.iter().filter(|id| !ids.contains(&id.as_str())) {
        let help = crate::diag::did_you_mean(id, ids.iter().copied());
        let help = help.map(|help| format!(": {help}")).unwrap_or_default();
        let message = format!("no entry has the id `{id}`{help}");
        entry.fault(Fault::UndefinedId, "Expression", message);
    }
    for function in &usage.functions {
        if let Some(why) = math::unsupported(function) {
            entry.wrong("Expression", why);
        }
    }
    own_period(entry, &usage)
}

/// An expression that names no other entry needs a period of its own.
fn own_period(entry: &mut Fields<'_, '_>, usage: &Usage) -> Option<i64> {
    let seconds = entry.whole("Period");
    if let Some(seconds) = seconds {
        period(entry, "Period", seconds);
        if usage.select && seconds > INSIGHTS {
            entry.wrong(
                "Period",
                "a Metrics Insights query sees the last three hours only",
            );
        }
    }
    let alone = usage.select || usage.functions.iter().any(|f| f == "INSIGHT_RULE_METRIC");
    if alone && !entry.has("Period") {
        entry.wrong(
            "",
            "Period is missing: the expression has no metric to take it from",
        );
    }
    seconds
}

/// Exactly one entry is watched; with a band, the metric and the band.
fn returned(f: &mut Fields<'_, '_>, entries: &[Value], band: bool) {
    let returns = |entry: &&Value| entry["ReturnData"].as_bool().unwrap_or(true);
    let count = entries.iter().filter(returns).count();
    let wanted = if band { 2 } else { 1 };
    if count != wanted && !entries.is_empty() {
        let what = match band {
            true => "the metric and its band return data",
            false => "exactly one entry returns data",
        };
        let message = format!("{what}; here {count} do (an entry without ReturnData does)");
        f.wrong("Metrics", message);
    }
}
