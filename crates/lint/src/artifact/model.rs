//! What is read from files: plain data, each piece with its place.

mod query;
mod resource;

use crate::artifact::raw::Raw;
pub use query::{Language, Query, Role};
pub use resource::{Dimensions, NamedMetric, Resource, ResourceKind};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{FileId, Span, Spanned};
use slosmith_text::yaml::Text;

#[derive(Clone, Debug, Default)]
pub struct Artifact {
    pub file: FileId,
    /// What it is: the first thing found in it, or [`Kind::Unknown`].
    pub kind: Kind,
    /// Every query, in the order of the file; other lists refer to them by index.
    pub queries: Vec<Query>,
    pub alerts: Vec<Alert>,
    pub records: Vec<Record>,
    pub dashboards: Vec<Dashboard>,
    /// CloudWatch alarms and dashboards, and configurations of its agent.
    pub resources: Vec<Resource>,
    /// The files of a spec that extends others, itself as the last; empty otherwise.
    pub parts: Vec<FileId>,
    /// Parts that could not be read (bad JSON in a ConfigMap); the rest of the file was.
    pub faults: Vec<Diagnostic>,
    /// What the file is with other branches of its template: each time all of it, with the same bytes again.
    pub branches: Vec<Artifact>,
    /// Branches are left that were not read: they are too many, or give no YAML.
    pub has_unread_branches: bool,
    /// Parts of queries are in it that a program puts together; they are not read.
    pub has_pieces: bool,
    pub(super) open_languages: Option<Vec<usize>>,
}

impl Artifact {
    /// The file with the first branches of its template, then with the others.
    pub fn readings(&self) -> impl Iterator<Item = &Artifact> {
        std::iter::once(self).chain(&self.branches)
    }

    /// Puts a reading in front of which it is known what it is.
    pub(super) fn begin_with_known(&mut self) {
        let known = self.branches.iter().position(|a| a.kind != Kind::Unknown);
        if let Some(at) = known.filter(|_| self.kind == Kind::Unknown) {
            let mut first = self.branches.swap_remove(at);
            first.branches = std::mem::take(&mut self.branches);
            first.has_unread_branches = self.has_unread_branches;
            first.faults = std::mem::take(&mut self.faults);
            *self = first;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Rules,
    ConfigMap,
    Grafana,
    Perses,
    UnitTests,
    /// A spec; read by `spec`.
    Spec,
    /// Sloth or OpenSLO spec.
    ForeignSpec,
    /// CloudWatch alarms or dashboards: as the API has them, in CloudFormation or in Terraform JSON.
    CloudWatch,
    Adapter,
    /// What works by metrics: KEDA, the HorizontalPodAutoscaler, KServe, AIBrix, Argo Rollouts, other configurations.
    Scaler,
    /// Dashboards and alerts of Google Cloud Monitoring.
    GoogleCloud,
    Markdown,
    Code,
    #[default]
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Pair {
    pub key: Spanned<String>,
    pub value: Text,
}

#[derive(Clone, Debug)]
pub struct Alert {
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](Artifact::queries).
    pub query: usize,
    pub labels: Vec<Pair>,
    pub annotations: Vec<Pair>,
    pub span: Span,
    /// A template may add labels and annotations to it.
    pub is_partial: bool,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: Text,
    /// Index of its query in [`Artifact::queries`](Artifact::queries).
    pub query: usize,
}

impl Alert {
    pub fn annotation(&self, name: &str) -> Option<&Text> {
        let found = self.annotations.iter().find(|pair| pair.key.value == name);
        found.map(|pair| &pair.value)
    }
}

#[derive(Clone, Debug)]
pub struct Dashboard {
    pub form: Form,
    pub uid: Option<Text>,
    pub title: Option<Text>,
    /// Its description; may hold words for the linter.
    pub description: Option<Text>,
    pub variables: Vec<Variable>,
    /// Its panels in the order of the file, those inside rows and the rows themselves included.
    pub panels: Vec<Panel>,
    /// The whole dashboard, for schemas.
    pub raw: Raw,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Classic,
    V2,
    Perses,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Text,
    /// `query`, `datasource`, `custom`, …; the plugin in Perses.
    pub kind: String,
    /// For a data source variable: the type that it lists.
    pub lists: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Panel {
    pub title: Option<Text>,
    pub id: Option<String>,
    /// `timeseries`, `stat`, `row`, …
    pub kind: Option<Spanned<String>>,
    pub unit: Option<Text>,
    pub overrides_units: bool,
    pub has_mappings: bool,
    pub description: Option<Text>,
    pub datasource: Option<Datasource>,
    pub thresholds: Option<Thresholds>,
    pub targets: Vec<Target>,
    /// Its content is elsewhere, in Grafana's library.
    pub from_library: bool,
    /// JSON pointer to it in [`Dashboard::raw`].
    pub pointer: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Datasource {
    /// Its type, such as `prometheus`, where it is written.
    pub kind: Option<String>,
    pub uid: Option<Text>,
}

#[derive(Clone, Debug)]
pub struct Target {
    /// Index of its query; `None` when it has no expression.
    pub query: Option<usize>,
    /// An expression has its place, and none is written there.
    pub is_blank: bool,
    pub datasource: Option<Datasource>,
    /// Asked for one time only.
    pub instant: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Thresholds {
    /// `absolute` or `percentage`.
    pub mode: Option<String>,
    /// Drawn as lines or areas over time; else they only colour values.
    pub is_drawn: bool,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// From here on; `None` for the base.
    pub value: Option<Spanned<f64>>,
}
