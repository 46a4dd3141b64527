//! Recorded metrics pages, indexed by family and release, with what replaced what.
//!
//! ```
//! use slosmith::catalog::{Catalog, DEFAULT_PROFILE};
//!
//! let catalog = Catalog::vllm();
//! let range = ">=0.10, <0.34".parse().expect("a range");
//! let releases = catalog.select(&range).expect("recorded releases");
//! let coverage = catalog.coverage("vllm:gpu_cache_usage_perc", &releases, &[DEFAULT_PROFILE]);
//! assert!(!coverage.present.is_empty() && !coverage.absent.is_empty());
//! assert_eq!(
//!     catalog.lineage().successor("vllm:gpu_cache_usage_perc"),
//!     Some("vllm:kv_cache_usage_perc")
//! );
//! ```
//!
//! [`Catalog::vllm`] is embedded; a test rebuilds it from `catalog/` and compares.

mod coverage;
mod describe;
mod detect;
pub mod diff;
pub mod exposition;
mod family;
mod foreign;
mod index;
pub mod lineage;
mod names;
pub mod record;
mod release;
mod renames;
mod select;
mod shape;
pub mod version;

pub use crate::promql::{Series, split_series};
pub use coverage::{Answer, Coverage, Lifetime};
pub use detect::{Contradiction, Server};
pub use family::Family;
pub use foreign::{Exporter, Foreign, ForeignFamily};
pub use index::{BuildError, Index, PageEntry, Service, build, build_service};
pub use lineage::DEFAULT_PROFILE;
pub use lineage::{Lineage, Spelling};
pub use names::{PREFIX_HELP, is_prefix};
pub use release::{Release, ReleaseId};
pub use select::{NoRelease, Selection};
pub use shape::{MetricType, Shape};
pub use version::{Range, RangeError, Version};

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

const VLLM_INDEX: &str = include_str!("../../catalog/vllm/index.json");

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    releases: Vec<Release>,
    families: BTreeMap<String, Family>,
    lineage: Lineage,
    foreign: Foreign,
}

/// The catalog that takes the place of the embedded one in this process, and its text.
static NEWER: OnceLock<(Catalog, String)> = OnceLock::new();

impl Catalog {
    pub fn vllm() -> &'static Self {
        // A test proves that the embedded text can be read.
        static EMBEDDED: LazyLock<Catalog> = LazyLock::new(|| {
            Index::from_json(VLLM_INDEX)
                .unwrap_or_default()
                .into_catalog()
        });
        NEWER.get().map_or(&EMBEDDED, |(catalog, _)| catalog)
    }

    /// Reads a catalog that was recorded after this program was made, and uses it from now on if it has every release
    /// that [`Catalog::vllm`] has. Call it before anything asks for the catalog: what was taken from the embedded one stays.
    pub fn use_newer(text: String) -> Result<(), serde_json::Error> {
        let newer = Index::from_json(&text)?.into_catalog();
        if newer.lacks(Self::vllm()).next().is_none() {
            // Whoever comes second finds the first in place.
            drop(NEWER.set((newer, text)));
        }
        Ok(())
    }

    /// The text of the catalog that took the place of the embedded one; empty without one.
    pub fn newer() -> &'static str {
        NEWER.get().map_or("", |(_, text)| text)
    }

    /// The releases of another catalog that this one does not have.
    pub fn lacks<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Version> {
        let versions = other.releases.iter().map(Release::version);
        versions.filter(|version| self.find_release(version).is_none())
    }

    fn new(
        releases: Vec<Release>,
        families: BTreeMap<String, Family>,
        lineage: Lineage,
        foreign: Foreign,
    ) -> Self {
        Self {
            releases,
            families,
            lineage,
            foreign,
        }
    }

    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    pub fn release(&self, id: ReleaseId) -> &Release {
        &self.releases[id.index()]
    }

    pub fn find_release(&self, version: &Version) -> Option<&Release> {
        self.releases
            .iter()
            .find(|release| release.version() == version)
    }

    /// Every profile that some release was recorded in, sorted.
    pub fn profiles(&self) -> Vec<&str> {
        let mut found: Vec<_> = self.releases.iter().flat_map(Release::profiles).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.families.values()
    }

    /// The recorded family of this exact name; a histogram's base name.
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.families.get(name)
    }

    pub fn shape<P: AsRef<str>>(
        &self,
        name: &str,
        release: ReleaseId,
        profiles: &[P],
    ) -> Option<&Shape> {
        self.family(name)?
            .visible_in(self.release(release), profiles)
    }

    /// The families that a release shows in one profile, with their shapes, sorted by name.
    pub fn visible<'a>(
        &'a self,
        release: &'a Release,
        profile: &'a str,
    ) -> impl Iterator<Item = (&'a Family, &'a Shape)> {
        self.families()
            .filter_map(move |family| Some((family, family.in_profile(release, profile)?)))
    }

    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// Names of other exporters.
    pub fn foreign(&self) -> &Foreign {
        &self.foreign
    }
}
