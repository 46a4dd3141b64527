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
    /// Labels by which Prometheus tells environments apart, and CloudWatch does not: the scrape adds them.
    pub environment: Vec<String>,
    /// Values of labels that the spec knows.
    pub values: Vec<(String, Vec<String>)>,
    /// When alarms notify nobody.
    pub mutes: Vec<Mute>,
}

/// A declared maintenance window: alarms change their state in it, and notify nobody.
#[derive(Clone, Debug)]
pub struct Mute {
    /// Its name.
    pub name: String,
    /// For people.
    pub description: String,
    /// `cron(0 2 * * SUN)`, `at(2027-01-01T02:00)`.
    pub schedule: String,
    /// How long.
    pub duration: Duration,
    /// Where the schedule's hours are those of the clock.
    pub timezone: String,
    /// Alarms that are muted.
    pub alarms: Vec<String>,
}

impl CloudWatch {
    /// True when the agent scrapes, which writes what it finds to a log.
    pub fn agent_writes_log(&self) -> bool {
        self.via == Via::Agent && !self.scraped.is_empty()
    }
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
