//! Targets: plan → view → template → parsed back → files.

mod cloudwatch;
mod emitter;
mod grafana;
pub mod preview;
pub mod prometheus;
mod runbook;
mod schema;

use clap::ValueEnum;

pub use schema::validate;

use crate::plan::Plan;
use crate::template::{TemplateError, Templates};

/// A family of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Target {
    /// Recording and alerting rules with unit tests, for Prometheus and its operator
    Prometheus,
    /// Dashboards, and the files that bring them into Grafana
    Grafana,
    /// CloudWatch alarms and dashboards: API requests, Terraform, CloudFormation, and a parity report
    #[value(name = "cloudwatch")]
    CloudWatch,
    /// The service's own metrics as a Python module with its unit test
    Emitter,
    /// Runbooks in Markdown, and load tests
    #[value(name = "runbook")]
    Runbook,
}

impl Target {
    /// All targets, in the order they are built.
    pub const ALL: [Target; 5] = [
        Target::Prometheus,
        Target::Grafana,
        Target::CloudWatch,
        Target::Emitter,
        Target::Runbook,
    ];

    /// Name of its folder.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Prometheus => "prometheus",
            Target::Grafana => "grafana",
            Target::CloudWatch => "cloudwatch",
            Target::Emitter => "emitter",
            Target::Runbook => "runbooks",
        }
    }

    /// What stands in a service's folder because of it.
    pub fn outputs(self) -> Vec<&'static str> {
        match self {
            Target::CloudWatch => vec![self.as_str(), "parity.md", "parity.json"],
            _ => vec![self.as_str()],
        }
    }
}

/// One generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutFile {
    /// Path below the service's folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What one target made of a plan.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files, sorted by path.
    pub files: Vec<OutFile>,
    /// Files that stand beside the target's folder.
    pub beside: Vec<OutFile>,
    /// What the author should know: an alert that no unit test could be made for.
    pub notes: Vec<String>,
}

/// A generated file that is not what it should be. With our own templates this is a bug of ours.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// A template could not be rendered.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A page links to a place that none has: an author's link, or a template's.
    #[error("{path}: the link `{target}` leads nowhere")]
    DeadLink {
        /// The page.
        path: String,
        /// Where the link leads.
        target: String,
    },
    /// The rendered text does not read back.
    #[error("{path}: the template's output is not valid: {why}")]
    Invalid {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Renders one target.
///
/// # Errors
/// When a template fails or its output does not read back.
pub fn render(plan: &Plan, target: Target, templates: &Templates) -> Result<Rendered, TargetError> {
    let mut rendered = match target {
        Target::Prometheus => prometheus::render(plan, templates)?,
        Target::Grafana => grafana::render(plan, templates)?,
        Target::CloudWatch => cloudwatch::render(plan, templates)?,
        Target::Emitter => emitter::render(plan, templates)?,
        Target::Runbook => runbook::render(plan, templates)?,
    };
    for file in &mut rendered.files {
        file.path = format!("{}/{}", target.as_str(), file.path);
    }
    rendered.files.append(&mut rendered.beside);
    rendered.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(rendered)
}
