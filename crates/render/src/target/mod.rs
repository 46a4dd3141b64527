//! Targets: plan → view → template → parsed back → files.
//!
//! Each folder is one target. It takes a [`Plan`] and gives [`OutFile`]s; it looks nothing up, and writes nothing:
//!
//! ```
//! use slosmith_plan::plan::Plan;
//! use slosmith_render::target::{self, Options, Target, TargetError};
//! use slosmith_render::template::Templates;
//!
//! fn dashboards(plan: &Plan, templates: &Templates) -> Result<Vec<String>, TargetError> {
//!     let rendered = target::render(plan, Target::Grafana, Options::all(templates))?;
//!     Ok(rendered.files.into_iter().map(|file| file.path).collect())
//! }
//! ```

pub mod backstage;
mod cloudwatch;
mod emitter;
mod grafana;
mod json;
mod kubernetes;
pub mod own;
pub mod preview;
pub mod prometheus;
mod runbook;
mod schema;
mod scrape;
pub mod services;
mod terraform;

use clap::ValueEnum;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use cloudwatch::{Requests, requests};
pub use kubernetes::{KUSTOMIZATION, kustomization};
pub use schema::validate;

use crate::template::{TemplateError, Templates};
use slosmith_plan::plan::Plan;
use slosmith_text::source::{FileId, holds_only};
use slosmith_text::yaml;

/// A family of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Target {
    /// Recording and alerting rules with unit tests, for Prometheus and its operator
    Prometheus,
    /// Dashboards, and the files that load them into Grafana
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
    pub const ALL: [Target; 5] = [
        Target::Prometheus,
        Target::Grafana,
        Target::CloudWatch,
        Target::Emitter,
        Target::Runbook,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Target::Prometheus => "prometheus",
            Target::Grafana => "grafana",
            Target::CloudWatch => "cloudwatch",
            Target::Emitter => "emitter",
            Target::Runbook => "runbooks",
        }
    }

    /// What it puts into a service's folder.
    pub fn outputs(self) -> Vec<&'static str> {
        match self {
            Target::CloudWatch => vec![self.as_str(), "parity.md", "parity.json"],
            _ => vec![self.as_str()],
        }
    }
}

/// A form in which rules and dashboards are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Files for Prometheus, a ruler and the provisioning of Grafana
    Files,
    /// Resources for operators, and for Argo CD or Flux
    Kubernetes,
}

impl Format {
    /// The form that a file is for. Other outputs are for none, and rule files for each: unit tests read them.
    pub fn of(path: &str) -> Option<Self> {
        const FILES: [&str; 3] = [
            "grafana/dashboards/",
            "grafana/provisioning/",
            "prometheus/scrape.yaml",
        ];
        const KUBERNETES: [&str; 6] = [
            "grafana/configmaps/",
            "grafana/operator/",
            "grafana/references.yaml",
            "prometheus/monitors/",
            "prometheus/prometheusrule.yaml",
            KUSTOMIZATION,
        ];
        let is_below = |places: &[&str]| places.iter().any(|place| path.starts_with(place));
        let files = is_below(&FILES).then_some(Self::Files);
        files.or(is_below(&KUBERNETES).then_some(Self::Kubernetes))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutFile {
    /// Path below the service's folder, with `/`.
    pub path: String,
    pub text: String,
}

impl OutFile {
    fn invalid(&self, why: impl Into<String>) -> TargetError {
        TargetError::Invalid {
            path: self.path.clone(),
            why: why.into(),
        }
    }

    /// The content of a YAML file.
    fn read<T: DeserializeOwned>(&self) -> Result<T, TargetError> {
        let read = yaml::read(FileId::default(), &self.text);
        read.map_err(|error| self.invalid(error.message))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files, sorted by path.
    pub files: Vec<OutFile>,
    pub beside: Vec<OutFile>,
    /// What the author should know: an alert for which no unit test is made, on PromQL of theirs or over a short window.
    pub notes: Vec<String>,
    /// Alerts without a unit test, because no input was found that makes them fire.
    pub untested: Vec<Untested>,
}

/// A generated file that is not what it should be. With the built-in templates this is a bug in slosmith.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A page links to a place that none has: an author's link, or a template's.
    #[error("{path}: the link `{target}` leads nowhere")]
    DeadLink {
        path: String,
        /// Where the link leads.
        target: String,
    },
    /// The rendered text does not read back.
    #[error("{path}: the template's output is not valid: {why}")]
    Invalid { path: String, why: String },
}

/// An alert under whose condition no input was found that makes it fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untested {
    pub alert: String,
    pub why: String,
}

#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub templates: &'a Templates,
    /// Whether unit tests of the rules are among them.
    pub unit_tests: bool,
    /// Whether every file is read back; else only where its text could make a difference.
    pub read_back: bool,
}

impl<'a> Options<'a> {
    /// Everything there is, all of it read back.
    pub fn all(templates: &'a Templates) -> Self {
        Self {
            templates,
            unit_tests: true,
            read_back: true,
        }
    }

    /// Whether a YAML file is read back. Our own templates put nothing but whole scalars in place, and
    /// tests read back what they make of printable ASCII; anything else is read back by every build.
    fn reads_back(&self, text: &str) -> bool {
        let ordinary = |b: u8| b == b'\n' || matches!(b, b' '..=b'~');
        self.read_back || self.templates.are_replaced() || !holds_only(text, ordinary)
    }

    /// The same file, after a check where its text could make a difference.
    fn checked(
        &self,
        file: OutFile,
        check: impl FnOnce(&OutFile) -> Result<(), TargetError>,
    ) -> Result<OutFile, TargetError> {
        if self.reads_back(&file.text) {
            check(&file)?;
        }
        Ok(file)
    }

    /// A YAML file that a template makes.
    fn yaml(
        &self,
        path: impl Into<String>,
        template: &str,
        view: &impl Serialize,
    ) -> Result<OutFile, TargetError> {
        let file = OutFile {
            path: path.into(),
            text: self.templates.render(template, view)?,
        };
        self.checked(file, |file| file.read::<serde_json::Value>().map(drop))
    }
}

pub fn render(plan: &Plan, target: Target, options: Options<'_>) -> Result<Rendered, TargetError> {
    let templates = options.templates;
    let mut rendered = match target {
        Target::Prometheus | Target::Grafana => match (plan.stored(), target) {
            (None, _) => Rendered::default(),
            (Some(plan), Target::Grafana) => grafana::render(&plan, options)?,
            (Some(plan), _) => prometheus::render(&plan, options)?,
        },
        Target::CloudWatch => cloudwatch::render(plan, options)?,
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
