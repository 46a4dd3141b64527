//! What CloudWatch accepts: shapes, limits and grammars of alarms and dashboards, in the form of its API.
//!
//! `any_alarm` of a PutMetricAlarm request with `"Period": 45` gives one violation, at `/Period`. Builds, `lint` and the
//! checks of specs ask here, so that a limit is known in one place.
//!
//! Sources: the service model of the API of 2010-08-01 (shapes, lengths, patterns), and the documentation of
//! PutMetricAlarm, PutCompositeAlarm, PutDashboard, metric math and quotas, as of 2026.

mod actions;
mod alarm;
mod composite;
mod dashboard;
mod dimensions;
mod fields;
mod graph;
mod insights;
pub mod limits;
mod math;
mod metrics;
mod region;
pub mod schedule;
mod search;
mod settings;
mod statistic;
mod tags;
mod unknown;
mod violation;

pub use actions::{STATES, Sort, refused};
pub use alarm::alarm;
pub use composite::{BadRule, Children, alarm_name, children, composite, quoted};
pub use dashboard::{MOST_ALARMS, MOST_METRICS, MOST_WIDGETS, dashboard, put_dashboard};
pub use fields::Form;
pub use region::{domain, elsewhere, is_region, partition};
pub use search::{Search, is_searchable};
pub use statistic::{NoStatistic, Statistic};
pub use tags::{is_reserved, is_tag};
pub use unknown::{is_unknown, may_have_more, unknown, unknown_item};
pub use violation::{Fault, Violation};

pub fn any_alarm(request: &serde_json::Value) -> Vec<Violation> {
    any_alarm_in(request, Form::Api)
}

pub fn any_alarm_in(request: &serde_json::Value, form: Form) -> Vec<Violation> {
    match request.get("AlarmRule") {
        Some(_) => composite(request, form),
        None => alarm(request, form),
    }
}
