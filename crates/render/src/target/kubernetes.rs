//! Kubernetes resources: their metadata, and the kustomization that loads all of a service.

use indexmap::IndexMap;
use serde::Serialize;

use super::{Options, OutFile, TargetError};
use slosmith_plan::plan::Plan;
use slosmith_spec::naming;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Metadata {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<String>,
    pub(super) labels: IndexMap<String, String>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(super) annotations: IndexMap<String, String>,
}

/// Ours, and over them what the spec and the project say.
pub(super) fn metadata(
    plan: &Plan,
    name: &str,
    label: (&str, &str),
    annotations: &[(&str, &str)],
) -> Metadata {
    let owned = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
    let ours = [("app.kubernetes.io/managed-by", "slosmith"), label];
    let mut metadata = Metadata {
        name: naming::resource(name),
        namespace: None,
        labels: ours.iter().map(owned).collect(),
        annotations: annotations.iter().map(owned).collect(),
    };
    if let Some(given) = plan.kubernetes.clone() {
        metadata.namespace = given.namespace;
        metadata.labels.extend(given.labels);
        metadata.annotations.extend(given.annotations);
    }
    metadata
}

pub const KUSTOMIZATION: &str = "kustomization.yaml";

/// The files and folders of a service that hold Kubernetes resources.
const RESOURCES: [&str; 4] = [
    "grafana/configmaps/",
    "grafana/operator/",
    "prometheus/monitors/",
    "prometheus/prometheusrule.yaml",
];

/// Which fields of the Grafana operator's resources hold names: kustomize knows this of built-in resources only.
const REFERENCES: &str = "grafana/references.yaml";

#[derive(Serialize)]
struct Kustomization<'a> {
    service: &'a str,
    title: &'a str,
    resources: Vec<&'a str>,
    configurations: Vec<&'a str>,
}

/// The file with which `kubectl apply -k` loads the Kubernetes resources among a service's files; `None` without any.
///
/// Namespace and labels are in the resources. The file sets neither, so that an overlay can.
pub fn kustomization(
    plan: &Plan,
    files: &[OutFile],
    options: Options<'_>,
) -> Result<Option<OutFile>, TargetError> {
    let paths = files.iter().map(|file| file.path.as_str());
    let mut paths: Vec<_> = paths.collect();
    paths.sort_unstable();
    let is_resource = |path: &&str| RESOURCES.iter().any(|place| path.starts_with(place));
    let is_reference = |path: &&str| *path == REFERENCES;
    let view = Kustomization {
        service: &plan.service.name,
        title: &plan.service.title,
        resources: paths.iter().copied().filter(is_resource).collect(),
        configurations: paths.iter().copied().filter(is_reference).collect(),
    };
    if view.resources.is_empty() {
        return Ok(None);
    }
    let file = options.yaml(KUSTOMIZATION, "kubernetes/kustomization.yaml", &view)?;
    Ok(Some(file))
}
