//! What objects cost a month, and which quotas they come near.

use std::collections::BTreeMap;

use serde_json::Value;

use super::changes::{Action, Changes};
use super::object::{Desired, Kind, Space, State, parts};
use slosmith_plan::parity::Prices;

/// Alarms that an account may have in a region, unless AWS raised the quota.
const ALARMS: usize = 5_000;
/// Mute rules that an account may have in a region.
const MUTE_RULES: usize = 2_000;
/// Composite alarms that may be made from one alarm.
const USERS: usize = 150;

fn dollars(kind: Kind, fields: &Value, prices: &Prices) -> f64 {
    match kind {
        Kind::MetricAlarm if fields.get("EvaluationCriteria").is_some() => 0.0,
        Kind::MetricAlarm => {
            let band = fields.get("ThresholdMetricId").is_some();
            let period = |of: &Value| of["Period"].as_i64().is_some_and(|period| period < 60);
            let fine = |query: &Value| period(query) || period(&query["MetricStat"]);
            let mut queries = fields["Metrics"].as_array().into_iter().flatten();
            let each = match period(fields) || queries.any(fine) {
                _ if band => prices.alarm_metric * f64::from(prices.band_metrics),
                true => prices.fine_alarm_metric,
                false => prices.alarm_metric,
            };
            let queries = fields["Metrics"].as_array().into_iter().flatten();
            let metrics = queries
                .filter(|query| query.get("MetricStat").is_some())
                .count();
            each * f64::from(u32::try_from(metrics.max(1)).unwrap_or(u32::MAX))
        }
        Kind::CompositeAlarm => prices.composite_alarm,
        Kind::Dashboard => prices.dashboard,
        Kind::LogAlarm | Kind::MuteRule => 0.0,
    }
}

impl Changes {
    /// Dollars a month that what changes costs before and after, at list prices.
    pub fn dollars(&self, state: &State, desired: &Desired, prices: &Prices) -> (f64, f64) {
        let (mut before, mut after) = (0.0, 0.0);
        for (key, change) in &self.changes {
            if let Some(object) = state.objects.get(key) {
                before += dollars(object.kind, &object.fields, prices);
            }
            if let (Some(wanted), false) =
                (desired.objects.get(key), change.action == Action::Delete)
            {
                after += dollars(wanted.kind, &wanted.fields, prices);
            }
        }
        (before, after)
    }

    /// Quotas that the account will be beyond: creating fails there unless AWS raised them.
    pub fn beyond_quotas(&self, state: &State, desired: &Desired) -> Vec<String> {
        let after = |space: Space| {
            let of = |action: Action| {
                let all = self.changes.values();
                all.filter(|c| c.key.space == space && c.action == action)
                    .count()
            };
            let now = state
                .objects
                .keys()
                .filter(|key| key.space == space)
                .count();
            now + of(Action::Create) - of(Action::Delete)
        };
        let mut found = Vec::new();
        for (space, name, quota) in [
            (Space::Alarm, "alarms", ALARMS),
            (Space::MuteRule, "mute rules", MUTE_RULES),
        ] {
            let count = after(space);
            if count > quota {
                found.push(format!(
                    "{count} {name} in the region; the default AWS quota is {quota}"
                ));
            }
        }
        let mut users: BTreeMap<String, usize> = BTreeMap::new();
        for wanted in desired.objects.values() {
            for part in parts(wanted.kind, &wanted.fields) {
                *users.entry(part).or_default() += 1;
            }
        }
        let many = users.into_iter().filter(|(_, count)| *count > USERS);
        found.extend(many.map(|(name, count)| {
            format!("{count} composite alarms use `{name}`; at most {USERS} are allowed")
        }));
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prices_count_metrics() {
        let prices = Prices::listed().expect("prices");
        let cents = |kind, fields| (dollars(kind, &fields, prices) * 100.0).round();
        assert_eq!(cents(Kind::MetricAlarm, json!({"MetricName": "a"})), 10.0);
        let fine = json!({"MetricName": "a", "Period": 10});
        assert_eq!(cents(Kind::MetricAlarm, fine), 30.0);
        let two =
            json!({"Metrics": [{"MetricStat": {}}, {"MetricStat": {}}, {"Expression": "a/b"}]});
        assert_eq!(cents(Kind::MetricAlarm, two), 20.0);
        let band =
            json!({"Metrics": [{"MetricStat": {}}, {"Expression": "b"}], "ThresholdMetricId": "b"});
        assert_eq!(cents(Kind::MetricAlarm, band), 30.0);
        assert_eq!(cents(Kind::CompositeAlarm, json!({})), 50.0);
        assert_eq!(cents(Kind::Dashboard, json!({})), 300.0);
    }
}
