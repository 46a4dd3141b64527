//! On which releases a family exists.

use super::lineage::DEFAULT_PROFILE;
use super::release::{Release, ReleaseId};
use super::select::Selection;
use super::shape::Shape;
use super::version::Version;
use super::{Catalog, Family};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Recorded pages of the releases asked for.
    Recorded,
    /// The pages before and after an unrecorded release, which agree.
    Neighbours,
    /// They disagree; lineage says when the family began or ended.
    Lineage,
    /// They disagree and nothing decides: the family is in both lists.
    Undecided,
}

/// On which releases of a selection a family exists in the profiles asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    pub present: Vec<ReleaseId>,
    pub absent: Vec<ReleaseId>,
    /// Other profiles that show it on some of the absent releases.
    pub only_in_profiles: Vec<String>,
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    pub first: Version,
    /// The last one; none while the newest recorded release has it.
    pub last: Option<Version>,
}

impl Catalog {
    /// On which releases of the selection a family exists; without profiles, in the default one.
    pub fn coverage<P: AsRef<str>>(
        &self,
        name: &str,
        selection: &Selection,
        profiles: &[P],
    ) -> Coverage {
        let Some(family) = self.family(name) else {
            return Coverage {
                present: Vec::new(),
                absent: selection.releases.clone(),
                only_in_profiles: Vec::new(),
                answer: Answer::Recorded,
            };
        };
        let shows = |id: &ReleaseId| family.visible_in(self.release(*id), profiles).is_some();
        let (mut present, mut absent): (Vec<_>, Vec<_>) =
            selection.releases.iter().partition(|id| shows(id));
        let mut answer = Answer::Recorded;
        if let Some(version) = &selection.unrecorded {
            answer = if present.is_empty() || absent.is_empty() {
                Answer::Neighbours
            } else {
                let before_shows = present.first() < absent.first();
                let existed = self.existed(name, version, &selection.releases, before_shows);
                decide(existed, &mut present, &mut absent)
            };
        }
        Coverage {
            only_in_profiles: self.showing(family, &absent),
            present,
            absent,
            answer,
        }
    }

    pub fn first_last(&self, name: &str) -> Option<Lifetime> {
        let family = self.family(name)?;
        let anywhere = |release: &&Release| family.is_on(release);
        self.lifetime(name, self.releases.iter().filter(anywhere))
    }

    /// The first and last release with the family in one of the profiles; without profiles, in the
    /// default one.
    pub fn first_last_in<P: AsRef<str>>(&self, name: &str, profiles: &[P]) -> Option<Lifetime> {
        let family = self.family(name)?;
        let shows = |release: &&Release| family.visible_in(release, profiles).is_some();
        self.lifetime(name, self.releases.iter().filter(shows))
    }

    /// True when a server of every release of the selection shows the family's series before its first
    /// request.
    pub fn present_from_start(&self, name: &str, selection: &Selection) -> bool {
        let rule = &self.lineage.present_from_start;
        let Some(family) = self
            .family(name)
            .filter(|f| f.name().starts_with(&rule.prefix))
        else {
            return false;
        };
        let plain = |shape: &Shape| {
            !shape.open_labels
                && shape
                    .labels
                    .iter()
                    .all(|label| rule.labels_within.contains(label))
        };
        selection.releases.iter().all(|id| {
            let release = self.release(*id);
            let engine = release.page(DEFAULT_PROFILE).map(|page| &page.engine);
            *release.version() >= rule.since
                && engine == Some(&rule.engine)
                && family
                    .in_profile(release, DEFAULT_PROFILE)
                    .is_some_and(plain)
        })
    }

    fn lifetime<'a>(
        &self,
        name: &str,
        mut showing: impl Iterator<Item = &'a Release>,
    ) -> Option<Lifetime> {
        let first = showing.next()?;
        let last = showing.last().unwrap_or(first);
        let edges = self.lineage.edges.iter();
        let began = edges.filter(|edge| edge.added.iter().any(|added| added == name));
        // An edge only dates the recorded beginning; one far from it belongs to another profile.
        let began = began.map(|edge| &edge.release).find(|release| {
            *release < first.version()
                && self.previous(first).is_none_or(|p| p.version() < *release)
        });
        let newest = self.releases.last().map(Release::id);
        Some(Lifetime {
            first: began.unwrap_or(first.version()).clone(),
            last: (Some(last.id()) != newest).then(|| last.version().clone()),
        })
    }

    fn previous(&self, release: &Release) -> Option<&Release> {
        self.releases.get(release.id().index().checked_sub(1)?)
    }

    /// Whether an unrecorded version between two recorded ones that disagree has the family.
    fn existed(
        &self,
        name: &str,
        version: &Version,
        around: &[ReleaseId],
        before_shows: bool,
    ) -> Option<bool> {
        let (before, after) = match around {
            [before, after] => (
                self.release(*before).version(),
                self.release(*after).version(),
            ),
            _ => return None,
        };
        let between = |release: &&Version| before < *release && *release <= after;
        let named = |names: &[String]| names.iter().any(|known| known == name);
        let edges = self.lineage.edges.iter();
        if !before_shows {
            let mut began = edges
                .filter(|edge| named(&edge.added))
                .map(|edge| &edge.release);
            let began = began.find(between).map(|release| version >= release);
            return began.or_else(|| same_release(version, after).then_some(true));
        }
        let change = self.lineage.change(name);
        let ended = edges
            .filter(|edge| named(&edge.removed))
            .map(|edge| &edge.release);
        let mut ended = ended
            .chain(change.and_then(|change| change.hidden.as_ref()))
            .chain(change.and_then(|change| change.removed.as_ref()));
        let ended = ended.find(between).map(|release| version < release);
        ended.or_else(|| same_release(version, after).then_some(false))
    }

    fn showing(&self, family: &Family, absent: &[ReleaseId]) -> Vec<String> {
        let releases = absent.iter().map(|id| self.release(*id));
        let mut found: Vec<String> = releases
            .flat_map(|release| family.profiles_adding(release))
            .map(str::to_owned)
            .collect();
        found.sort();
        found.dedup();
        found
    }
}

fn decide(
    existed: Option<bool>,
    present: &mut Vec<ReleaseId>,
    absent: &mut Vec<ReleaseId>,
) -> Answer {
    match existed {
        Some(true) => absent.clear(),
        Some(false) => present.clear(),
        None => return Answer::Undecided,
    }
    Answer::Lineage
}

/// True when `recorded` is `version` with another packaging (`.postN`).
fn same_release(version: &Version, recorded: &Version) -> bool {
    recorded.is_post() && recorded.only_release() == version.only_release()
}
