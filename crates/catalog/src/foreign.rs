//! Names that exporters other than vLLM publish.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::shape::{MetricType, Shape};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Foreign {
    pub exporters: Vec<Exporter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exporter {
    pub name: String,
    /// The name for sentences, with its article.
    pub title: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_labels: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    pub families: Vec<ForeignFamily>,
    /// Families whose names vLLM has as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<ForeignFamily>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignFamily {
    pub name: String,
    #[serde(default, rename = "type")]
    pub kind: MetricType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Vec<String>>,
}

impl Exporter {
    fn shape(&self, family: &ForeignFamily) -> Shape {
        Shape {
            kind: family.kind,
            labels: self.labels.clone(),
            open_labels: self.open_labels,
            ..Shape::default()
        }
    }
}

impl Foreign {
    pub fn find(&self, name: &str) -> Option<(&Exporter, &ForeignFamily)> {
        let mut exporters = self.exporters.iter();
        exporters.find_map(|exporter| {
            let family = exporter.families.iter().find(|f| f.name == name)?;
            Some((exporter, family))
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        let families = self
            .exporters
            .iter()
            .flat_map(|exporter| &exporter.families);
        families.map(|family| family.name.as_str())
    }

    /// What a name of another exporter looks like.
    pub fn shape(&self, name: &str) -> Option<Shape> {
        let (exporter, family) = self.find(name)?;
        Some(exporter.shape(family))
    }

    pub fn shape_elsewhere(&self, name: &str) -> Option<Shape> {
        let shared = self.exporters.iter().find_map(|exporter| {
            let family = exporter.shared.iter().find(|f| f.name == name)?;
            Some(exporter.shape(family))
        });
        shared.or_else(|| self.shape(name))
    }
}
