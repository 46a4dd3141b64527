//! CloudWatch: alarms, dashboards, the metrics they need, and how far both back ends agree.
//!
//! An alert on `vllm.kv_cache_usage` above 95 % for five minutes is an [`Alarm`] on a [`Value`]: the `Maximum`
//! of the metric under each of its names, five points of 60 seconds against 0.95. A panel on the same signal
//! is a [`GraphLine`] on such a value, and [`Parity`] says where either differs from what Prometheus has.

mod metric;
mod parity;

use crate::plan::dashboard::{Size, Threshold};
use crate::plan::{CompareOp, Names, ValueUnit};
pub use metric::{Delivery, Metric, Published, PublishedMetric};
pub use parity::{
    Difference, Grade, NotExpressible, Note, Parity, Reference, TOLERANCE, Verdict, What,
};
use slosmith_cloudwatch::Statistic;
use slosmith_promql::ast::Expr;
use slosmith_spec::spec::{Across, LowSamples, Missing, Side, Via};
use slosmith_text::units::{Duration, Number};

#[derive(Clone, Debug)]
pub struct CloudWatch {
    pub region: String,
    pub account: Option<String>,
    pub namespace: String,
    pub via: Via,
    /// Whom alarms notify.
    pub actions: Actions,
    pub tags: Vec<(String, String)>,
    /// In the order they can be created: parts before what is made from them.
    pub alarms: Vec<Alarm>,
    pub dashboards: Vec<CloudWatchDashboard>,
    pub scraped: Vec<Scraped>,
    pub parity: Vec<Parity>,
    pub environment: Vec<String>,
    /// Values of labels that the spec knows.
    pub values: Vec<(String, Vec<String>)>,
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
    /// Moves everything to a region. Dashboards are global: those of another region than the spec's have names of their own.
    pub fn move_to(&mut self, region: &str) {
        if self.region != region {
            region.clone_into(&mut self.region);
            for dashboard in &mut self.dashboards {
                dashboard.name = format!("{}-{region}", dashboard.name);
            }
        }
    }

    /// True for a metric that an alarm reads at periods below a minute: it needs `StorageResolution: 1`.
    pub fn is_fine(&self, published: &Metric) -> bool {
        let metrics = self.alarms.iter().filter_map(|alarm| match &alarm.kind {
            AlarmKind::Metric(metric) if metric.is_fine() => Some(metric.value.metrics()),
            _ => None,
        });
        metrics
            .flatten()
            .any(|stat| stat.namespace == published.namespace && stat.names == published.names)
    }

    pub fn agent_writes_log(&self) -> bool {
        self.via == Via::Agent && !self.scraped.is_empty()
    }
}

pub type Arns = Vec<(String, Vec<String>)>;

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

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Statistic(MetricStat),
    /// The sum or the mean of a statistic of each process.
    Total(Across, Vec<MetricStat>),
    /// How much a statistic grows a second, from one period to the next.
    Growth(MetricStat),
    Share(Share),
    /// A share of events, divided by the share that an SLO allows.
    BurnRate(Share, Number),
    /// The same, or 0 while there are fewer events than this.
    BurnRateOf(Share, Number, u32),
}

