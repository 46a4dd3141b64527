//! What CloudWatch answers, as the request that would make the same.
//!
//! A `MetricAlarm` with a threshold becomes `{"AlarmName": …, "Threshold": 80}`. Its state and its times are left out; fields that no
//! spec sets are kept, so that a plan shows when they were set outside slosmith.

use aws_sdk_cloudwatch::operation::get_alarm_mute_rule::GetAlarmMuteRuleOutput;
use aws_sdk_cloudwatch::primitives::DateTime;
use aws_sdk_cloudwatch::types::{
    ActionConfiguration, CompositeAlarm, Dimension, EvaluationCriteria, EvaluationWindow,
    MetricAlarm, MetricDataQuery, MetricStat, WarmUpConfiguration,
};
use serde_json::{Map, Value, json};

/// Fields of a request; what is not there is left out.
#[derive(Default)]
struct Request(Map<String, Value>);

impl Request {
    fn put(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value.into());
        }
    }

    fn list<T>(&mut self, key: &str, list: &[T], of: impl Fn(&T) -> Value) {
        if !list.is_empty() {
            self.put(key, Some(list.iter().map(of).collect::<Vec<_>>()));
        }
    }

    fn texts(&mut self, key: &str, list: &[String]) {
        self.list(key, list, |text| json!(text));
    }
}

pub(super) fn metric_alarm(alarm: &MetricAlarm) -> Value {
    let mut r = Request::default();
    r.put("AlarmName", alarm.alarm_name());
    r.put("AlarmDescription", alarm.alarm_description());
    r.put("ActionsEnabled", alarm.actions_enabled());
    r.texts("OKActions", alarm.ok_actions());
    r.texts("AlarmActions", alarm.alarm_actions());
    r.texts("InsufficientDataActions", alarm.insufficient_data_actions());
    r.put("Namespace", alarm.namespace());
    r.put("MetricName", alarm.metric_name());
    r.list("Dimensions", alarm.dimensions(), dimension);
    r.put("Statistic", alarm.statistic().map(|s| s.as_str()));
    r.put("ExtendedStatistic", alarm.extended_statistic());
    r.put("Period", alarm.period());
    r.put("Unit", alarm.unit().map(|s| s.as_str()));
    r.put("EvaluationPeriods", alarm.evaluation_periods());
    r.put("DatapointsToAlarm", alarm.datapoints_to_alarm());
    r.put("Threshold", alarm.threshold());
    r.put(
        "ComparisonOperator",
        alarm.comparison_operator().map(|s| s.as_str()),
    );
    r.put("TreatMissingData", alarm.treat_missing_data());
    r.put(
        "EvaluateLowSampleCountPercentile",
        alarm.evaluate_low_sample_count_percentile(),
    );
    r.list("Metrics", alarm.metrics(), query);
    r.put("ThresholdMetricId", alarm.threshold_metric_id());
    r.put(
        "EvaluationCriteria",
        alarm.evaluation_criteria().map(criteria),
    );
    r.put("EvaluationInterval", alarm.evaluation_interval());
    r.put("EvaluationWindow", alarm.evaluation_window().map(window));
    r.put(
        "WarmUpConfiguration",
        alarm.warm_up_configuration().map(warm_up),
    );
    r.put(
        "ActionConfiguration",
        alarm.action_configuration().map(action_configuration),
    );
    Value::Object(r.0)
}

pub(super) fn composite_alarm(alarm: &CompositeAlarm) -> Value {
    let mut r = Request::default();
    r.put("AlarmName", alarm.alarm_name());
    r.put("AlarmDescription", alarm.alarm_description());
    r.put("ActionsEnabled", alarm.actions_enabled());
    r.texts("OKActions", alarm.ok_actions());
    r.texts("AlarmActions", alarm.alarm_actions());
    r.texts("InsufficientDataActions", alarm.insufficient_data_actions());
    r.put("AlarmRule", alarm.alarm_rule());
    if let Some(suppressor) = alarm.actions_suppressor().filter(|name| !name.is_empty()) {
        r.put("ActionsSuppressor", Some(suppressor));
        r.put(
            "ActionsSuppressorWaitPeriod",
            alarm.actions_suppressor_wait_period(),
        );
        r.put(
            "ActionsSuppressorExtensionPeriod",
            alarm.actions_suppressor_extension_period(),
        );
    }
    r.put(
        "ActionConfiguration",
        alarm.action_configuration().map(action_configuration),
    );
    Value::Object(r.0)
}

