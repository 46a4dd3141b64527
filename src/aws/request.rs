//! Fields of a request as the types of the SDK.
//!
//! `{"AlarmName": "a", "Period": 60}` fills `alarm_name` and `period` of a `PutMetricAlarmInput`.

use aws_sdk_cloudwatch::operation::put_alarm_mute_rule::builders::PutAlarmMuteRuleFluentBuilder;
use aws_sdk_cloudwatch::operation::put_composite_alarm::builders::PutCompositeAlarmFluentBuilder;
use aws_sdk_cloudwatch::operation::put_metric_alarm::builders::PutMetricAlarmFluentBuilder;
use aws_sdk_cloudwatch::types::{
    AlarmPromQlCriteria, Dimension, EvaluationCriteria, Metric, MetricDataQuery, MetricStat,
    MuteTargets, Rule, Schedule, Tag,
};
use serde_json::Value;

use super::object::Tags;

/// The tags of a request; none where there are none.
pub(super) fn tags(tags: &Tags) -> Option<Vec<Tag>> {
    let all = tags
        .iter()
        .map(|(key, value)| Tag::builder().key(key).value(value).build());
    (!tags.is_empty()).then(|| all.collect())
}

pub(super) fn metric_alarm(
    put: PutMetricAlarmFluentBuilder,
    fields: &Value,
) -> PutMetricAlarmFluentBuilder {
    let f = Fields(fields);
    put.set_alarm_name(f.text("AlarmName"))
        .set_alarm_description(f.text("AlarmDescription"))
        .set_actions_enabled(f.boolean("ActionsEnabled"))
        .set_ok_actions(f.texts("OKActions"))
        .set_alarm_actions(f.texts("AlarmActions"))
        .set_insufficient_data_actions(f.texts("InsufficientDataActions"))
        .set_namespace(f.text("Namespace"))
        .set_metric_name(f.text("MetricName"))
        .set_dimensions(f.dimensions())
        .set_statistic(f.text("Statistic").map(|s| s.as_str().into()))
        .set_extended_statistic(f.text("ExtendedStatistic"))
        .set_period(f.whole("Period"))
        .set_unit(f.text("Unit").map(|s| s.as_str().into()))
        .set_evaluation_periods(f.whole("EvaluationPeriods"))
        .set_datapoints_to_alarm(f.whole("DatapointsToAlarm"))
        .set_threshold(f.0["Threshold"].as_f64())
        .set_comparison_operator(f.text("ComparisonOperator").map(|s| s.as_str().into()))
        .set_treat_missing_data(f.text("TreatMissingData"))
        .set_evaluate_low_sample_count_percentile(f.text("EvaluateLowSampleCountPercentile"))
        .set_metrics(f.list("Metrics", query))
        .set_threshold_metric_id(f.text("ThresholdMetricId"))
        .set_evaluation_criteria(f.part("EvaluationCriteria").map(criteria))
        .set_evaluation_interval(f.whole("EvaluationInterval"))
}

pub(super) fn composite_alarm(
    put: PutCompositeAlarmFluentBuilder,
    fields: &Value,
) -> PutCompositeAlarmFluentBuilder {
    let f = Fields(fields);
    put.set_alarm_name(f.text("AlarmName"))
        .set_alarm_description(f.text("AlarmDescription"))
        .set_actions_enabled(f.boolean("ActionsEnabled"))
        .set_ok_actions(f.texts("OKActions"))
        .set_alarm_actions(f.texts("AlarmActions"))
        .set_insufficient_data_actions(f.texts("InsufficientDataActions"))
        .set_alarm_rule(f.text("AlarmRule"))
        .set_actions_suppressor(f.text("ActionsSuppressor"))
        .set_actions_suppressor_wait_period(f.whole("ActionsSuppressorWaitPeriod"))
        .set_actions_suppressor_extension_period(f.whole("ActionsSuppressorExtensionPeriod"))
}

pub(super) fn mute_rule(
    put: PutAlarmMuteRuleFluentBuilder,
    fields: &Value,
) -> PutAlarmMuteRuleFluentBuilder {
    let f = Fields(fields);
    let schedule = Fields(&fields["Rule"]["Schedule"]);
    let schedule = Schedule::builder()
        .set_expression(schedule.text("Expression"))
        .set_duration(schedule.text("Duration"))
        .set_timezone(schedule.text("Timezone"));
    let targets = Fields(&fields["MuteTargets"]).texts("AlarmNames");
    let targets = targets.map(|names| MuteTargets::builder().set_alarm_names(Some(names)).build());
    put.set_name(f.text("Name"))
        .set_description(f.text("Description"))
        .rule(Rule::builder().schedule(schedule.build()).build())
        .set_mute_targets(targets)
}

fn query(entry: &Value) -> MetricDataQuery {
    let f = Fields(entry);
    MetricDataQuery::builder()
        .set_id(f.text("Id"))
        .set_expression(f.text("Expression"))
        .set_label(f.text("Label"))
        .set_return_data(f.boolean("ReturnData"))
        .set_period(f.whole("Period"))
        .set_account_id(f.text("AccountId"))
        .set_metric_stat(f.part("MetricStat").map(stat))
        .build()
}

fn stat(stat: &Value) -> MetricStat {
    let f = Fields(stat);
    let metric = Fields(&stat["Metric"]);
    let metric = Metric::builder()
        .set_namespace(metric.text("Namespace"))
        .set_metric_name(metric.text("MetricName"))
        .set_dimensions(metric.dimensions());
    MetricStat::builder()
        .metric(metric.build())
        .set_period(f.whole("Period"))
        .set_stat(f.text("Stat"))
        .set_unit(f.text("Unit").map(|s| s.as_str().into()))
        .build()
}

fn criteria(criteria: &Value) -> EvaluationCriteria {
    let f = Fields(&criteria["PromQLCriteria"]);
    let promql = AlarmPromQlCriteria::builder()
        .set_query(f.text("Query"))
        .set_pending_period(f.whole("PendingPeriod"))
        .set_recovery_period(f.whole("RecoveryPeriod"));
    EvaluationCriteria::PromQlCriteria(promql.build())
}

/// Fields by name; a field that is missing is none of any type.
struct Fields<'v>(&'v Value);

impl<'v> Fields<'v> {
    fn part(&self, key: &str) -> Option<&'v Value> {
        self.0.get(key)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0[key].as_str().map(str::to_owned)
    }

    fn boolean(&self, key: &str) -> Option<bool> {
        self.0[key].as_bool()
    }

    fn whole(&self, key: &str) -> Option<i32> {
        self.0[key].as_i64().and_then(|n| n.try_into().ok())
    }

    fn list<T>(&self, key: &str, of: fn(&Value) -> T) -> Option<Vec<T>> {
        let list = self.0[key].as_array()?;
        Some(list.iter().map(of).collect())
    }

    fn texts(&self, key: &str) -> Option<Vec<String>> {
        self.list(key, |text| text.as_str().unwrap_or_default().to_owned())
    }

    fn dimensions(&self) -> Option<Vec<Dimension>> {
        self.list("Dimensions", |pair| {
            let pair = Fields(pair);
            Dimension::builder()
                .set_name(pair.text("Name"))
                .set_value(pair.text("Value"))
                .build()
        })
    }
}
