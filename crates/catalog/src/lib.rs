//! Recorded metrics pages, indexed by family and release, with what replaced what.
//!
//! ```
//! use slosmith_catalog::{Catalog, DEFAULT_PROFILE};
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
mod detect;
pub mod diff;
mod embedded;
pub mod exposition;
mod family;
mod foreign;
mod identity;
mod index;
pub mod lineage;
mod names;
mod product;
pub mod record;
mod release;
mod select;
mod shape;
pub mod version;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

pub use coverage::{Answer, Coverage, Lifetime};
pub use detect::{Contradiction, Server};
pub use embedded::{Embedded, is_recorded, is_series, mentions, served_prefixes};
pub use family::Family;
pub use foreign::{Exporter, Foreign, ForeignFamily};
pub use identity::{Identity, Spelling, VLLM};
pub use index::{BuildError, Index, Service, build, build_service};
use lineage::Replacement;
pub use lineage::{DEFAULT_PROFILE, Lineage, OwnBuckets};
pub use names::{PREFIX_HELP, is_in_name, is_prefix, meant, meant_value, word_at};
pub use product::Product;
pub use release::{PageEntry, Release, ReleaseId};
pub use select::{NoRelease, Selection};
pub use shape::{MetricType, Shape};
pub use slosmith_promql::{Series, split_series};
pub use version::{Range, RangeError, Version};

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    identity: Identity,
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
        static EMBEDDED: LazyLock<Catalog> = LazyLock::new(|| embedded::read(VLLM));
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

    /// The texts of the catalogs that took the place of embedded ones.
    pub fn newer() -> impl Iterator<Item = &'static str> {
        let vllm = NEWER.get().map(|(_, text)| text.as_str());
        vllm.into_iter().chain(Embedded::newer())
    }

    /// The releases of another catalog that this one does not have.
    pub fn lacks<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Version> {
        let versions = other.releases.iter().map(Release::version);
        versions.filter(|version| self.find_release(version).is_none())
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

    pub fn foreign(&self) -> &Foreign {
        &self.foreign
    }
}

impl Catalog {
    /// A set of releases as people write it: `0.8.0–0.10.2 and 0.12.0`. A stretch means that every
    /// recorded release in it belongs to the set.
    pub fn describe(&self, releases: &[ReleaseId]) -> String {
        let mut sorted = releases.to_vec();
        sorted.sort();
        sorted.dedup();
        let stretches = sorted.chunk_by(|a, b| a.index() + 1 == b.index());
        let words: Vec<_> = stretches
            .filter_map(|stretch| self.stretch(stretch))
            .collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((only, _)) => only.clone(),
            None => "no release".to_owned(),
        }
    }

    fn stretch(&self, releases: &[ReleaseId]) -> Option<String> {
        let first = self.release(*releases.first()?).version();
        let last = self.release(*releases.last()?).version();
        Some(match releases.len() {
            1 => first.to_string(),
            _ => format!("{first}–{last}"),
        })
    }
}

impl Catalog {
    /// The newest name of a family, by pure renames in either direction, that a release shows in one of
    /// the profiles; without profiles, in the default one.
    pub fn name_on<'a, P: AsRef<str>>(
        &'a self,
        name: &'a str,
        release: &Release,
        profiles: &[P],
    ) -> Option<&'a str> {
        let newest = self.lineage.successor(name).unwrap_or(name);
        let older = self.lineage.predecessors(newest);
        let mut names = std::iter::once(newest).chain(older);
        names.find(|name| self.shape(name, release.id(), profiles).is_some())
    }

    /// What replaces a family, in the names that a release shows; none when the release lacks a part.
    pub fn replacement_on<P: AsRef<str>>(
        &self,
        name: &str,
        release: &Release,
        profiles: &[P],
    ) -> Option<Replacement> {
        let shown = |name: &String| {
            let found = self.name_on(name, release, profiles);
            found.map(str::to_owned)
        };
        Some(match self.lineage.change(name)?.replaced_by.as_ref()? {
            Replacement::Family(new) => Replacement::Family(shown(new)?),
            Replacement::Rate(counter) => Replacement::Rate(shown(counter)?),
            Replacement::Ratio { of, over } => Replacement::Ratio {
                of: shown(of)?,
                over: shown(over)?,
            },
            Replacement::Split(parts) => {
                Replacement::Split(parts.iter().map(shown).collect::<Option<_>>()?)
            }
        })
    }
}

/// Labels that Prometheus and its operator add to what a page shows.
pub const ADDED_BY_SCRAPE: [&str; 8] = [
    "container",
    "endpoint",
    "instance",
    "job",
    "namespace",
    "node",
    "pod",
    "service",
];
