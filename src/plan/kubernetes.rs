//! Resources for Kubernetes: what they carry, and what the Prometheus operator watches.

use indexmap::IndexMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubernetes {
    /// Where it is put.
    pub namespace: Option<String>,
    pub labels: IndexMap<String, String>,
    pub annotations: IndexMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pods,
    Services,
}

#[derive(Clone, Debug)]
pub struct Discovery {
    pub kind: Kind,
    /// Labels that it has.
    pub selector: IndexMap<String, String>,
    pub port: String,
    /// Where it looks; in the monitor's own namespace when there are none.
    pub namespaces: Vec<String>,
    /// Labels that targets get, and that the operator does not add by itself.
    pub labels: Vec<(String, LabelSource)>,
}

/// Where a target's label comes from.
#[derive(Clone, Debug)]
pub enum LabelSource {
    /// The same on all.
    Value(String),
    /// A label that service discovery of Prometheus shows: `__meta_kubernetes_pod_label_team`.
    Discovered(String),
}