/// A share of events. A missing part counts as zero; without any events, the share has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    pub part: MetricStat,
    pub whole: MetricStat,
    pub others: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MetricStat {
    pub namespace: String,
    pub names: Names,
    pub dimensions: Dimensions,
    pub statistic: Statistic,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Dimensions {
    /// The one that is published under exactly these.
    Exactly(Vec<(String, String)>),
    /// Each one that is published under a set of dimensions: a graph draws a line for each.
    Each(Groups),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    pub set: Vec<String>,
    pub fixed: Vec<(String, String)>,
    /// Those that show a reader which line is which.
    pub shown: Vec<String>,
}

impl Value {
    pub fn metrics(&self) -> Vec<&MetricStat> {
        match self {
            Value::Statistic(stat) | Value::Growth(stat) => vec![stat],
            Value::Total(_, stats) => stats.iter().collect(),
            Value::Share(share) | Value::BurnRate(share, _) | Value::BurnRateOf(share, ..) => {
                vec![&share.part, &share.whole]
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Alarm {
    pub name: String,
    pub description: String,
    /// Whose actions it takes; none for a part of another alarm.
    pub severity: Option<String>,
    pub kind: AlarmKind,
    pub tags: Vec<(String, String)>,
}

impl Alarm {
    /// An alarm without tags.
    pub fn new(name: String, description: String, severity: Option<&str>, kind: AlarmKind) -> Self {
        Self {
            name,
            description,
            severity: severity.map(str::to_owned),
            kind,
            tags: Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub enum AlarmKind {
    Metric(Box<MetricAlarm>),
    Composite(Composite),
    PromQl(PromQl),
}

#[derive(Clone, Debug)]
pub struct MetricAlarm {
    pub value: Value,
    /// What the value is, for people.
    pub label: String,
    pub test: Test,
    pub period: u64,
    pub evaluate: u32,
    /// Data points that must be beyond the threshold.
    pub datapoints: u32,
    /// What a missing data point counts as.
    pub missing: Missing,
    /// What a percentile of few samples counts as.
    pub low_samples: Option<LowSamples>,
}

impl MetricAlarm {
    /// True with periods below a minute, which cost more.
    pub fn is_fine(&self) -> bool {
        self.period < 60
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// A number, in the metric's unit.
    Threshold(CompareOp, Number),
    /// The anomaly detection band, so many standard deviations wide.
    Band(Side, Number),
}

#[derive(Clone, Debug)]
pub struct Composite {
    pub rule: Rule,
    /// While the suppressor fires, this alarm sends no notifications.
    pub suppressor: Option<Suppressor>,
}

#[derive(Clone, Debug)]
pub enum Rule {
    Alarm(String),
    All(Vec<Rule>),
    Any(Vec<Rule>),
    Unless(Box<[Rule; 2]>),
}

impl Rule {
    pub fn alarms(&self) -> Vec<&str> {
        match self {
            Rule::Alarm(alarm) => vec![alarm],
            Rule::All(rules) | Rule::Any(rules) => rules.iter().flat_map(Rule::alarms).collect(),
            Rule::Unless(rules) => rules.iter().flat_map(Rule::alarms).collect(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Suppressor {
    pub alarm: String,
    /// Seconds to wait for it.
    pub wait: u64,
    /// Seconds it goes on after it.
    pub extension: u64,
}

#[derive(Clone, Debug)]
pub struct PromQl {
    pub query: String,
    pub pending: u64,
    /// Seconds that the alarm stays after the query has no result.
    pub recovery: u64,
    pub interval: u64,
}

#[derive(Clone, Debug)]
pub struct CloudWatchDashboard {
    pub file: String,
    pub name: String,
    pub range: Duration,
    /// From the most urgent to the least.
    pub rows: Vec<CloudWatchRow>,
}

#[derive(Clone, Debug)]
pub struct CloudWatchRow {
    pub title: String,
    pub panels: Vec<CloudWatchPanel>,
    /// What CloudWatch cannot show of the row.
    pub missing: Vec<MissingPanel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPanel {
    pub title: String,
    pub why: Vec<NotExpressible>,
}

#[derive(Clone, Debug)]
pub struct CloudWatchPanel {
    pub size: Size,
    pub title: String,
    pub content: Content,
}

#[derive(Clone, Debug)]
pub enum Content {
    Text(String),
    Alarms(Vec<String>),
    Graph(Graph),
    Chart(View, Vec<ChartQuery>),
}

#[derive(Clone, Debug)]
pub struct ChartQuery {
    pub label: String,
    pub expr: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The newest value in large type.
    Number,
    /// The newest value on a scale from 0 to 100 %.
    Gauge,
    Lines,
    /// Areas over time, one upon the other.
    Stacked,
    Table,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub view: View,
    pub lines: Vec<GraphLine>,
    /// What the values count in; ratios are shown in percent.
    pub unit: ValueUnit,
    /// What one of the numbers on the axis is worth in that unit.
    pub worth: Number,
    /// Values that mean something, in that unit.
    pub thresholds: Vec<Threshold>,
    /// The time that one value covers; none if there is a value for each period.
    pub covers: Option<Duration>,
}

#[derive(Clone, Debug)]
pub struct GraphLine {
    /// Which of the panel's series it draws.
    pub series: usize,
    pub value: Value,
    pub shown: Shown,
    /// Seconds of a point.
    pub period: u64,
    pub label: String,
}

/// How a value becomes a number on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Times(Number),
    /// So many times what a period adds up, a second.
    PerSecond(Number),
    RestInPercent,
}
