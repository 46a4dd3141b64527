//! Metrics: where CloudWatch has a signal, and what the service publishes for it.
//!
//! `vllm.requests_waiting`, scraped by the agent on releases from 0.9, is
//! `Metric { namespace: "Team/App", names: ["vllm:num_requests_waiting"], delivery: Scraped, … }`.

use crate::plan::Names;
use slosmith_promql::ast::MatchOp;
use slosmith_text::units::Number;

#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    pub namespace: String,
    pub names: Names,
    pub worth: Number,
    /// Its unit, by CloudWatch's name.
    pub unit: &'static str,
    pub delivery: Delivery,
    pub dimensions: Vec<(String, String)>,
    /// Sets of dimensions that it is published under.
    pub dimension_sets: Vec<Vec<String>>,
    /// Which label each dimension is: label, dimension.
    pub labels: Vec<(String, String)>,
    /// Selections of the signal that the metric already contains.
    pub covers: Vec<(String, MatchOp, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Published,
    Scraped,
    /// An AWS service or another program publishes it.
    Vended,
}

/// A value that the service publishes: one contract for code, alarms and dashboards.
#[derive(Clone, Debug)]
pub struct Published {
    pub signal: String,
    pub description: String,
    pub kind: slosmith_spec::spec::FamilyKind,
    pub labels: Vec<String>,
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
    pub metric: Metric,
    /// Label values that count.
    pub only: Vec<(String, MatchOp, String)>,
}
