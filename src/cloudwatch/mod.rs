//! What CloudWatch accepts: shapes, limits and grammars of alarms and dashboards, in the form of its API.
//!
//! Sources: the service model of the API of 2010-08-01 (shapes, lengths, patterns), and the documentation of
//! PutMetricAlarm, PutCompositeAlarm, PutDashboard, metric math and quotas, as of 2026.

mod alarm;
mod composite;
mod dashboard;
mod dimensions;
mod fields;
pub mod limits;
mod math;
mod metrics;
mod search;
mod statistic;

pub use alarm::alarm;
pub use composite::{Children, children, composite, quoted};
pub use dashboard::dashboard;
pub use search::{Search, is_searchable};
pub use statistic::{NoStatistic, Statistic};

/// Something that CloudWatch would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the field, or to what lacks one.
    pub pointer: String,
    /// What is wrong, with the limit.
    pub message: String,
    /// What sort of fault it is.
    pub fault: Fault,
}

/// Sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A limit or a rule of the API.
    Limit,
    /// A value of another type.
    Type,
    /// An expression names an id that no entry has.
    UndefinedId,
}

/// Everything wrong with a request of PutMetricAlarm or PutCompositeAlarm; which one, its `AlarmRule` says.
pub fn any_alarm(request: &serde_json::Value) -> Vec<Violation> {
    match request.get("AlarmRule") {
        Some(_) => composite(request),
        None => alarm(request),
    }
}
