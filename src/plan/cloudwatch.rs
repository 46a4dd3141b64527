//! CloudWatch: alarms, dashboards, the metrics they need, and how far both back ends agree.
//!
//! An alert on `vllm.kv_cache_usage` above 95 % for five minutes is an [`Alarm`] on a [`Value`]: the `Maximum`
//! of the metric under each of its names, five points of 60 seconds against 0.95. A panel on the same signal
//! is a [`GraphLine`] on such a value, and [`Parity`] says where either differs from what Prometheus has.

mod alarm;
mod dashboard;
mod metric;
mod parity;
mod value;

pub use alarm::{Alarm, AlarmKind, Composite, MetricAlarm, PromQl, Rule, Suppressor, Test};
pub use dashboard::{
    ChartQuery, CloudWatchDashboard, CloudWatchPanel, CloudWatchRow, Content, Graph, GraphLine,
    Shown, View,
};
pub use metric::{Delivery, Metric, Published, PublishedMetric};
pub use parity::{Difference, NotExpressible, Parity, Verdict, What};
pub use value::{Dimensions, Groups, MetricStat, Share, Value};

use crate::spec::Via;

/// Everything of one service.
#[derive(Clone, Debug)]
pub struct CloudWatch {
    /// Where it lives.
    pub region: String,
    /// Twelve digits, when they are known.
    pub account: Option<String>,
    /// Of published and scraped metrics.
    pub namespace: String,
    /// How scraped pages arrive.
    pub via: Via,
    /// Whom alarms notify.
    pub actions: Actions,
    /// Tags of every alarm.
    pub tags: Vec<(String, String)>,
    /// In the order they can be created: parts before what is made from them.
    pub alarms: Vec<Alarm>,
    /// The dashboards.
    pub dashboards: Vec<CloudWatchDashboard>,
    /// What the agent or the collector must deliver.
    pub scraped: Vec<Scraped>,
    /// How far both back ends say the same.
    pub parity: Vec<Parity>,
}

/// ARNs by severity.
pub type Arns = Vec<(String, Vec<String>)>;

/// Whom alarms notify, by the state that they come into.
#[derive(Clone, Debug)]
pub struct Actions {
    /// ALARM.
    pub alarm: Arns,
    /// OK.
    pub ok: Arns,
    /// INSUFFICIENT_DATA.
    pub insufficient_data: Arns,
}

impl Actions {
    /// Each with the API's name for it.
    pub fn all(&self) -> [(&'static str, &Arns); 3] {
        [
            ("AlarmActions", &self.alarm),
            ("OKActions", &self.ok),
            ("InsufficientDataActions", &self.insufficient_data),
        ]
    }
}

/// A metric that the agent or the collector must deliver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scraped {
    /// The family.
    pub family: String,
    /// Value of the `job` label, when the signal says it.
    pub job: Option<String>,
    /// Sets of dimensions that alarms and dashboards ask for; none where only PromQL asks.
    pub dimension_sets: Vec<Vec<String>>,
}
