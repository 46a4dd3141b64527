//! Metric alarms, with a metric, metric math or PromQL.
//!
//! `{"AlarmName": "queue", "MetricName": "Depth", …, "Period": 45}` has one violation, at `/Period`: it is none of
//! 10, 20, 30 and the multiples of 60 seconds.

use serde_json::Value;

use super::actions::{self, Sort};
use super::dimensions::{UNITS, dimensions, namespace, period};
use super::fields::{Fields, Form};
use super::statistic::{Extended, Statistic};
use super::violation::Violation;
use super::{limits, metrics, settings, tags};
use slosmith_promql::visit::longest_range;
use slosmith_promql::{ValueType, known_type};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Metric,
    Math,
    PromQl,
    /// More than one may be there when the file is applied.
    Unsure,
}

pub fn alarm(request: &Value, form: Form) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(request, form, &mut found);
    f.only(FIELDS);
    let kind = kind(&mut f);
    let sort = sort(&f, kind);
    common(&mut f, sort);
    match kind {
        Some(Kind::Metric) => single(&mut f),
        Some(Kind::Math) => math(&mut f),
        Some(Kind::PromQl) => promql(&mut f),
        Some(Kind::Unsure) | None => {}
    }
    if matches!(kind, Some(Kind::Metric | Kind::Math)) {
        evaluation(&mut f);
    }
    if kind != Some(Kind::PromQl) {
        values(&mut f);
    }
    settings::warm_up(&mut f);
    // Printing a value cannot fail.
    let size = serde_json::to_string(request).unwrap_or_default().len();
    if size > REQUEST {
        f.wrong(
            "",
            format!("the request has {size} bytes; at most {REQUEST} are allowed"),
        );
    }
    found
}

/// What the alarm watches; nothing when it says so twice, or not at all.
fn kind(f: &mut Fields<'_, '_>) -> Option<Kind> {
    let all = [
        ("MetricName", Kind::Metric),
        ("Metrics", Kind::Math),
        ("EvaluationCriteria", Kind::PromQl),
    ];
    let given: Vec<_> = all.into_iter().filter(|(key, _)| f.has(key)).collect();
    let sure = all.iter().all(|(key, _)| f.has(key) || f.lacks(key));
    match given.as_slice() {
        [] if sure => {
            f.wrong(
                "",
                "one of `MetricName`, `Metrics` and `EvaluationCriteria` is required",
            );
            None
        }
        [(_, kind)] if sure => Some(*kind),
        [] | [_] => Some(Kind::Unsure),
        [(first, _), (second, _), ..] => {
            f.wrong(second, format!("{second} cannot be combined with {first}"));
            None
        }
    }
}

fn sort(f: &Fields<'_, '_>, kind: Option<Kind>) -> Sort {
    match kind {
        Some(Kind::Math) if f.has("ThresholdMetricId") => Sort::Band,
        Some(Kind::Math) => Sort::Math,
        _ => Sort::Metric,
    }
}

pub(super) fn common(f: &mut Fields<'_, '_>, sort: Sort) {
    name(f);
    f.length("AlarmDescription", 0, limits::DESCRIPTION);
    actions::check(f, sort);
    let missing = ["breaching", "notBreaching", "ignore", "missing"];
    f.one_of("TreatMissingData", &missing);
    settings::notifications(f);
    tags::check(f);
}

fn name(f: &mut Fields<'_, '_>) {
    if f.lacks("AlarmName") && f.form != Form::Formation {
        f.wrong("", "`AlarmName` is missing");
    }
    let name = f.length("AlarmName", 1, limits::NAME);
    if name.is_some_and(|name| name.chars().any(|c| c.is_ascii_control())) {
        f.wrong(
            "AlarmName",
            "`AlarmName` must not contain control characters",
        );
    }
}

fn values(f: &mut Fields<'_, '_>) {
    f.one_of("Statistic", &Statistic::PLAIN);
    if let Some(text) = f.text("ExtendedStatistic")
        && let Err(why) = text.parse::<Extended>()
        && !(f.has("Statistic") && f.has("ExtendedStatistic"))
    {
        f.wrong("ExtendedStatistic", why.to_string());
    }
    f.one_of("EvaluateLowSampleCountPercentile", &["evaluate", "ignore"]);
    f.one_of("Unit", UNITS);
    period(f, "Period");
    let operators: Vec<&str> = STATIC.into_iter().chain(RANGES).collect();
    f.one_of("ComparisonOperator", &operators);
    f.number("Threshold");
    if f.whole("EvaluationPeriods")
        .is_some_and(|periods| periods < 1)
    {
        f.wrong(
            "EvaluationPeriods",
            "`EvaluationPeriods` must be at least 1",
        );
    }
    points(f);
}

