//! How dashboards get into Grafana, beside files and ConfigMaps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Map, Text};
use slosmith_text::source::Spanned;

/// Formats of the Grafana dashboards.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Grafana {
    /// Formats in addition to classic JSON and ConfigMaps.
    pub provision: Vec<Provision>,
    /// Labels of the operator's `Grafana` resources that get the dashboards. Default: `dashboards: grafana`.
    pub selector: Option<Spanned<Map<Text>>>,
}

/// A format of dashboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provision {
    /// `GrafanaDashboard` and `GrafanaFolder` of the Grafana operator.
    Operator,
    /// `grafana_dashboard` and `grafana_folder` of the Terraform provider.
    Terraform,
    /// Resources of Grizzly.
    Grizzly,
    /// Resources of Grafana's own API, dashboards in schema v2, in the folders of `gcx`.
    V2,
}
