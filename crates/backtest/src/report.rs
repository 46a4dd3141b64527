//! What a backtest found.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use slosmith_promql::sampled::Labels;

use crate::ask::Queries;

/// A time in RFC 3339.
pub fn rfc3339(seconds: i64) -> String {
    match Timestamp::from_second(seconds) {
        Ok(time) => time.to_string(),
        Err(_) => seconds.to_string(),
    }
}

pub(crate) fn time<S: Serializer>(seconds: &i64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&rfc3339(*seconds))
}

fn time_if_any<S: Serializer>(seconds: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    match seconds {
        Some(seconds) => time(seconds, to),
        None => to.serialize_none(),
    }
}

/// A service on a server, as `slosmith backtest --format json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    #[serde(flatten)]
    pub report: Report,
    /// The URL of the server, without user and password.
    pub server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incidents: Option<Incidents>,
    /// What the other version of the spec would have done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Report>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Incidents {
    pub outcomes: Vec<Outcome>,
    /// Pages outside any incident.
    pub outside: Vec<Page>,
}

/// The JSON Schema of a list of [`Found`].
///
/// # Panics
///
/// Never: a schema is JSON.
pub fn schema() -> String {
    schema_of::<Vec<Found>>()
}

pub(crate) fn schema_of<T: JsonSchema>() -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let schema = settings
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>();
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// What the rules of a service would have done.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    pub service: String,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub from: i64,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub to: i64,
    /// Seconds from evaluation to evaluation.
    pub step: i64,
    /// When the history of the server begins, where it begins later than what the rules read.
    #[serde(serialize_with = "time_if_any")]
    #[schemars(with = "Option<String>")]
    pub begins: Option<i64>,
    pub alerts: Vec<Alert>,
    pub objectives: Vec<Objective>,
    /// Times without any data of the service.
    pub gaps: Vec<Gap>,
    pub queries: Queries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gap {
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub from: i64,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub to: i64,
}

/// An alert, or one tier of a burn-rate alert.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Alert {
    pub name: String,
    pub severity: String,
    /// The SLO and the tier of a burn-rate alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Why the firings are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// From when on the firings are exact, where that is later than the beginning: before, windows reach behind the history.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "time_if_any"
    )]
    #[schemars(with = "Option<String>")]
    pub exact_from: Option<i64>,
    pub firings: Vec<Firing>,
    pub curve: Vec<Curve>,
    /// The values of the condition, where these are wanted.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Tier {
    pub slo: String,
    pub name: String,
    pub burn_rate: f64,
}

/// From the first evaluation at which an alert fires to the first at which it does not; `None` at the end of the history.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Firing {
    pub labels: Labels,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub start: i64,
    /// True where the condition was true at the first evaluation: the alert may have fired before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub began_before: bool,
    #[serde(serialize_with = "time_if_any")]
    #[schemars(with = "Option<String>")]
    pub end: Option<i64>,
    /// The value that is farthest beyond the threshold: of a burn-rate alert, the burn rate. `null` if it is infinite.
    #[schemars(with = "Option<f64>")]
    pub peak: f64,
    /// Of a burn-rate alert: the share of the error budget of the SLO window that was spent while it fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
}

/// How often an alert would have fired with another threshold or holding time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Curve {
    pub threshold: f64,
    /// Seconds.
    pub r#for: u64,
    pub firings: usize,
    /// True for the values of the spec.
    pub own: bool,
}

/// What one comparison of a condition compares.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The condition holds above it, or with `low` below it.
    pub threshold: f64,
    pub low: bool,
    pub lines: Vec<Line>,
    /// Places that are not shown: those that came least close to the threshold.
    pub hidden: usize,
}

/// The values of one place, by column: those that are farthest on the side on which the alert fires.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub labels: Labels,
    pub values: Vec<Option<f64>>,
}

/// An SLO in one place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Objective {
    pub name: String,
    pub labels: Labels,
    pub objective: f64,
    /// Events; `None` where only their ratio is known.
    pub good: Option<f64>,
    pub total: Option<f64>,
    /// Share of events that were good; `None` without events.
    pub attained: Option<f64>,
    /// Share of the error budget that was spent in the last SLO window, or in the time with data where that is shorter.
    pub budget: Option<f64>,
    /// The same from its begin to the end of each of 28 equal parts.
    pub line: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Incident {
    pub title: String,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub start: i64,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub end: i64,
}

/// The begin of a firing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Page {
    pub alert: String,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub start: i64,
    /// Seconds from the begin of the incident; negative where it fired before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
}

/// An incident, and the first page that fired for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    pub incident: Incident,
    pub caught: Option<Page>,
}

impl Alert {
    /// Seconds of the longest firing between two times.
    pub fn longest(&self, from: i64, to: i64) -> i64 {
        let length = |firing: &Firing| firing.end.unwrap_or(to) - firing.start.max(from);
        self.firings.iter().map(length).max().unwrap_or(0)
    }
}

impl Report {
    /// How many of a number there were in a week with data.
    pub fn a_week(&self, number: usize) -> f64 {
        let from = self.begins.unwrap_or(self.from).max(self.from);
        number as f64 * 7.0 * 86_400.0 / (self.to - from).max(1) as f64
    }
}

impl Plot {
    /// Multiplies all values.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.threshold *= factor;
        let lines = self.lines.iter_mut();
        for value in lines.flat_map(|line| &mut line.values).flatten() {
            *value *= factor;
        }
    }
}
