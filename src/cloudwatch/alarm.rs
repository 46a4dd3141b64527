//! Metric alarms, with a metric, metric math or PromQL.

use serde_json::Value;

use super::Violation;
use super::fields::Fields;
use super::metrics;
use super::statistic;

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

/// Seconds that an alarm may look back: a day, and a week when its period is an hour or more.
const DAY: i64 = 86_400;
const WEEK: i64 = 604_800;
const HOUR: i64 = 3_600;

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
        [first, second, ..] => f.wrong(second, format!("{second} cannot stand beside {first}")),
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
    f.length("AlarmDescription", 0, 1024);
    for key in ["OKActions", "AlarmActions", "InsufficientDataActions"] {
        let actions = f.list(key);
        if actions.len() > 5 {
            let message = format!("{key} has {} actions; 5 are allowed", actions.len());
            f.wrong(key, message);
        }
        for (i, action) in actions.iter().enumerate() {
            let length = action.as_str().map_or(0, |text| text.chars().count());
            if !(1..=1024).contains(&length) {
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
    match f.length("AlarmName", 1, 255) {
        None if !f.has("AlarmName") => f.wrong("", "AlarmName is missing"),
        Some(name) if name.chars().any(|c| c.is_ascii_control()) => {
            f.wrong("AlarmName", "AlarmName holds a control character");
        }
        _ => {}
    }
}

fn tags(f: &mut Fields<'_, '_>) {
    let tags = f.list("Tags");
    if tags.len() > 50 {
        f.wrong("Tags", format!("{} tags; 50 are allowed", tags.len()));
    }
    for (i, tag) in tags.iter().enumerate() {
        let mut tag = f.at(&format!("Tags/{i}"), tag);
        tag.length("Key", 1, 128);
        tag.length("Value", 0, 256);
        if !tag.has("Key") {
            tag.wrong("", "Key is missing");
        }
    }
}

/// A single metric.
fn single(f: &mut Fields<'_, '_>) {
    f.length("MetricName", 1, 255);
    namespace(f);
    dimensions(f);
    let (plain, extended) = (f.has("Statistic"), f.has("ExtendedStatistic"));
    if plain == extended {
        let message = "exactly one of Statistic and ExtendedStatistic is needed";
        f.wrong(if plain { "ExtendedStatistic" } else { "" }, message);
    }
    f.one_of("Statistic", &statistic::PLAIN);
    if let Some(text) = f.text("ExtendedStatistic")
        && let Err(why) = statistic::extended(text)
    {
        f.wrong("ExtendedStatistic", why);
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

fn namespace(f: &mut Fields<'_, '_>) {
    match f.length("Namespace", 1, 255) {
        None if !f.has("Namespace") => f.wrong("", "Namespace is missing"),
        Some(text) if text.starts_with(':') => {
            f.wrong("Namespace", "Namespace begins with a colon");
        }
        _ => {}
    }
}

/// Names and values that tell series of one metric apart.
pub(super) fn dimensions(f: &mut Fields<'_, '_>) {
    let all = f.list("Dimensions");
    if all.len() > 30 {
        let message = format!("{} dimensions; 30 are allowed", all.len());
        f.wrong("Dimensions", message);
    }
    for (i, dimension) in all.iter().enumerate() {
        let mut d = f.at(&format!("Dimensions/{i}"), dimension);
        let ascii = |text: &str| text.is_ascii() && !text.trim().is_empty();
        match d.length("Name", 1, 255) {
            Some(name) if name.starts_with(':') || !ascii(name) => {
                d.wrong(
                    "Name",
                    "a dimension's name is ASCII and does not begin with a colon",
                );
            }
            None if !d.has("Name") => d.wrong("", "Name is missing"),
            _ => {}
        }
        match d.length("Value", 1, 1024) {
            Some(value) if !ascii(value) => {
                d.wrong("Value", "a dimension's value is ASCII and not blank");
            }
            None if !d.has("Value") => d.wrong("", "Value is missing"),
            _ => {}
        }
    }
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
            "Threshold cannot stand beside ThresholdMetricId",
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
        Some(seconds) if seconds > HOUR => {
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
    match inner.length("Query", 1, 10_000) {
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
            .is_some_and(|seconds| !(0..=DAY).contains(&seconds))
        {
            inner.wrong(key, format!("{key} is between 0 and 86400 seconds"));
        }
    }
}

/// A period that CloudWatch keeps points for.
pub(super) fn period(f: &mut Fields<'_, '_>, key: &str, seconds: i64) {
    let short = [10, 20, 30].contains(&seconds);
    if !short && (seconds < 60 || seconds % 60 != 0) {
        let message =
            format!("{key} {seconds} is none of 10, 20, 30 and the multiples of 60 seconds");
        f.wrong(key, message);
    }
}

fn look_back(f: &mut Fields<'_, '_>, seconds: i64) {
    let Some(periods) = f.get("EvaluationPeriods").and_then(Value::as_i64) else {
        return;
    };
    let (limit, words) = match seconds < HOUR {
        true => (DAY, "a day, with periods below an hour"),
        false => (WEEK, "a week"),
    };
    if seconds.saturating_mul(periods) > limit {
        let total = seconds.saturating_mul(periods);
        let message = format!(
            "{periods} periods of {seconds} seconds look back {total} seconds; {limit} are allowed: {words}"
        );
        f.wrong("EvaluationPeriods", message);
    }
}
