//! One family over all releases and profiles.

use std::collections::BTreeMap;

use super::release::Release;
use super::shape::Shape;

/// The first and the last release of a stretch in which a profile's pages show the same shape, and the number of the shape. It
/// speaks only of releases that have a page of the profile.
pub(super) type Run = (u16, u16, u16);

#[derive(Clone, Debug)]
pub struct Family {
    name: String,
    created: bool,
    shapes: Vec<Shape>,
    seen: BTreeMap<String, Vec<Run>>,
}

impl Family {
    pub(super) fn new(
        name: String,
        created: bool,
        shapes: Vec<Shape>,
        seen: BTreeMap<String, Vec<Run>>,
    ) -> Self {
        Self {
            name,
            created,
            shapes,
            seen,
        }
    }

    /// The name: counters with `_total`, histograms without suffix.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True when some page also shows the gauge with its series' creation times.
    pub fn has_created(&self) -> bool {
        self.created
    }

    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The shape on a release in the first of the profiles that shows it; without profiles, in the default
    /// one.
    pub fn visible_in<P: AsRef<str>>(&self, release: &Release, profiles: &[P]) -> Option<&Shape> {
        if profiles.is_empty() {
            return self.in_profile(release, super::DEFAULT_PROFILE);
        }
        let mut profiles = profiles.iter();
        profiles.find_map(|profile| self.in_profile(release, profile.as_ref()))
    }

    /// The shapes on two releases, in the same profile if one shows it on both.
    pub(super) fn visible_on<P: AsRef<str>>(
        &self,
        from: &Release,
        to: &Release,
        profiles: &[P],
    ) -> (Option<&Shape>, Option<&Shape>) {
        let on_both = |profile: &P| {
            let shape = |release| self.in_profile(release, profile.as_ref());
            shape(from).zip(shape(to))
        };
        match profiles.iter().find_map(on_both) {
            Some((old, new)) => (Some(old), Some(new)),
            None => (
                self.visible_in(from, profiles),
                self.visible_in(to, profiles),
            ),
        }
    }

    pub fn in_profile(&self, release: &Release, profile: &str) -> Option<&Shape> {
        let mut pages = release.pages_of(profile).into_iter().flatten();
        pages.find_map(|page| self.on_page(release, page))
    }

    /// True when some recorded profile of a release shows it.
    pub fn is_on(&self, release: &Release) -> bool {
        // A profile is made of recorded pages: one of them shows it.
        let mut pages = self.seen.iter();
        pages.any(|(page, runs)| shape(runs, release).is_some() && release.page(page).is_some())
    }

    /// The recorded profiles of a release that show it, sorted by name.
    pub fn profiles_showing<'a>(&self, release: &'a Release) -> Vec<&'a str> {
        let shows = |profile: &&str| self.in_profile(release, profile).is_some();
        release.profiles().filter(shows).collect()
    }

    /// The same, without whole pages of an engine that has a page of additions to the default one with it: these name the option
    /// that it needs.
    pub fn profiles_adding<'a>(&self, release: &'a Release) -> Vec<&'a str> {
        let mut showing = self.profiles_showing(release);
        if showing.contains(&super::DEFAULT_PROFILE) {
            return showing;
        }
        let pages = showing.iter().filter_map(|profile| release.page(profile));
        let adding = pages.filter(|page| page.base.as_deref() == Some(super::DEFAULT_PROFILE));
        let engines: Vec<_> = adding.map(|page| page.engine.as_str()).collect();
        showing.retain(|profile| {
            let page = release.page(profile);
            page.is_none_or(|page| page.base.is_some() || !engines.contains(&page.engine.as_str()))
        });
        showing
    }

    /// The profiles whose own pages showed it on some release.
    pub(super) fn pages(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str)
    }

    fn on_page(&self, release: &Release, page: &str) -> Option<&Shape> {
        let shape = shape(self.seen.get(page)?, release)?;
        release.page(page)?;
        self.shapes.get(usize::from(shape))
    }
}

/// The number of the shape on a release.
fn shape(runs: &[Run], release: &Release) -> Option<u16> {
    let id = release.id().0;
    let mut runs = runs.iter();
    runs.find_map(|(first, last, shape)| (*first..=*last).contains(&id).then_some(*shape))
}
