//! Dashboards: what each panel shows in CloudWatch, in the rows of the same dashboard in Grafana.
//!
//! A panel on `{signal: requests, by: [route]}` is a `Content::Graph` with one `GraphLine`, whose value is the
//! `Sum` of each series under `Route`, shown per second. Ids, searches, colours and widgets are the target's.

use super::{NotExpressible, Value};
use crate::plan::ValueUnit;
use crate::plan::dashboard::{Size, Threshold};
use crate::promql::ast::Expr;
use crate::units::{Duration, Number};

/// A dashboard as CloudWatch can show it.
#[derive(Clone, Debug)]
pub struct CloudWatchDashboard {
    /// Name of the file.
    pub file: String,
    /// Name in CloudWatch.
    pub name: String,
    /// The time it shows at first.
    pub range: Duration,
    /// From the most urgent to the least.
    pub rows: Vec<CloudWatchRow>,
}

/// Panels under one heading.
#[derive(Clone, Debug)]
pub struct CloudWatchRow {
    /// The heading.
    pub title: String,
    /// In reading order.
    pub panels: Vec<CloudWatchPanel>,
    /// What CloudWatch cannot show of the row.
    pub missing: Vec<MissingPanel>,
}

/// A panel that CloudWatch cannot show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPanel {
    /// For people.
    pub title: String,
    /// Why, at least one.
    pub why: Vec<NotExpressible>,
}

/// A panel.
#[derive(Clone, Debug)]
pub struct CloudWatchPanel {
    /// How much room it takes.
    pub size: Size,
    /// For people.
    pub title: String,
    /// What it shows.
    pub content: Content,
}

/// What a panel shows.
#[derive(Clone, Debug)]
pub enum Content {
    /// Markdown.
    Text(String),
    /// States of alarms, by name.
    Alarms(Vec<String>),
    /// Values.
    Graph(Graph),
    /// Values by PromQL.
    Chart(View, Vec<ChartQuery>),
}

/// A query of a chart.
#[derive(Clone, Debug)]
pub struct ChartQuery {
    /// For people.
    pub label: String,
    /// The query.
    pub expr: Expr,
}

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The newest value in large type.
    Number,
    /// The newest value on a scale from 0 to 100 %.
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

/// A line of a graph, or one line for each label set of its value.
#[derive(Clone, Debug)]
pub struct GraphLine {
    /// Which of the panel's series it draws.
    pub series: usize,
    /// What it draws.
    pub value: Value,
    /// What is made of it.
    pub shown: Shown,
    /// Seconds of a point.
    pub period: u64,
    /// For people; empty where the label set is enough.
    pub label: String,
}

/// How a value becomes a number on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// So many times the value.
    Times(Number),
    /// So many times what a period adds up, a second.
    PerSecond(Number),
    /// What is left of 1, in percent.
    RestInPercent,
}
