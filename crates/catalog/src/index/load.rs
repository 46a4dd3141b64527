//! [`Index`] → [`Catalog`].

use super::{Index, ShapeEntry};
use crate::Catalog;
use crate::family::Family;
use crate::release::{Release, ReleaseId};
use crate::shape::Shape;

impl Index {
    /// Reads the committed text, or that of a newer catalog.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Spreads the tables out for queries.
    pub fn into_catalog(self) -> Catalog {
        let (labels, buckets) = (&self.labels, &self.buckets);
        let shape = |entry: ShapeEntry| Shape {
            kind: entry.kind,
            labels: at(labels, entry.labels),
            open_labels: entry.open_labels,
            values: entry.values,
            buckets: entry.buckets.map(|i| at(buckets, i)).unwrap_or_default(),
            open_buckets: entry.open_buckets,
        };
        let families = self.families.into_iter().map(|(name, entry)| {
            let shapes = entry.shapes.into_iter().map(shape).collect();
            let family = Family::new(name.clone(), entry.created, shapes, entry.seen);
            (name, family)
        });
        let families = families.collect();
        let releases = (0_u16..).map(ReleaseId).zip(self.releases);
        let releases = releases.map(|(id, entry)| Release::new(id, entry.version, entry.pages));
        Catalog {
            identity: self.product,
            releases: releases.collect(),
            families,
            lineage: self.lineage,
            foreign: self.foreign,
        }
    }
}

fn at(table: &[Vec<String>], i: u16) -> Vec<String> {
    table.get(usize::from(i)).cloned().unwrap_or_default()
}
