//! Languages of queries, and of source code in whose string literals queries are looked for.

use std::path::Path;

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

/// A language of source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// Python.
    Py,
    /// Go.
    Go,
    /// TypeScript and JavaScript.
    Ts,
}

impl Code {
    /// The languages by the names that people give.
    pub const ALL: [(&str, Code); 3] = [("py", Code::Py), ("go", Code::Go), ("ts", Code::Ts)];

    /// The language of a file, by the ending of its name.
    pub fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "py" | "pyi" => Code::Py,
            "go" => Code::Go,
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Code::Ts,
            _ => return None,
        })
    }
}
