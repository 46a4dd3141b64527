//! One recorded release.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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

/// How the page of a profile was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageEntry {
    /// `server`, `server-hybrid`, `release-module`, `release-module-stubbed`, or [`PageEntry::SOURCE`].
    pub tier: String,
    /// `v0` or `v1`.
    pub engine: String,
    /// The profile whose page this one adds to; none when it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl PageEntry {
    /// The tier of a page that was not recorded: its content follows from released source.
    pub const SOURCE: &'static str = "source";

    /// False when only released source says what the page shows.
    pub fn is_recorded(&self) -> bool {
        self.tier != Self::SOURCE
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
