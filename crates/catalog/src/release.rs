//! One recorded release.

use std::collections::BTreeMap;

use super::index::PageEntry;
use super::lineage::DEFAULT_PROFILE;
use super::version::Version;

/// Names a recorded release; ordered by version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseId(pub(super) u16);

impl ReleaseId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Clone, Debug)]
pub struct Release {
    id: ReleaseId,
    version: Version,
    pages: BTreeMap<String, PageEntry>,
}

impl Release {
    pub(super) fn new(id: ReleaseId, version: Version, pages: BTreeMap<String, PageEntry>) -> Self {
        Self { id, version, pages }
    }

    pub fn id(&self) -> ReleaseId {
        self.id
    }

    pub fn version(&self) -> &Version {
        &self.version
    }

    pub fn profiles(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }

    /// The profiles and how their pages came to be, sorted by name.
    pub fn pages(&self) -> impl Iterator<Item = (&str, &PageEntry)> {
        self.pages.iter().map(|(name, page)| (name.as_str(), page))
    }

    pub fn page(&self, profile: &str) -> Option<&PageEntry> {
        self.pages.get(profile)
    }

    /// The pages that make up a profile, its own first. A profile without a page here is the default one:
    /// what it turns on either does not exist yet or adds nothing.
    pub(super) fn pages_of<'a>(&'a self, profile: &'a str) -> [Option<&'a str>; 2] {
        match self.pages.get(profile) {
            Some(page) => [Some(profile), page.base.as_deref()],
            None => [Some(DEFAULT_PROFILE), None],
        }
    }
}
