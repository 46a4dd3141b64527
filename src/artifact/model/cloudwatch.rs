//! CloudWatch alarms and the metrics they read.

use crate::artifact::raw::Raw;
use crate::source::{Span, Spanned};
use crate::yaml::Text;

/// An alarm, as the API, Terraform or CloudFormation has it.
#[derive(Clone, Debug)]
pub struct Alarm {
    /// Its name.
    pub name: Option<Text>,
    /// How it decides.
    pub form: AlarmForm,
    /// Its description.
    pub description: Option<Text>,
    /// Metrics it reads, by index in [`Artifact::metrics`](super::Artifact::metrics).
    pub metrics: Vec<usize>,
    /// Its PromQL query, by index.
    pub query: Option<usize>,
    /// The rule over other alarms.
    pub rule: Option<Text>,
    /// Its threshold.
    pub threshold: Option<Spanned<f64>>,
    /// `GreaterThanThreshold`, …
    pub comparison: Option<Spanned<String>>,
    /// What it tells when it fires.
    pub actions: Vec<Text>,
    /// The whole alarm, in the spelling of the file, for limits.
    pub raw: Raw,
    /// Its bytes.
    pub span: Span,
}

/// How an alarm decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmForm {
    /// One metric.
    Metric,
    /// Metric math or an anomaly band.
    Math,
    /// A PromQL query.
    PromQl,
    /// A rule over other alarms.
    Composite,
}

/// A metric that is read, or an expression over metrics.
#[derive(Clone, Debug)]
pub struct Metric {
    /// What expressions call it.
    pub id: Option<Text>,
    /// Metric math, in place of a metric.
    pub expression: Option<Text>,
    /// Namespace.
    pub namespace: Option<Text>,
    /// Metric name.
    pub name: Option<Text>,
    /// Dimensions: name and value.
    pub dimensions: Vec<(Text, Text)>,
    /// Statistic, extended ones included.
    pub statistic: Option<Text>,
    /// Period in seconds, as written.
    pub period: Option<Spanned<String>>,
    /// What stands there.
    pub span: Span,
}
