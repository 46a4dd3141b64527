//! Dashboards: what each panel shows in CloudWatch, in the rows of the same dashboard in Grafana.
//!
//! A panel on `{signal: requests, by: [route]}` is a `Content::Graph` with one `GraphLine`, whose value is the
//! `Sum` of each series under `Route`, shown per second. Ids, searches, colours and widgets are the target's.

use super::{NotExpressible, Value};
use crate::plan::ValueUnit;
use crate::plan::dashboard::{Size, Threshold};
use crate::promql::ast::Expr;
use crate::units::{Duration, Number};

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
    /// In reading order.
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
    /// States of alarms, by name.
    Alarms(Vec<String>),
    Graph(Graph),
    /// Values by PromQL.
    Chart(View, Vec<ChartQuery>),
}

#[derive(Clone, Debug)]
pub struct ChartQuery {
    pub label: String,
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
    /// What is made of it.
    pub shown: Shown,
    /// Seconds of a point.
    pub period: u64,
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
