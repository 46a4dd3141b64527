//! Metric alarms, with a metric, metric math or PromQL.
//!
//! `{"AlarmName": "queue", "MetricName": "Depth", …, "Period": 45}` has one violation, at `/Period`: it is none of
//! 10, 20, 30 and the multiples of 60 seconds.

use serde_json::Value;

use super::dimensions::{dimensions, namespace, period};
use super::fields::Fields;
use super::limits;
use super::metrics;
use super::statistic::{Extended, Statistic};
use super::violation::{Fault, Violation};

const FIELDS: &[&str] = &[
    "AlarmName",
    "AlarmDescription",
    "ActionsEnabled",
    "OKActions",
    "AlarmActions",
    "InsufficientDataActions",
    "MetricName",
    "Namespace",
    "Statistic",
    "ExtendedStatistic",
    "Dimensions",
    "Period",
    "Unit",
    "EvaluationPeriods",
    "DatapointsToAlarm",
    "Threshold",
    "ComparisonOperator",
    "TreatMissingData",
    "EvaluateLowSampleCountPercentile",
    "Metrics",
    "Tags",
    "ThresholdMetricId",
    "EvaluationCriteria",
    "EvaluationInterval",
    "EvaluationWindow",
    "WarmUpConfiguration",
    "ActionConfiguration",
];

const STATIC: [&str; 4] = [
    "GreaterThanOrEqualToThreshold",
    "GreaterThanThreshold",
    "LessThanThreshold",
    "LessThanOrEqualToThreshold",
];

const RANGES: [&str; 3] = [
    "LessThanLowerOrGreaterThanUpperThreshold",
    "LessThanLowerThreshold",
    "GreaterThanUpperThreshold",
];

/// Seconds between two looks at PromQL, and that it may be pending.
const LONGEST_INTERVAL: i64 = 3_600;
const LONGEST_PENDING: i64 = 86_400;

/// Bytes of a request.
const REQUEST: usize = 120 * 1024;

/// Everything wrong with a request of PutMetricAlarm.
pub fn alarm(request: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(request, &mut found);
    f.only(FIELDS);
    common(&mut f);
    let kinds = ["MetricName", "Metrics", "EvaluationCriteria"];
    let given: Vec<_> = kinds.into_iter().filter(|key| f.has(key)).collect();
    match given.as_slice() {
        [] => f.wrong(
            "",
            "one of MetricName, Metrics and EvaluationCriteria is needed",
        ),
        ["MetricName"] => single(&mut f),
        ["Metrics"] => math(&mut f),
        [first, second, ..] => f.wrong(second, format!("{second} cannot be combined with {first}")),
        [_] => promql(&mut f),
    }
    if matches!(given.as_slice(), ["MetricName" | "Metrics"]) {
        evaluation(&mut f);
    }
    let size = request.to_string().len();
    if size > REQUEST {
        f.wrong(
            "",
            format!("the request has {size} bytes; {REQUEST} are allowed"),
        );
    }
    found
}

/// What metric and composite alarms share.
pub(super) fn common(f: &mut Fields<'_, '_>) {
    name(f);
    f.length("AlarmDescription", 0, limits::DESCRIPTION);
    for key in ["OKActions", "AlarmActions", "InsufficientDataActions"] {
        let actions = f.list(key);
        if actions.len() > limits::ACTIONS {
            let most = limits::ACTIONS;
            let message = format!("{key} has {} actions; {most} are allowed", actions.len());
            f.wrong(key, message);
        }
        for (i, action) in actions.iter().enumerate() {
            let length = action.as_str().map_or(0, |text| text.chars().count());
            if !(1..=limits::ACTION).contains(&length) {
                f.wrong(
                    &format!("{key}/{i}"),
                    "an action is an ARN of 1 to 1024 characters",
                );
            }
        }
    }
    tags(f);
}

fn name(f: &mut Fields<'_, '_>) {
    match f.length("AlarmName", 1, limits::NAME) {
        None if !f.has("AlarmName") => f.fault(Fault::Unnamed, "", "AlarmName is missing"),
        Some(name) if name.chars().any(|c| c.is_ascii_control()) => {
            f.wrong("AlarmName", "AlarmName holds a control character");
        }
        _ => {}
    }
}

fn tags(f: &mut Fields<'_, '_>) {
    let tags = f.list("Tags");
    if tags.len() > limits::TAGS {
        let most = limits::TAGS;
        f.wrong("Tags", format!("{} tags; {most} are allowed", tags.len()));
    }
    for (i, tag) in tags.iter().enumerate() {
        let mut tag = f.at(&format!("Tags/{i}"), tag);
        tag.length("Key", 1, limits::TAG_NAME);
        tag.length("Value", 0, limits::TAG_VALUE);
        if !tag.has("Key") {
            tag.wrong("", "Key is missing");
        }
    }
}

/// A single metric.
fn single(f: &mut Fields<'_, '_>) {
    f.length("MetricName", 1, limits::NAME);
    namespace(f);
    dimensions(f);
    let (plain, extended) = (f.has("Statistic"), f.has("ExtendedStatistic"));
    if plain == extended {
        let message = "exactly one of Statistic and ExtendedStatistic is needed";
        f.wrong(if plain { "ExtendedStatistic" } else { "" }, message);
    }
    f.one_of("Statistic", &Statistic::PLAIN);
    if let Some(text) = f.text("ExtendedStatistic")
        && let Err(why) = text.parse::<Extended>()
    {
        f.wrong("ExtendedStatistic", why.to_string());
    }
    if f.has("EvaluateLowSampleCountPercentile") && !extended {
        let message = "EvaluateLowSampleCountPercentile belongs to a percentile";
        f.wrong("EvaluateLowSampleCountPercentile", message);
    }
    f.one_of("EvaluateLowSampleCountPercentile", &["evaluate", "ignore"]);
    match f.whole("Period") {
        Some(seconds) => {
            period(f, "Period", seconds);
            look_back(f, seconds);
        }
        None if !f.has("Period") => f.wrong("", "Period is missing"),
        None => {}
    }
    threshold(f, false);
}

