//! Arguments of Terraform's resources by the API's names.
//!
//! Source: the schema of the provider of AWS, release 6.66.

/// Arguments of an alarm. Blocks are not among them.
const ALARM: [(&str, &str); 29] = [
    ("actions_enabled", "ActionsEnabled"),
    ("alarm_actions", "AlarmActions"),
    ("alarm_description", "AlarmDescription"),
    ("alarm_name", "AlarmName"),
    ("alarm_rule", "AlarmRule"),
    ("comparison_operator", "ComparisonOperator"),
    ("datapoints_to_alarm", "DatapointsToAlarm"),
    ("dimensions", "Dimensions"),
    (
        "evaluate_low_sample_count_percentiles",
        "EvaluateLowSampleCountPercentile",
    ),
    ("evaluation_interval", "EvaluationInterval"),
    ("evaluation_periods", "EvaluationPeriods"),
    ("extended_statistic", "ExtendedStatistic"),
    ("insufficient_data_actions", "InsufficientDataActions"),
    ("metric_name", "MetricName"),
    ("namespace", "Namespace"),
    ("ok_actions", "OKActions"),
    ("pending_period", "PendingPeriod"),
    ("period", "Period"),
    ("query", "Query"),
    ("recovery_period", "RecoveryPeriod"),
    ("statistic", "Statistic"),
    ("tags", "Tags"),
    ("threshold", "Threshold"),
    ("threshold_metric_id", "ThresholdMetricId"),
    ("treat_missing_data", "TreatMissingData"),
    ("unit", "Unit"),
    (
        "warm_up_period_duration_in_minutes",
        "WarmUpPeriodDurationInMinutes",
    ),
    (
        "only_start_evaluating_after_warm_up_period_ends",
        "OnlyStartEvaluatingAfterWarmUpPeriodEnds",
    ),
    ("warm_up_configuration", "WarmUpConfiguration"),
];

/// Arguments of an entry of metric math, and of its metric.
const ENTRY: [(&str, &str); 12] = [
    ("account_id", "AccountId"),
    ("dimensions", "Dimensions"),
    ("expression", "Expression"),
    ("id", "Id"),
    ("label", "Label"),
    ("metric", "MetricStat"),
    ("metric_name", "MetricName"),
    ("namespace", "Namespace"),
    ("period", "Period"),
    ("return_data", "ReturnData"),
    ("stat", "Stat"),
    ("unit", "Unit"),
];

/// What manages a resource, or is only known of one that exists, and is no field of a request.
const OTHER: [&str; 15] = [
    "//",
    "arn",
    "connection",
    "count",
    "depends_on",
    "dynamic",
    "for_each",
    "id",
    "lifecycle",
    "metric_query",
    "provider",
    "provisioner",
    "region",
    "tags_all",
    "timeouts",
];

/// The field of an argument of an alarm; an argument that there is not keeps its name.
pub(super) fn of_alarm(argument: &str) -> Option<&str> {
    match OTHER.contains(&argument) {
        true => None,
        false => Some(renamed(&ALARM, argument)),
    }
}

/// The same of an entry of metric math.
pub(super) fn of_entry(argument: &str) -> Option<&str> {
    match argument {
        "dynamic" | "//" => None,
        argument => Some(renamed(&ENTRY, argument)),
    }
}

fn renamed<'a>(table: &[(&str, &'static str)], argument: &'a str) -> &'a str {
    let found = table.iter().find(|(theirs, _)| *theirs == argument);
    found.map_or(argument, |(_, ours)| ours)
}
