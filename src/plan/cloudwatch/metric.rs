//! Metrics: where CloudWatch has a signal, and what the service publishes for it.
//!
//! `vllm.requests_waiting`, scraped by the agent on releases from 0.9, is
//! `Metric { namespace: "Team/App", names: ["vllm:num_requests_waiting"], delivery: Scraped, … }`.

use crate::plan::Names;
use crate::promql::ast::MatchOp;
use crate::units::Number;

/// Where CloudWatch has a signal.
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its namespace.
    pub namespace: String,
    /// What it is published as.
    pub names: Names,
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
    /// Selections of the signal that the metric already contains.
    pub covers: Vec<(String, MatchOp, String)>,
}

/// How a metric gets to CloudWatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The service publishes each value.
    Published,
    /// The agent scrapes it.
    Scraped,
    /// An AWS service or another program publishes it.
    Vended,
}

/// A value that the service publishes: one contract for code, alarms and dashboards.
#[derive(Clone, Debug)]
pub struct Published {
    /// The signal's name; what code calls it.
    pub signal: String,
    /// What it is.
    pub description: String,
    /// How it behaves.
    pub kind: crate::spec::FamilyKind,
    /// Labels that code gives.
    pub labels: Vec<String>,
    /// The family in the `/metrics` output of the service.
    pub family: String,
    /// Upper boundaries of its buckets, in the unit of the `/metrics` output.
    pub buckets: Vec<Number>,
    /// The worth of one unit of the `/metrics` output in the signal's unit.
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