fn math(f: &mut Fields<'_, '_>) {
    f.none_of(
        &[
            "Namespace",
            "Dimensions",
            "Period",
            "Unit",
            "Statistic",
            "ExtendedStatistic",
        ],
        "Metrics",
    );
    let band = f.has("ThresholdMetricId");
    let seconds = metrics::check(f, band);
    if let Some(seconds) = seconds {
        look_back(f, seconds);
    }
    threshold(f, band);
}

/// How the value is compared: with a number, or with a band of usual values.
fn threshold(f: &mut Fields<'_, '_>, band: bool) {
    let both: Vec<&str> = STATIC.into_iter().chain(RANGES).collect();
    let operator = f.one_of("ComparisonOperator", &both);
    if operator.is_none() && !f.has("ComparisonOperator") {
        f.wrong("", "ComparisonOperator is missing");
    }
    let range = operator.is_some_and(|operator| RANGES.contains(&operator));
    match (band, range) {
        (false, true) => f.wrong(
            "ComparisonOperator",
            "a range is compared with ThresholdMetricId",
        ),
        (true, false) if operator.is_some() => {
            f.wrong(
                "ComparisonOperator",
                "ThresholdMetricId is compared as a range",
            );
        }
        _ => {}
    }
    match (band, f.number("Threshold")) {
        (true, Some(_)) => f.wrong(
            "Threshold",
            "Threshold cannot be combined with ThresholdMetricId",
        ),
        (false, None) if !f.has("Threshold") => f.wrong("", "Threshold is missing"),
        _ => {}
    }
}

/// How often it is looked at, and how many points decide.
fn evaluation(f: &mut Fields<'_, '_>) {
    let periods = f.whole("EvaluationPeriods");
    match periods {
        Some(n) if n < 1 => f.wrong("EvaluationPeriods", "EvaluationPeriods is at least 1"),
        None if !f.has("EvaluationPeriods") => f.wrong("", "EvaluationPeriods is missing"),
        _ => {}
    }
    if let (Some(points), Some(periods)) = (f.whole("DatapointsToAlarm"), periods)
        && !(1..=periods).contains(&points)
    {
        let message =
            format!("DatapointsToAlarm {points} is not between 1 and EvaluationPeriods, {periods}");
        f.wrong("DatapointsToAlarm", message);
    }
    f.one_of(
        "TreatMissingData",
        &["breaching", "notBreaching", "ignore", "missing"],
    );
    if f.has("EvaluationInterval") {
        f.wrong(
            "EvaluationInterval",
            "EvaluationInterval belongs to EvaluationCriteria",
        );
    }
}

fn promql(f: &mut Fields<'_, '_>) {
    f.none_of(
        &[
            "Namespace",
            "Dimensions",
            "Period",
            "Unit",
            "Statistic",
            "ExtendedStatistic",
            "Threshold",
            "ComparisonOperator",
            "ThresholdMetricId",
            "EvaluationPeriods",
            "DatapointsToAlarm",
            "TreatMissingData",
            "EvaluateLowSampleCountPercentile",
        ],
        "EvaluationCriteria",
    );
    match f.whole("EvaluationInterval") {
        Some(seconds) if seconds > LONGEST_INTERVAL => {
            f.wrong(
                "EvaluationInterval",
                "EvaluationInterval is at most 3600 seconds",
            );
        }
        Some(seconds) => period(f, "EvaluationInterval", seconds),
        None if !f.has("EvaluationInterval") => f.wrong("", "EvaluationInterval is missing"),
        None => {}
    }
    let Some(criteria) = f.get("EvaluationCriteria") else {
        return;
    };
    let mut criteria = f.at("EvaluationCriteria", criteria);
    criteria.only(&["PromQLCriteria"]);
    let Some(inner) = criteria.get("PromQLCriteria") else {
        criteria.wrong("", "PromQLCriteria is missing");
        return;
    };
    let mut inner = criteria.at("PromQLCriteria", inner);
    inner.only(&["Query", "PendingPeriod", "RecoveryPeriod"]);
    match inner.length("Query", 1, limits::PROMQL) {
        None if !inner.has("Query") => inner.wrong("", "Query is missing"),
        Some(query) => {
            if let Err(error) = crate::promql::parse(query) {
                inner.wrong(
                    "Query",
                    format!("the query is no PromQL: {}", error.message),
                );
            }
        }
        None => {}
    }
    for key in ["PendingPeriod", "RecoveryPeriod"] {
        if inner
            .whole(key)
            .is_some_and(|seconds| !(0..=LONGEST_PENDING).contains(&seconds))
        {
            inner.wrong(key, format!("{key} is between 0 and 86400 seconds"));
        }
    }
}

fn look_back(f: &mut Fields<'_, '_>, seconds: i64) {
    let Some(periods) = f.get("EvaluationPeriods").and_then(Value::as_i64) else {
        return;
    };
    let period = u64::try_from(seconds).unwrap_or_default();
    let limit = limits::longest_look_back(period);
    let total = seconds.saturating_mul(periods);
    if u64::try_from(total).is_ok_and(|total| total > limit) {
        let words = limits::longest_look_back_words(period);
        let message = format!(
            "{periods} periods of {seconds} seconds look back {total} seconds; {limit} are allowed: {words}"
        );
        f.wrong("EvaluationPeriods", message);
    }
}
