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
    MissingPanel, Shown, View,
};
pub use metric::{Delivery, Metric, Published, PublishedMetric};
pub use parity::{Difference, Grade, NotExpressible, Note, Parity, TOLERANCE, Verdict, What};
pub use value::{Dimensions, Groups, MetricStat, Share, Value};

use crate::spec::Via;
use crate::units::Duration;

#[derive(Clone, Debug)]
pub struct CloudWatch {
    pub region: String,
    pub account: Option<String>,
    pub namespace: String,
    pub via: Via,
    /// Whom alarms notify.
    pub actions: Actions,
    /// Tags of every alarm.
    pub tags: Vec<(String, String)>,
    /// In the order they can be created: parts before what is made from them.
    pub alarms: Vec<Alarm>,
    pub dashboards: Vec<CloudWatchDashboard>,
    pub scraped: Vec<Scraped>,
    /// How far both back ends say the same.
    pub parity: Vec<Parity>,
    pub environment: Vec<String>,
    /// Values of labels that the spec knows.
    pub values: Vec<(String, Vec<String>)>,
    /// When alarms notify nobody.
    pub mutes: Vec<Mute>,
}

/// A declared maintenance window: alarms change their state in it, and notify nobody.
#[derive(Clone, Debug)]
pub struct Mute {
    pub name: String,
    pub description: String,
    /// `cron(0 2 * * SUN)`, `at(2027-01-01T02:00)`.
    pub schedule: String,
    pub duration: Duration,
    pub timezone: String,
    pub alarms: Vec<String>,
}

impl CloudWatch {
    /// True when the agent scrapes, which writes what it finds to a log.
    pub fn agent_writes_log(&self) -> bool {
        self.via == Via::Agent && !self.scraped.is_empty()
    }
}

pub type Arns = Vec<(String, Vec<String>)>;

/// Whom alarms notify, by the state that they come into.
#[derive(Clone, Debug)]
pub struct Actions {
    pub alarm: Arns,
    pub ok: Arns,
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

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scraped {
    pub family: String,
    pub job: Option<String>,
    /// Sets of dimensions that alarms and dashboards ask for; none where only PromQL asks.
    pub dimension_sets: Vec<Vec<String>>,
}
