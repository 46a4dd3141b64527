//! What is read from files: plain data, each piece with its place.

mod dashboard;
mod query;
mod resource;
mod rules;

pub use dashboard::{Dashboard, Datasource, Form, Panel, Step, Target, Thresholds, Variable};
pub use query::{Language, Query, Role};
pub use resource::{Dimensions, NamedMetric, Resource, ResourceKind};
pub use rules::{Alert, Pair, Record};

use crate::diag::Diagnostic;
use crate::source::FileId;

/// Everything that was read from one file.
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
    /// Kubernetes ConfigMap that holds other parts.
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
    /// Rules of prometheus-adapter.
    Adapter,
    /// What works by metrics: KEDA, the HorizontalPodAutoscaler, KServe, AIBrix, Argo Rollouts, other configurations.
    Scaler,
    /// Dashboards and alerts of Google Cloud Monitoring.
    GoogleCloud,
    /// Markdown with queries or other parts in code fences.
    Markdown,
    /// Source code with queries in string literals.
    Code,
    /// Nothing that holds queries.
    #[default]
    Unknown,
}
