//! The fields of the API: how a request of the SDK takes each, and how an answer of CloudWatch says it.
//!
//! `{"AlarmName": "a", "Period": 60}` fills `alarm_name` and `period` of a `PutMetricAlarmInput`; a `MetricAlarm` becomes the same JSON
//! again. The state of an alarm and its times are left out; fields that no spec sets are kept, so that a plan shows when they
//! were set outside slosmith.

use aws_sdk_cloudwatch::operation::get_alarm_mute_rule::GetAlarmMuteRuleOutput;
use aws_sdk_cloudwatch::operation::put_alarm_mute_rule::builders::PutAlarmMuteRuleFluentBuilder;
use aws_sdk_cloudwatch::operation::put_composite_alarm::builders::PutCompositeAlarmFluentBuilder;
use aws_sdk_cloudwatch::operation::put_metric_alarm::builders::PutMetricAlarmFluentBuilder;
use aws_sdk_cloudwatch::primitives::DateTime;
use aws_sdk_cloudwatch::types::{
    ActionConfiguration, AlarmPromQlCriteria, AlarmTagsPropagation, ComparisonOperator,
    CompositeAlarm, Dimension, EvaluationCriteria, EvaluationWindow, Metric, MetricAlarm,
    MetricDataQuery, MetricStat, MuteTargets, Rule, Schedule, StandardUnit, Statistic, Tag,
    WallClockWindow, WarmUpConfiguration,
};
use serde_json::{Map, Value, json};

use super::object::Tags;

/// The tags of a request; none where there are none.
pub(super) fn tags(tags: &Tags) -> Option<Vec<Tag>> {
    let all = tags
        .iter()
        .map(|(key, value)| Tag::builder().key(key).value(value).build());
    (!tags.is_empty()).then(|| all.collect())
}

/// What a field of a request has.
trait Set: Sized {
    fn of(value: &Value) -> Option<Self>;
}

/// What a field of an answer says.
trait Said {
    fn said(&self) -> Value;
}

/// What the getter of a field gives; nothing is left out of the JSON.
trait Got {
    fn got(self) -> Option<Value>;
}

impl<T: Said + ?Sized> Got for Option<&T> {
    fn got(self) -> Option<Value> {
        self.map(Said::said).filter(|value| !value.is_null())
    }
}

impl<T: Said> Got for &[T] {
    fn got(self) -> Option<Value> {
        (!self.is_empty()).then(|| self.iter().map(Said::said).collect())
    }
}

/// Types that JSON has, by the method that reads one, and words of the SDK.
macro_rules! values {
    ($($type:ty, $read:ident, $into:expr;)*) => {$(
        impl Set for $type {
            fn of(value: &Value) -> Option<Self> {
                value.$read().and_then($into)
            }
        }

        impl Got for Option<$type> {
            fn got(self) -> Option<Value> {
                self.map(Value::from)
            }
        }
    )*};
    (words $($type:ty)*) => {$(
        impl Set for $type {
            fn of(value: &Value) -> Option<Self> {
                value.as_str().map(Self::from)
            }
        }

        impl Said for $type {
            fn said(&self) -> Value {
                json!(self.as_str())
            }
        }
    )*};
}

values! {
    bool, as_bool, Some;
    i32, as_i64, |n| n.try_into().ok();
    f64, as_f64, Some;
    String, as_str, |text| Some(text.to_owned());
}
values! { words ComparisonOperator StandardUnit Statistic }

impl<T: Set> Set for Vec<T> {
    fn of(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::of).collect()
    }
}

impl Said for str {
    fn said(&self) -> Value {
        json!(self)
    }
}

impl Said for String {
    fn said(&self) -> Value {
        json!(self)
    }
}

fn field<T: Set>(fields: &Value, name: &str) -> Option<T> {
    fields.get(name).and_then(T::of)
}

/// The fields of an answer: name, getter.
macro_rules! said {
    ($type:ident { $($name:literal $get:ident,)* }) => {
        impl Said for $type {
            fn said(&self) -> Value {
                said!(self, $($name $get,)*)
            }
        }
    };
    ($from:expr, $($name:literal $get:ident,)*) => {{
        let mut fields = Map::new();
        $(fields.extend($from.$get().got().map(|value| ($name.to_owned(), value)));)*
        Value::Object(fields)
    }};
}

/// A part of requests and answers: name, setter, getter of each field.
macro_rules! part {
    ($type:ident { $($name:literal $set:ident $get:ident,)* }) => {
        impl Set for $type {
            fn of(value: &Value) -> Option<Self> {
                Some(Self::builder()$(.$set(field(value, $name)))*.build())
            }
        }

        said!($type { $($name $get,)* });
    };
}

/// A request and the answer that holds the same: name, setter, getter of each field; at the end, what no request sets.
macro_rules! request {
    (
        $put:ident($builder:ty), $get:ident($answer:ty)
        { $($name:literal $set:ident $got:ident,)* } { $($more:literal $only:ident,)* }
    ) => {
        pub(super) fn $put(put: $builder, fields: &Value) -> $builder {
            put$(.$set(field(fields, $name)))*
        }

        pub(super) fn $get(answer: &$answer) -> Value {
            said!(answer, $($name $got,)* $($more $only,)*)
        }
    };
}

