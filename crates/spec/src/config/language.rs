//! Query languages of files.

use schemars::JsonSchema;
use serde::Deserialize;

/// A query language that data sources of Prometheus's kind may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QueryLanguage {
    /// Prometheus, Thanos, Mimir.
    PromQl,
    /// VictoriaMetrics.
    MetricsQl,
    /// Loki.
    LogQl,
}
