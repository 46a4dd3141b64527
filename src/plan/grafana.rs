//! How dashboards get into Grafana.

use indexmap::IndexMap;

use crate::spec::Provision;

#[derive(Clone, Debug)]
pub struct Provisioning {
    /// Formats that they are written in.
    pub formats: Vec<Provision>,
    /// Labels of the operator's `Grafana` resources that get them.
    pub instances: IndexMap<String, String>,
}
