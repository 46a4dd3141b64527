//! CloudWatch: alarms, dashboards, the metrics they need, and how far both back ends agree.

use crate::promql::ast::MatchOp;
use crate::spec::{LowSamples, Missing, Via};
use crate::units::{Duration, Number};

use super::CompareOp;
use super::dashboard::{Color, Place};
pub use crate::spec::Side;

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
    /// ARNs by severity.
    pub actions: Vec<(String, Vec<String>)>,
    /// Tags of every alarm.
    pub tags: Vec<(String, String)>,
    /// In the order they can be created: parts before what is made from them.
    pub alarms: Vec<Alarm>,
    /// The dashboards.
    pub boards: Vec<Board>,
    /// What the agent must deliver.
    pub scraped: Vec<Scraped>,
    /// How far both back ends say the same.
    pub parity: Vec<Parity>,
}

/// Where CloudWatch has a signal.
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its namespace.
    pub namespace: String,
    /// Its names, newest first.
    pub names: Vec<String>,
    /// What one of its units is worth in the signal's unit.
    pub worth: Number,
    /// Its unit, by CloudWatch's name.
    pub unit: &'static str,
    /// How it gets there.
    pub delivery: Delivery,
    /// Dimensions whose values are fixed.
    pub dimensions: Vec<(String, String)>,
    /// Sets of dimensions that it is published under.
    pub dimension_sets: Vec<Vec<String>>,
    /// Which label each dimension is: label, dimension.
    pub labels: Vec<(String, String)>,
    /// Selections of the signal that the metric stands for already.
    pub covers: Vec<(String, MatchOp, String)>,
}

/// How a metric gets to CloudWatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The service publishes each value.
    Published,
    /// The agent scrapes it.
    Scraped,
    /// Somebody else publishes it.
    Vended,
}

/// A metric that the agent must deliver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scraped {
    /// The family.
    pub family: String,
    /// Value of the `job` label, when the signal says it.
    pub job: Option<String>,
    /// Sets of dimensions that alarms and dashboards ask for.
    pub dimension_sets: Vec<Vec<String>>,
}

/// An alarm.
#[derive(Clone, Debug)]
pub struct Alarm {
    /// Unique in its region.
    pub name: String,
    /// For people.
    pub description: String,
    /// Whose actions it takes; none for a part of another alarm.
    pub severity: Option<String>,
    /// What it looks at.
    pub kind: AlarmKind,
}

/// What an alarm looks at.
#[derive(Clone, Debug)]
pub enum AlarmKind {
    /// Metrics, or an expression over them.
    Metric(Box<MetricAlarm>),
    /// Other alarms.
    Composite(Composite),
    /// PromQL.
    PromQl(PromQl),
}

/// An alarm on metrics.
#[derive(Clone, Debug)]
pub struct MetricAlarm {
    /// What is compared.
    pub value: Value,
    /// With what.
    pub test: Test,
    /// Seconds of a data point.
    pub period: u64,
    /// Data points that are looked at.
    pub evaluate: u32,
    /// Data points that must be beyond the threshold.
    pub datapoints: u32,
    /// What a missing data point counts as.
    pub missing: Missing,
    /// What a percentile of few samples counts as.
    pub low_samples: Option<LowSamples>,
}

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// A number, in the metric's unit.
    Threshold(CompareOp, Number),
    /// The band of usual values, so many standard deviations wide.
    Band(Side, Number),
}

/// A metric, or an expression over metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The metrics, each with an id of its own.
    pub metrics: Vec<MetricStat>,
    /// Over their ids; one metric alone when absent.
    pub expression: Option<String>,
    /// For people.
    pub label: String,
}

/// A statistic of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricStat {
    /// What expressions call it.
    pub id: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Exactly those it is published under.
    pub dimensions: Vec<(String, String)>,
    /// `Sum`, `p95`, …
    pub stat: String,
}

/// An alarm on other alarms.
#[derive(Clone, Debug)]
pub struct Composite {
    /// When it holds.
    pub rule: Rule,
    /// While that one fires, this one tells nobody.
    pub suppressor: Option<Suppressor>,
}

/// A rule over other alarms.
#[derive(Clone, Debug)]
pub enum Rule {
    /// The alarm of this name fires.
    Alarm(String),
    /// All hold.
    All(Vec<Rule>),
    /// One holds.
    Any(Vec<Rule>),
    /// The first holds and the second does not.
    Unless(Box<[Rule; 2]>),
}

impl Rule {
    /// The rule as CloudWatch reads it; `name` writes the name of an alarm, with its quotes.
    pub fn text(&self, name: &impl Fn(&str) -> String) -> String {
        let inner = |rule: &Rule| match rule {
            Rule::Alarm(_) => rule.text(name),
            _ => format!("({})", rule.text(name)),
        };
        let list = |rules: &[Rule], word: &str| {
            let rules: Vec<_> = rules.iter().map(inner).collect();
            rules.join(word)
        };
        match self {
            Rule::Alarm(alarm) => format!("ALARM({})", name(alarm)),
            Rule::All(rules) => list(rules, " AND "),
            Rule::Any(rules) => list(rules, " OR "),
            Rule::Unless(rules) => format!("{} AND NOT {}", inner(&rules[0]), inner(&rules[1])),
        }
    }

    /// Names of the alarms in it.
    pub fn alarms(&self) -> Vec<&str> {
        match self {
            Rule::Alarm(alarm) => vec![alarm],
            Rule::All(rules) | Rule::Any(rules) => rules.iter().flat_map(Rule::alarms).collect(),
            Rule::Unless(rules) => rules.iter().flat_map(Rule::alarms).collect(),
        }
    }
}

