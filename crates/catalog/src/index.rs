//! The compact form of all recordings, as it is committed and embedded.

mod build;
mod load;
mod pages;

pub use build::{BuildError, Service, build, build_service};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::family::Run;
use super::foreign::Foreign;
use super::identity::Identity;
use super::lineage::Lineage;
use super::release::PageEntry;
use super::shape::MetricType;
use super::version::Version;

/// All recordings with lineage and foreign names; see [`build`]. Unknown fields are errors: a catalog that says more than this program
/// understands must not be half understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// First, so that its line tells whether the rest is needed.
    product: Identity,
    releases: Vec<ReleaseEntry>,
    /// Label sets that shapes point at.
    labels: Vec<Vec<String>>,
    /// Bucket boundaries that shapes point at.
    buckets: Vec<Vec<String>>,
    families: BTreeMap<String, FamilyEntry>,
    lineage: Lineage,
    foreign: Foreign,
}

impl Index {
    /// The committed text: one line per item, so that a change shows as what it is.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\n\"product\":{},\n", text(&self.product));
        list(&mut out, "releases", &self.releases);
        list(&mut out, "labels", &self.labels);
        list(&mut out, "buckets", &self.buckets);
        out.push_str("\"families\":{\n");
        let lines = self
            .families
            .iter()
            .map(|(name, family)| format!("{}:{}", text(name), text(family)));
        out.push_str(&lines.collect::<Vec<_>>().join(",\n"));
        out.push_str("\n},\n\"lineage\":");
        out.push_str(&text(&self.lineage));
        out.push_str(",\n\"foreign\":");
        out.push_str(&text(&self.foreign));
        out.push_str("\n}\n");
        out
    }
}

fn list<T: Serialize>(out: &mut String, name: &str, items: &[T]) {
    let lines: Vec<_> = items.iter().map(text).collect();
    out.push_str(&format!("\"{name}\":[\n{}\n],\n", lines.join(",\n")));
}

fn text<T: Serialize + ?Sized>(item: &T) -> String {
    serde_json::to_string(item).unwrap_or_default()
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseEntry {
    version: Version,
    pages: BTreeMap<String, PageEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyEntry {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    created: bool,
    shapes: Vec<ShapeEntry>,
    seen: BTreeMap<String, Vec<Run>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeEntry {
    #[serde(rename = "type")]
    kind: MetricType,
    labels: u16,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    open_labels: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    buckets: Option<u16>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    open_buckets: bool,
}
