//! Names as they were on one release.

use super::Catalog;
use super::lineage::Replacement;
use super::release::Release;

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