/// An alarm that silences another.
#[derive(Clone, Debug)]
pub struct Suppressor {
    /// Its name.
    pub alarm: String,
    /// Seconds to wait for it.
    pub wait: u64,
    /// Seconds it goes on after it.
    pub extension: u64,
}

/// An alarm on PromQL.
#[derive(Clone, Debug)]
pub struct PromQl {
    /// Gives elements exactly while the alarm fires.
    pub query: String,
    /// Seconds it must hold.
    pub pending: u64,
    /// Seconds between two looks.
    pub interval: u64,
}

/// A dashboard.
#[derive(Clone, Debug)]
pub struct Board {
    /// Name of the file.
    pub file: String,
    /// Name in CloudWatch.
    pub name: String,
    /// The time it shows at first.
    pub range: Duration,
    /// From the most urgent to the least.
    pub widgets: Vec<Widget>,
}

/// A widget.
#[derive(Clone, Debug)]
pub struct Widget {
    /// On the whole dashboard.
    pub place: Place,
    /// For people.
    pub title: String,
    /// What it shows.
    pub content: Content,
}

/// What a widget shows.
#[derive(Clone, Debug)]
pub enum Content {
    /// Markdown.
    Text(String),
    /// States of alarms, by name.
    Alarms(Vec<String>),
    /// Values.
    Graph(Graph),
    /// Values by PromQL: label and query.
    Chart(View, Vec<(String, String)>),
}

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The newest value in large type.
    Number,
    /// The newest value on a scale.
    Gauge,
    /// Lines over time.
    Lines,
    /// Areas over time, one upon the other.
    Stacked,
    /// The newest value of each.
    Table,
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How they are drawn.
    pub view: View,
    /// What is drawn.
    pub lines: Vec<Line>,
    /// What the axis counts in.
    pub unit: String,
    /// Upper end of the axis, where it is known.
    pub max: Option<Number>,
    /// Values that mean something.
    pub marks: Vec<Mark>,
    /// True when one value stands for the whole time that is shown.
    pub whole_range: bool,
}

/// A line, or one for each series that a search finds.
#[derive(Clone, Debug)]
pub enum Line {
    /// A value over so many seconds.
    Value(Value, u64),
    /// All series of a metric under one set of dimensions.
    Search {
        /// What expressions call it.
        id: String,
        /// The expression.
        expression: String,
        /// For people; may hold `${PROP(…)}`.
        label: String,
    },
}

/// A value that means something.
#[derive(Clone, Debug)]
pub struct Mark {
    /// In the axis's unit.
    pub value: Number,
    /// What it means.
    pub label: String,
    /// Its colour.
    pub color: Color,
    /// True when values above it are the worse ones.
    pub upper: bool,
    /// True when values beyond it are tinted.
    pub fill: bool,
}

/// How far both back ends say the same of one thing.
#[derive(Clone, Debug)]
pub struct Parity {
    /// What it is.
    pub what: What,
    /// Its name.
    pub name: String,
    /// In Prometheus, or Grafana.
    pub prometheus: Verdict,
    /// In CloudWatch.
    pub cloudwatch: Verdict,
    /// The alarm or dashboard that stands for it there.
    pub resource: Option<String>,
}

/// What parity is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A burn-rate tier, or an objective's own alert.
    Slo,
    /// An alert.
    Alert,
    /// A panel.
    Panel,
}

impl What {
    /// The word for people and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            What::Slo => "slo",
            What::Alert => "alert",
            What::Panel => "panel",
        }
    }
}

/// How well a back end says what the spec says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same.
    Identical,
    /// Nearly: in which ways not.
    Approximated(Vec<String>),
    /// Not at all: why.
    NotExpressible(String),
}

impl Verdict {
    /// Identical when there is nothing to say.
    pub fn of(notes: Vec<String>) -> Self {
        match notes.is_empty() {
            true => Verdict::Identical,
            false => Verdict::Approximated(notes),
        }
    }

    /// The word for reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Identical => "identical",
            Verdict::Approximated(_) => "approximated",
            Verdict::NotExpressible(_) => "not expressible",
        }
    }

    /// How, or why not.
    pub fn notes(&self) -> &[String] {
        match self {
            Verdict::Identical => &[],
            Verdict::Approximated(notes) => notes,
            Verdict::NotExpressible(why) => std::slice::from_ref(why),
        }
    }
}

/// A value that the service publishes: one contract for code, alarms and dashboards.
#[derive(Clone, Debug)]
pub struct Published {
    /// The signal's name; what code calls it.
    pub signal: String,
    /// What it is.
    pub description: String,
    /// How it behaves.
    pub kind: crate::spec::Kind,
    /// Labels that code gives.
    pub labels: Vec<String>,
    /// The family on the service's own page.
    pub family: String,
    /// Upper bounds of its buckets, in the unit of its page.
    pub buckets: Vec<Number>,
    /// What one unit of the page is worth in the signal's unit.
    pub scale: Number,
    /// What CloudWatch gets of it; several when a part has a metric of its own.
    pub metrics: Vec<PublishedMetric>,
}

/// A metric of CloudWatch that a published value feeds.
#[derive(Clone, Debug)]
pub struct PublishedMetric {
    /// The metric.
    pub metric: Metric,
    /// Label values that count.
    pub only: Vec<(String, MatchOp, String)>,
}
