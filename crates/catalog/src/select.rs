//! Ranges of versions → recorded releases.

use super::Catalog;
use super::release::{Release, ReleaseId};
use super::version::{Range, Version};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The recorded releases, oldest first; never empty. For one version without a recording, those
    /// before and after it.
    pub releases: Vec<ReleaseId>,
    /// The version that has no recording and is checked against its neighbours.
    pub unrecorded: Option<Version>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no recorded {product} release is in `{range}`; nearest: {}", .nearest.join(" and "))]
pub struct NoRelease {
    pub product: String,
    pub range: String,
    pub nearest: Vec<String>,
}

impl Catalog {
    /// The recorded releases of a range.
    ///
    /// One version without a recording is checked against its neighbours, one newer than all recordings
    /// against the newest.
    pub fn select(&self, range: &Range) -> Result<Selection, NoRelease> {
        let inside = |release: &&Release| range.contains(release.version());
        let releases: Vec<_> = self
            .releases
            .iter()
            .filter(inside)
            .map(Release::id)
            .collect();
        if !releases.is_empty() {
            return Ok(Selection {
                releases,
                unrecorded: None,
                notes: self.open_end(range).into_iter().collect(),
            });
        }
        match range.as_exact() {
            Some(version) => self.select_unrecorded(range, version),
            None => Err(self.no_release(range)),
        }
    }

    pub fn select_all(&self) -> Selection {
        Selection {
            releases: self.releases.iter().map(Release::id).collect(),
            unrecorded: None,
            notes: Vec::new(),
        }
    }

    /// The newest recorded release.
    pub fn select_newest(&self) -> Selection {
        let mut selection = self.select_all();
        let last = selection.releases.len().saturating_sub(1);
        selection.releases.drain(..last);
        selection
    }

    fn open_end(&self, range: &Range) -> Option<String> {
        let newest = self.releases.last().filter(|_| range.is_open_ended())?;
        let newest = newest.version();
        Some(format!(
            "`{range}` has no upper limit: checked up to {newest}, the newest recorded release"
        ))
    }

    fn select_unrecorded(&self, range: &Range, version: &Version) -> Result<Selection, NoRelease> {
        let (before, after) = self.around(version);
        let (releases, note) = match (before, after) {
            (Some(before), Some(after)) => (
                vec![before.id(), after.id()],
                format!(
                    "{} {version} is not recorded: checked against {} and {}",
                    self.title(),
                    before.version(),
                    after.version()
                ),
            ),
            (Some(newest), None) => (
                vec![newest.id()],
                format!(
                    "{} {version} is newer than every recording: checked against {}",
                    self.title(),
                    newest.version()
                ),
            ),
            (None, _) => return Err(self.no_release(range)),
        };
        Ok(Selection {
            releases,
            unrecorded: Some(version.clone()),
            notes: vec![note],
        })
    }

    fn around(&self, version: &Version) -> (Option<&Release>, Option<&Release>) {
        let split = self.releases.partition_point(|r| r.version() < version);
        let before = split.checked_sub(1).and_then(|i| self.releases.get(i));
        (before, self.releases.get(split))
    }

    fn no_release(&self, range: &Range) -> NoRelease {
        // A range between two recordings is found by the first bound that it names.
        let bounds = range.versions();
        let (before, after) = match bounds.first() {
            Some(version) => self.around(version),
            None => (self.releases.first(), self.releases.last()),
        };
        let nearest = before.into_iter().chain(after);
        NoRelease {
            product: self.title().to_owned(),
            range: range.to_string(),
            nearest: nearest
                .map(|release| release.version().to_string())
                .collect(),
        }
    }
}
