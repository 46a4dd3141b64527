//! Arguments of Terraform's resources by the API's names.
//!
//! Source: the schema of the provider of AWS, release 6.66.

/// Arguments of an alarm. Blocks are not among them.
const ALARM: [(&str, &str); 28] = [
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
];

const ENTRY: [(&str, &str); 11] = [
    ("account_id", "AccountId"),
    ("dimensions", "Dimensions"),
    ("expression", "Expression"),
    ("id", "Id"),
    ("label", "Label"),
    ("metric_name", "MetricName"),
    ("namespace", "Namespace"),
    ("period", "Period"),
    ("return_data", "ReturnData"),
    ("stat", "Stat"),
    ("unit", "Unit"),
];

/// What manages a resource, or is only known of one that exists, and is no field of a request; and blocks.
const OTHER: [&str; 18] = [
    "//",
    "actions_suppressor",
    "arn",
    "connection",
    "count",
    "depends_on",
    "dynamic",
    "evaluation_criteria",
    "for_each",
    "id",
    "lifecycle",
    "metric_query",
    "provider",
    "provisioner",
    "region",
    "tags_all",
    "timeouts",
    "warm_up_configuration",
];

pub(super) enum Argument {
    Field(&'static str),
    Other,
    /// Nothing: the provider refuses it. With the names that it may be mistaken for.
    Unknown(Vec<&'static str>),
}

pub(super) fn of_alarm(argument: &str) -> Argument {
    find(&ALARM, &OTHER, argument)
}

pub(super) fn of_entry(argument: &str) -> Argument {
    find(&ENTRY, &["dynamic", "//", "metric"], argument)
}

fn find(fields: &[(&'static str, &'static str)], others: &[&str], argument: &str) -> Argument {
    if others.contains(&argument) {
        return Argument::Other;
    }
    match fields.iter().find(|(theirs, _)| *theirs == argument) {
        Some((_, field)) => Argument::Field(field),
        None => Argument::Unknown(fields.iter().map(|(theirs, _)| *theirs).collect()),
    }
}