/// How many points of those looked at decide.
fn points(f: &mut Fields<'_, '_>) {
    let Some(points) = f.whole("DatapointsToAlarm") else {
        return;
    };
    let periods = f.as_whole("EvaluationPeriods");
    if !(1..=periods.unwrap_or(i64::MAX)).contains(&points) {
        let of = periods.map(|n| format!(", {n}")).unwrap_or_default();
        let message =
            format!("`DatapointsToAlarm` {points} is not between 1 and `EvaluationPeriods`{of}");
        f.wrong("DatapointsToAlarm", message);
    }
}

fn single(f: &mut Fields<'_, '_>) {
    f.length("MetricName", 1, limits::NAME);
    namespace(f);
    dimensions(f);
    let message = "exactly one of `Statistic` and `ExtendedStatistic` is required";
    if f.has("Statistic") && f.has("ExtendedStatistic") {
        f.wrong("ExtendedStatistic", message);
    } else if f.lacks("Statistic") && f.lacks("ExtendedStatistic") {
        f.wrong("", message);
    }
    f.required("Period");
    let period = f.as_whole("Period");
    look_back(f, period);
    settings::window(f, period.as_slice());
    threshold(f);
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
    let periods = metrics::check(f);
    look_back(f, periods.first().copied());
    settings::window(f, &periods);
    threshold(f);
}

fn threshold(f: &mut Fields<'_, '_>) {
    f.required("ComparisonOperator");
    let range = f.get("ComparisonOperator").and_then(Value::as_str);
    let range = range.map(|operator| (RANGES.contains(&operator), STATIC.contains(&operator)));
    if f.lacks("ThresholdMetricId") && range == Some((true, false)) {
        f.wrong(
            "ComparisonOperator",
            "this operator needs `ThresholdMetricId`",
        );
    }
    if f.has("ThresholdMetricId") && range == Some((false, true)) {
        f.wrong(
            "ComparisonOperator",
            "`ThresholdMetricId` needs an operator for anomaly detection bands",
        );
    }
    if f.has("ThresholdMetricId") {
        f.none_of(&["Threshold"], "ThresholdMetricId");
    } else if f.lacks("ThresholdMetricId") {
        f.required("Threshold");
    }
}

fn evaluation(f: &mut Fields<'_, '_>) {
    f.required("EvaluationPeriods");
    if f.has("EvaluationInterval") {
        f.wrong(
            "EvaluationInterval",
            "`EvaluationInterval` needs `EvaluationCriteria`",
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
            "EvaluationWindow",
        ],
        "EvaluationCriteria",
    );
    f.required("EvaluationInterval");
    if f.as_whole("EvaluationInterval")
        .is_some_and(|seconds| seconds > LONGEST_INTERVAL)
    {
        let message = "`EvaluationInterval` must be at most 3600 seconds";
        f.wrong("EvaluationInterval", message);
    } else {
        period(f, "EvaluationInterval");
    }
    let Some(mut criteria) = f.object("EvaluationCriteria") else {
        return;
    };
    criteria.only(&["PromQLCriteria"]);
    criteria.required("PromQLCriteria");
    let Some(mut inner) = criteria.object("PromQLCriteria") else {
        return;
    };
    inner.only(&["Query", "PendingPeriod", "RecoveryPeriod"]);
    inner.required("Query");
    if let Some(query) = inner
        .length("Query", 1, limits::PROMQL)
        .filter(|q| !q.is_empty())
        && let Err(why) = vector(query)
    {
        inner.wrong("Query", why);
    }
    for key in ["PendingPeriod", "RecoveryPeriod"] {
        let seconds = inner.whole(key);
        if seconds.is_some_and(|seconds| !(0..=LONGEST_PENDING).contains(&seconds)) {
            inner.wrong(key, format!("`{key}` must be between 0 and 86400 seconds"));
        }
    }
}

fn vector(query: &str) -> Result<(), String> {
    let expr = match slosmith_promql::parse(query) {
        Ok(expr) => expr,
        Err(error) => return Err(format!("the query is not valid PromQL: {}", error.message)),
    };
    let longest = longest_range(&expr) / 1_000;
    if longest > limits::PROMQL_RANGE {
        let most = limits::PROMQL_RANGE;
        return Err(format!(
            "the query has a range of {longest} s; CloudWatch allows at most {most} s: 24 hours"
        ));
    }
    match known_type(&expr) {
        Some(ValueType::Vector) | None => Ok(()),
        Some(other) => Err(format!(
            "the query returns a {other}; an alarm needs an instant vector, with one contributor per series"
        )),
    }
}

fn look_back(f: &mut Fields<'_, '_>, period: Option<i64>) {
    let (Some(seconds), Some(periods)) = (period, f.as_whole("EvaluationPeriods")) else {
        return;
    };
    let period = u64::try_from(seconds).unwrap_or_default();
    let limit = limits::longest_look_back(period);
    let total = seconds.saturating_mul(periods);
    if u64::try_from(total).is_ok_and(|total| total > limit) {
        let words = limits::longest_look_back_words(period);
        let message = format!(
            "`Period` × `EvaluationPeriods` is {total} s; CloudWatch allows at most {limit} s: {words}"
        );
        f.wrong("EvaluationPeriods", message);
    }
}
