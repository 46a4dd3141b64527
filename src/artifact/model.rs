//! What is read from files: plain data, each piece with its place.

mod cloudwatch;
mod dashboard;
mod query;
mod rules;

pub use cloudwatch::{Alarm, AlarmForm, Metric};
pub use dashboard::{
    Call, Dashboard, Datasource, Form, Grid, Panel, Step, Target, Thresholds, Use, Variable,
};
pub use query::{Language, Query, Role};
pub use rules::{Alert, Pair, Record, RuleGroup};

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

/// Everything that was read from one file.
#[derive(Clone, Debug, Default)]
pub struct Artifact {
    /// The file.
    pub file: FileId,
    /// What it is: the first of `parts`, or [`Kind::Unknown`].
    pub kind: Kind,
    /// What was found in it, in the order of the file; a ConfigMap and what it holds are parts of their own.
    pub parts: Vec<Part>,
    /// Every query, in the order of the file; other lists refer to them by index.
    pub queries: Vec<Query>,
    /// Groups of Prometheus rules.
    pub groups: Vec<RuleGroup>,
    /// Alerting rules.
    pub alerts: Vec<Alert>,
    /// Recording rules.
    pub records: Vec<Record>,
    /// Dashboards of all kinds.
    pub dashboards: Vec<Dashboard>,
    /// CloudWatch alarms of all kinds.
    pub alarms: Vec<Alarm>,
    /// CloudWatch metrics that alarms and dashboards read.
    pub metrics: Vec<Metric>,
    /// Parts that could not be read (bad JSON in a ConfigMap); the rest of the file was.
    pub faults: Vec<Diagnostic>,
}

/// One thing found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Where.
    pub span: Span,
}

/// The kinds of files and of their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Prometheus rule file.
    Rules,
    /// `PrometheusRule` resource.
    PrometheusRule,
    /// Kubernetes ConfigMap that holds other parts.
    ConfigMap,
    /// Grafana dashboard, classic JSON.
    Grafana,
    /// Grafana dashboard, v2 JSON.
    GrafanaV2,
    /// Perses dashboard.
    Perses,
    /// promtool unit tests.
    UnitTests,
    /// A spec of ours; read by `spec`.
    Spec,
    /// Sloth spec, as file or as `PrometheusServiceLevel`.
    Sloth,
    /// OpenSLO document.
    OpenSlo,
    /// CloudWatch alarms as the API has them, alone, in an array or under `MetricAlarms`.
    Alarms,
    /// Body of a CloudWatch dashboard.
    CloudWatchDashboard,
    /// CloudFormation template with alarms or dashboards.
    CloudFormation,
    /// Terraform JSON with alarms or dashboards.
    Terraform,
    /// Markdown with queries or other parts in code fences.
    Markdown,
    /// Nothing that holds queries.
    #[default]
    Unknown,
}

impl Kind {
    /// For people.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Rules => "Prometheus rules",
            Kind::PrometheusRule => "PrometheusRule",
            Kind::ConfigMap => "ConfigMap",
            Kind::Grafana => "Grafana dashboard",
            Kind::GrafanaV2 => "Grafana v2 dashboard",
            Kind::Perses => "Perses dashboard",
            Kind::UnitTests => "promtool unit tests",
            Kind::Spec => "slosmith spec",
            Kind::Sloth => "Sloth spec",
            Kind::OpenSlo => "OpenSLO document",
            Kind::Alarms => "CloudWatch alarms",
            Kind::CloudWatchDashboard => "CloudWatch dashboard",
            Kind::CloudFormation => "CloudFormation template",
            Kind::Terraform => "Terraform JSON",
            Kind::Markdown => "Markdown",
            Kind::Unknown => "unknown",
        }
    }
}
