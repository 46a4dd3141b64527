//! The program that evaluates the rules, where it is not the Prometheus that scrapes.

use schemars::JsonSchema;
use serde::Deserialize;

/// A program that evaluates rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ruler {
    /// Prometheus, with one rule file for each service.
    Prometheus,
    /// The ruler of Mimir: one namespace for each service.
    Mimir,
    /// Thanos Ruler.
    Thanos,
    /// vmalert of VictoriaMetrics.
    VictoriaMetrics,
}

/// Behavior of Thanos Ruler if some stores do not respond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PartialResponse {
    /// The rule fails.
    Abort,
    /// The rule is evaluated on the available data.
    Warn,
}

impl PartialResponse {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abort => "abort",
            Self::Warn => "warn",
        }
    }
}