request! {
    put_metric_alarm(PutMetricAlarmFluentBuilder), metric_alarm(MetricAlarm) {
        "AlarmName" set_alarm_name alarm_name,
        "AlarmDescription" set_alarm_description alarm_description,
        "ActionsEnabled" set_actions_enabled actions_enabled,
        "OKActions" set_ok_actions ok_actions,
        "AlarmActions" set_alarm_actions alarm_actions,
        "InsufficientDataActions" set_insufficient_data_actions insufficient_data_actions,
        "Namespace" set_namespace namespace,
        "MetricName" set_metric_name metric_name,
        "Dimensions" set_dimensions dimensions,
        "Statistic" set_statistic statistic,
        "ExtendedStatistic" set_extended_statistic extended_statistic,
        "Period" set_period period,
        "Unit" set_unit unit,
        "EvaluationPeriods" set_evaluation_periods evaluation_periods,
        "DatapointsToAlarm" set_datapoints_to_alarm datapoints_to_alarm,
        "Threshold" set_threshold threshold,
        "ComparisonOperator" set_comparison_operator comparison_operator,
        "TreatMissingData" set_treat_missing_data treat_missing_data,
        "EvaluateLowSampleCountPercentile"
            set_evaluate_low_sample_count_percentile evaluate_low_sample_count_percentile,
        "Metrics" set_metrics metrics,
        "ThresholdMetricId" set_threshold_metric_id threshold_metric_id,
        "EvaluationCriteria" set_evaluation_criteria evaluation_criteria,
        "EvaluationInterval" set_evaluation_interval evaluation_interval,
    } {
        "EvaluationWindow" evaluation_window,
        "WarmUpConfiguration" warm_up_configuration,
        "ActionConfiguration" action_configuration,
    }
}

request! {
    put_composite_alarm(PutCompositeAlarmFluentBuilder), composite(CompositeAlarm) {
        "AlarmName" set_alarm_name alarm_name,
        "AlarmDescription" set_alarm_description alarm_description,
        "ActionsEnabled" set_actions_enabled actions_enabled,
        "OKActions" set_ok_actions ok_actions,
        "AlarmActions" set_alarm_actions alarm_actions,
        "InsufficientDataActions" set_insufficient_data_actions insufficient_data_actions,
        "AlarmRule" set_alarm_rule alarm_rule,
        "ActionsSuppressor" set_actions_suppressor actions_suppressor,
        "ActionsSuppressorWaitPeriod"
            set_actions_suppressor_wait_period actions_suppressor_wait_period,
        "ActionsSuppressorExtensionPeriod"
            set_actions_suppressor_extension_period actions_suppressor_extension_period,
    } {
        "ActionConfiguration" action_configuration,
    }
}

/// A composite alarm; without a suppressor, its times say nothing.
pub(super) fn composite_alarm(alarm: &CompositeAlarm) -> Value {
    let mut fields = composite(alarm);
    if alarm.actions_suppressor().is_none_or(str::is_empty)
        && let Some(fields) = fields.as_object_mut()
    {
        fields.retain(|name, _| !name.starts_with("ActionsSuppressor"));
    }
    fields
}

request! {
    put_mute_rule(PutAlarmMuteRuleFluentBuilder), mute_rule(GetAlarmMuteRuleOutput) {
        "Name" set_name name,
        "Description" set_description description,
        "Rule" set_rule rule,
        "MuteTargets" set_mute_targets mute_targets,
    } {
        "StartDate" start_date,
        "ExpireDate" expire_date,
    }
}

part! { Rule { "Schedule" set_schedule schedule, } }

part! { Schedule {
    "Expression" set_expression expression,
    "Duration" set_duration duration,
    "Timezone" set_timezone timezone,
} }

part! { MuteTargets { "AlarmNames" set_alarm_names alarm_names, } }

part! { Dimension { "Name" set_name name, "Value" set_value value, } }

part! { MetricDataQuery {
    "Id" set_id id,
    "Expression" set_expression expression,
    "Label" set_label label,
    "ReturnData" set_return_data return_data,
    "Period" set_period period,
    "AccountId" set_account_id account_id,
    "MetricStat" set_metric_stat metric_stat,
} }

part! { MetricStat {
    "Metric" set_metric metric,
    "Period" set_period period,
    "Stat" set_stat stat,
    "Unit" set_unit unit,
} }

part! { Metric {
    "Namespace" set_namespace namespace,
    "MetricName" set_metric_name metric_name,
    "Dimensions" set_dimensions dimensions,
} }

part! { AlarmPromQlCriteria {
    "Query" set_query query,
    "PendingPeriod" set_pending_period pending_period,
    "RecoveryPeriod" set_recovery_period recovery_period,
} }

said! { WallClockWindow { "Timezone" timezone, } }

said! { WarmUpConfiguration {
    "WarmUpPeriodDurationInMinutes" warm_up_period_duration_in_minutes,
    "OnlyStartEvaluatingAfterWarmUpPeriodEnds" only_start_evaluating_after_warm_up_period_ends,
} }

said! { ActionConfiguration { "AlarmTagsPropagation" alarm_tags_propagation, } }

said! { AlarmTagsPropagation {
    "Enabled" enabled,
    "IncludedTagKeys" included_tag_keys,
    "ExcludedTagKeys" excluded_tag_keys,
} }

impl Set for EvaluationCriteria {
    fn of(value: &Value) -> Option<Self> {
        field(value, "PromQLCriteria").map(Self::PromQlCriteria)
    }
}

impl Said for EvaluationCriteria {
    fn said(&self) -> Value {
        let promql = self.as_prom_ql_criteria().ok();
        promql.map_or(json!({}), |promql| json!({"PromQLCriteria": promql.said()}))
    }
}

impl Said for EvaluationWindow {
    fn said(&self) -> Value {
        match self.as_wall_clock_window() {
            Ok(clock) => json!({"WallClockWindow": clock.said()}),
            Err(_) => json!({"SlidingWindow": {}}),
        }
    }
}

impl Said for DateTime {
    fn said(&self) -> Value {
        json!(self.to_string())
    }
}
