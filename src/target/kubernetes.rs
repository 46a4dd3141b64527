//! What every resource for Kubernetes begins with.

use indexmap::IndexMap;
use serde::Serialize;

use crate::naming;
use crate::plan::Plan;

/// `metadata` of a resource.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Metadata {
    /// Name of the resource.
    pub(super) name: String,
    /// Its namespace, where the spec or the project says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<String>,
    /// Labels: ours, and those of the spec and the project.
    pub(super) labels: IndexMap<String, String>,
    /// Annotations, where there are any.
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
