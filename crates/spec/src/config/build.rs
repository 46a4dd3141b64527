//! What is built: the tables `[build]`, `[kubernetes]` and `[[output]]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned as At;

use super::Policy;
use super::place::Place;
use crate::kubernetes::Metadata;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;

/// Settings of `slosmith build` that the command line does not set.
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// Specs, folders of specs, and globs; below the configuration's folder.
    pub specs: Vec<Spanned<String>>,
    /// Folders of files that specs extend; `build` does not compile the files themselves.
    pub defaults: Vec<Spanned<PathBuf>>,
    /// Output folder, with one folder per service.
    pub out: Option<PathBuf>,
    /// Names of the outputs to build; all of them if empty.
    pub targets: Vec<Spanned<String>>,
    /// Names of the forms of rules and dashboards; all of them if empty.
    pub formats: Vec<Spanned<String>>,
    /// Templates that replace built-in ones.
    pub templates: Option<Spanned<PathBuf>>,
    /// True if no unit tests are written.
    pub no_tests: bool,
    pub kubernetes: Option<Metadata>,
    pub outputs: Vec<Output>,
    /// What every service must fit.
    pub policy: Option<Policy>,
}

impl Build {
    /// True for a file in one of the folders of what specs extend.
    pub fn is_defaults(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let below = |path: &Path| {
            let mut folders = self
                .defaults
                .iter()
                .filter_map(|folder| real(&folder.value));
            folders.any(|folder| path.starts_with(folder))
        };
        !self.defaults.is_empty() && real(path).is_some_and(|path| below(&path))
    }
}

/// An additional file for each service.
#[derive(Clone, Debug)]
pub struct Output {
    pub template: Spanned<PathBuf>,
    /// Path below the folder of the service.
    pub path: Spanned<String>,
}

/// The table `[build]`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "Build")]
pub(super) struct BuildTable {
    /// Specs, folders of specs and globs such as `services/*/slo.yaml`, relative to this file. Default: `["specs"]`.
    #[schemars(with = "Vec<String>", example = ["specs"])]
    specs: Vec<At<String>>,
    /// Folders of files that specs extend, relative to this file; `build` does not compile the files themselves.
    #[schemars(with = "Vec<String>", example = ["specs/defaults"])]
    defaults: Vec<At<PathBuf>>,
    /// Output folder, with one folder per service, relative to this file. Default: `generated`.
    #[schemars(with = "Option<String>", example = &"generated")]
    out: Option<At<PathBuf>>,
    /// Outputs to build: `prometheus`, `grafana`, `cloudwatch`, `emitter`, `runbook`. Default: all of them.
    #[schemars(with = "Vec<String>", example = ["prometheus", "grafana"])]
    targets: Vec<At<String>>,
    /// Forms of rules and dashboards: `files` for Prometheus, a ruler and Grafana's provisioning, `kubernetes` for operators. Default: both.
    #[schemars(with = "Vec<String>", example = ["files"])]
    formats: Vec<At<String>>,
    /// A folder of templates that replace built-in ones, relative to this file.
    #[schemars(with = "Option<String>")]
    templates: Option<At<PathBuf>>,
    /// `false`: do not write unit tests of the rules.
    tests: Option<bool>,
    /// A JSON Schema, as JSON or YAML, that every service must fit as `slosmith list --format json` prints it. Relative to this file.
    #[schemars(with = "Option<String>", example = &"policy.yaml")]
    policy: Option<At<PathBuf>>,
}

/// The table `[kubernetes]`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "Kubernetes")]
pub(super) struct KubernetesTable {
    /// Namespace of every resource.
    #[schemars(with = "Option<String>", example = &"monitoring")]
    namespace: Option<At<String>>,
    /// Labels of every resource, such as the label that the operator's `ruleSelector` selects.
    #[schemars(with = "BTreeMap<String, String>")]
    labels: BTreeMap<At<String>, At<String>>,
    /// Annotations of every resource.
    #[schemars(with = "BTreeMap<String, String>")]
    annotations: BTreeMap<At<String>, At<String>>,
}

/// An additional file, from your own template.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Output")]
pub(super) struct OutputTable {
    /// The template, relative to this file; `docs/templates.md` lists the variables.
    #[schemars(with = "String", example = &"templates/catalog-info.yaml")]
    template: At<PathBuf>,
    /// Path of the file, below the folder of each service.
    #[schemars(with = "String", example = &"catalog/catalog-info.yaml")]
    path: At<String>,
}

impl Place<'_> {
    pub(super) fn build(
        &self,
        table: BuildTable,
        kubernetes: Option<KubernetesTable>,
        outputs: Vec<OutputTable>,
        faults: &mut Vec<Diagnostic>,
    ) -> Build {
        let kubernetes = kubernetes.map(|table| self.metadata(table));
        faults.extend(kubernetes.iter().flat_map(Metadata::faults));
        let outputs = outputs.into_iter().map(|output| Output {
            template: self.path(output.template),
            path: self.here(output.path),
        });
        let outputs: Vec<_> = outputs.collect();
        faults.extend(outputs.iter().filter_map(leaves));
        let policy = table.policy.map(|at| Policy::read(&self.path(at)));
        let policy = policy.and_then(|read| read.map_err(|fault| faults.push(fault)).ok());
        Build {
            specs: self.all(table.specs),
            defaults: table.defaults.into_iter().map(|at| self.path(at)).collect(),
            out: table.out.map(|at| self.path(at).value),
            targets: self.all(table.targets),
            formats: self.all(table.formats),
            templates: table.templates.map(|at| self.path(at)),
            no_tests: table.tests == Some(false),
            kubernetes,
            outputs,
            policy,
        }
    }

    fn metadata(&self, table: KubernetesTable) -> Metadata {
        let pairs = |map: BTreeMap<At<String>, At<String>>| {
            let pairs = map.into_iter();
            let pairs = pairs.map(|(key, value)| (self.here(key), self.here(value)));
            pairs.collect::<IndexMap<_, _>>()
        };
        Metadata {
            namespace: table.namespace.map(|at| self.here(at)),
            labels: pairs(table.labels),
            annotations: pairs(table.annotations),
        }
    }
}

/// A path that is not one below a service's folder.
fn leaves(output: &Output) -> Option<Diagnostic> {
    let path = &output.path;
    let plain = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.contains(|c: char| c == '\\' || c.is_control())
    };
    let fine = path.value.split('/').all(plain) && Path::new(&path.value).is_relative();
    let message = format!("`{path}` must be a relative path inside the folder of a service");
    let fault = || Diagnostic::error("invalid-value", path.span, message);
    (!fine).then(|| fault().help("write a path such as `catalog/info.yaml`, without `..`"))
}
