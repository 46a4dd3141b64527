//! Who a catalog is of: `product.yaml`.

use serde::{Deserialize, Serialize};

/// The word for vLLM in configuration and on the command line.
pub const VLLM: &str = "vllm";

/// The name of a product, and what the names of its metrics begin with: `product.yaml` of its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The name in sentences, without an article.
    pub title: String,
    /// It runs models: `llm.` in the name of a signal stands for the engine that a service runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine: bool,
    /// `runtime` of a spec can name it: it is what a service runs, not what measures beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runtime: bool,
    /// What the names of its own metrics begin with; empty if its names have nothing in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefixes: Vec<String>,
    /// What they begin with in stores that do not keep the first prefix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spellings: Vec<Spelling>,
}

impl Identity {
    /// True for a name that begins as the product's own do.
    pub fn claims(&self, name: &str) -> bool {
        let mut prefixes = self.prefixes.iter();
        prefixes.any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// What names of its metrics begin with, served or stored.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        let stored = self.spellings.iter().map(|spelling| &spelling.prefix);
        self.prefixes.iter().chain(stored).map(String::as_str)
    }
}

/// A prefix that names have in some stores in the place of the served one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spelling {
    pub prefix: String,
    pub stored_by: String,
    /// Series have other labels than the served ones, and counters may lack `_total`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}