pub(super) fn mute_rule(mute: &GetAlarmMuteRuleOutput) -> Value {
    let mut r = Request::default();
    r.put("Name", mute.name());
    r.put("Description", mute.description());
    if let Some(schedule) = mute.rule().and_then(|rule| rule.schedule()) {
        let mut s = Request::default();
        s.put("Expression", schedule.expression());
        s.put("Duration", schedule.duration());
        s.put("Timezone", schedule.timezone());
        r.put("Rule", Some(json!({"Schedule": s.0})));
    }
    if let Some(targets) = mute.mute_targets() {
        let mut t = Request::default();
        t.texts("AlarmNames", targets.alarm_names());
        r.put("MuteTargets", Some(t.0));
    }
    r.put("StartDate", mute.start_date().map(DateTime::to_string));
    r.put("ExpireDate", mute.expire_date().map(DateTime::to_string));
    Value::Object(r.0)
}

fn dimension(dimension: &Dimension) -> Value {
    json!({"Name": dimension.name(), "Value": dimension.value()})
}

fn query(query: &MetricDataQuery) -> Value {
    let mut r = Request::default();
    r.put("Id", query.id());
    r.put("Expression", query.expression());
    r.put("Label", query.label());
    r.put("ReturnData", query.return_data());
    r.put("Period", query.period());
    r.put("AccountId", query.account_id());
    r.put("MetricStat", query.metric_stat().map(stat));
    Value::Object(r.0)
}

fn stat(stat: &MetricStat) -> Value {
    let mut r = Request::default();
    if let Some(metric) = stat.metric() {
        let mut m = Request::default();
        m.put("Namespace", metric.namespace());
        m.put("MetricName", metric.metric_name());
        m.list("Dimensions", metric.dimensions(), dimension);
        r.put("Metric", Some(m.0));
    }
    r.put("Period", stat.period());
    r.put("Stat", stat.stat());
    r.put("Unit", stat.unit().map(|s| s.as_str()));
    Value::Object(r.0)
}

fn criteria(criteria: &EvaluationCriteria) -> Value {
    let Ok(promql) = criteria.as_prom_ql_criteria() else {
        return json!({});
    };
    let mut r = Request::default();
    r.put("Query", promql.query());
    r.put("PendingPeriod", promql.pending_period());
    r.put("RecoveryPeriod", promql.recovery_period());
    json!({"PromQLCriteria": r.0})
}

fn window(window: &EvaluationWindow) -> Value {
    match window.as_wall_clock_window() {
        Ok(clock) => {
            let mut r = Request::default();
            r.put("Timezone", clock.timezone());
            json!({"WallClockWindow": r.0})
        }
        Err(_) => json!({"SlidingWindow": {}}),
    }
}

fn warm_up(warm_up: &WarmUpConfiguration) -> Value {
    let mut r = Request::default();
    r.put(
        "WarmUpPeriodDurationInMinutes",
        warm_up.warm_up_period_duration_in_minutes(),
    );
    r.put(
        "OnlyStartEvaluatingAfterWarmUpPeriodEnds",
        warm_up.only_start_evaluating_after_warm_up_period_ends(),
    );
    Value::Object(r.0)
}

fn action_configuration(configuration: &ActionConfiguration) -> Value {
    let mut r = Request::default();
    if let Some(tags) = configuration.alarm_tags_propagation() {
        let mut t = Request::default();
        t.put("Enabled", tags.enabled());
        t.texts("IncludedTagKeys", tags.included_tag_keys());
        t.texts("ExcludedTagKeys", tags.excluded_tag_keys());
        r.put("AlarmTagsPropagation", Some(t.0));
    }
    Value::Object(r.0)
}
