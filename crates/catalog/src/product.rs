//! A product with recordings: vLLM, another server, or a service of the project.

use super::lineage::covers;
use super::{Catalog, NoRelease, Range, ReleaseId, Selection};

/// A recorded product, with the selected releases and profiles.
#[derive(Clone, Debug)]
pub struct Product<'c> {
    /// The word for configuration and command line: `sglang`.
    pub key: String,
    /// The name in sentences: `SGLang`.
    pub name: String,
    pub catalog: &'c Catalog,
    pub selection: Selection,
    pub profiles: Vec<String>,
    /// Neither the configuration nor the command line names its releases.
    pub is_guess: bool,
}

impl<'c> Product<'c> {
    /// The releases of a range, by default the newest recorded one, with all profiles.
    pub fn new(key: &str, catalog: &'c Catalog, range: Option<&Range>) -> Result<Self, NoRelease> {
        let selection = match range {
            Some(range) => catalog.select(range)?,
            None => catalog.select_newest(),
        };
        Ok(Self {
            is_guess: range.is_none(),
            ..Self::on(key, catalog, selection)
        })
    }

    /// Chosen releases, with all profiles.
    pub fn on(key: &str, catalog: &'c Catalog, selection: Selection) -> Self {
        let profiles = catalog.profiles().into_iter();
        Self {
            key: key.to_owned(),
            name: catalog.title().to_owned(),
            catalog,
            selection,
            profiles: profiles.map(str::to_owned).collect(),
            is_guess: false,
        }
    }

    /// Releases in words: `0.12.0–0.33.0`.
    pub fn describe(&self, releases: &[ReleaseId]) -> String {
        self.catalog.describe(releases)
    }

    /// Labels that it uses. Of a server whose deployments add labels of their own, none: the same may be on any other target.
    pub fn own_labels(&self) -> impl Iterator<Item = &'c str> {
        let open = &self.catalog.lineage().open.labels;
        let is_open = open.iter().any(|pattern| pattern.ends_with('*'));
        let families = self.catalog.families().filter(move |_| !is_open);
        let own = families.filter(|family| self.claims(family.name()));
        let shapes = own.flat_map(|family| family.shapes());
        let labels = shapes.flat_map(|shape| &shape.labels);
        labels
            .map(String::as_str)
            .filter(|label| label.contains('_'))
    }

    /// Series of other exporters that begin as its own do.
    pub fn only_foreign(&self) -> impl Iterator<Item = &'c str> {
        let catalog = self.catalog;
        let names = catalog.foreign().names();
        let alike = names.filter(|name| catalog.claims(name));
        alike.filter(|name| catalog.series_of(name).is_none())
    }

    pub fn claims(&self, name: &str) -> bool {
        self.catalog.claims(name)
    }

    /// True for a family that servers of one release may show or not.
    pub fn is_open(&self, family: &str) -> bool {
        let mut open = self.catalog.lineage().open.families.iter();
        open.any(|pattern| covers(pattern, family))
    }

    /// True if a family of this name can only belong to this product.
    pub fn owns(&self, name: &str) -> bool {
        self.catalog.owns(name)
    }
}
