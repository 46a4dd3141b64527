//! A product with recordings: vLLM, or a service of the project.

use super::{Catalog, ReleaseId, Selection};

/// The prefixes of metrics that many exporters have.
const GENERAL: [&str; 5] = ["go_", "http_", "process_", "promhttp_", "python_"];

/// A recorded product, with the selected releases and profiles.
#[derive(Clone, Debug)]
pub struct Product<'c> {
    pub name: String,
    pub catalog: &'c Catalog,
    pub selection: Selection,
    pub profiles: Vec<String>,
}

impl<'c> Product<'c> {
    /// Releases in words: `0.12.0–0.33.0`.
    pub fn describe(&self, releases: &[ReleaseId]) -> String {
        self.catalog.describe(releases)
    }

    pub fn own_labels(&self) -> impl Iterator<Item = &'c str> {
        let families = self.catalog.families();
        let own = families.filter(|family| self.claims(family.name()));
        let shapes = own.flat_map(|family| family.shapes());
        let labels = shapes.flat_map(|shape| &shape.labels);
        labels
            .map(String::as_str)
            .filter(|label| label.contains('_'))
    }

    /// Series of other exporters that begin as its own do.
    pub fn only_foreign(&self) -> impl Iterator<Item = &'c str> {
        let (catalog, prefix) = (self.catalog, self.catalog.prefix());
        let alike = catalog
            .foreign()
            .names()
            .filter(move |name| name.starts_with(prefix));
        alike.filter(|name| catalog.series_of(name).is_none())
    }

    pub fn claims(&self, name: &str) -> bool {
        let prefix = self.catalog.prefix();
        !prefix.is_empty() && name.starts_with(prefix)
    }

    /// True if a family of this name can only belong to this product. Names such as `process_start_time_seconds` belong to
    /// many exporters.
    pub fn owns(&self, name: &str) -> bool {
        if self.catalog.prefix().is_empty() {
            !GENERAL.iter().any(|prefix| name.starts_with(prefix))
        } else {
            self.claims(name)
        }
    }
}
