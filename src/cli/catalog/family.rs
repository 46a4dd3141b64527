//! One family over all releases, gathered for the timeline.

use serde_json::{Value, json};

use slosmith_catalog::diff::{Changed, changed};
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Family, ReleaseId, Shape};

pub(super) struct Stretch<'a> {
    pub(super) profile: &'a str,
    pub(super) releases: Vec<ReleaseId>,
    pub(super) shape: &'a Shape,
}

/// The default profile's stretches, then those of profiles that show the family where the default does
/// not. Profiles with equal stretches are listed together.
pub(super) fn timeline<'a>(catalog: &'a Catalog, family: &'a Family) -> Vec<Stretch<'a>> {
    let mut all = stretches(catalog, family, DEFAULT_PROFILE);
    let profiles = catalog.profiles().into_iter();
    for profile in profiles.filter(|profile| *profile != DEFAULT_PROFILE) {
        all.extend(stretches(catalog, family, profile));
    }
    all
}

fn stretches<'a>(catalog: &'a Catalog, family: &'a Family, profile: &'a str) -> Vec<Stretch<'a>> {
    let mut found: Vec<Stretch<'a>> = Vec::new();
    let mut unbroken = false;
    for release in catalog
        .releases()
        .iter()
        .filter(|r| r.page(profile).is_some())
    {
        let default = family.in_profile(release, DEFAULT_PROFILE);
        let shape = family.in_profile(release, profile);
        let shape = shape.filter(|_| profile == DEFAULT_PROFILE || default.is_none());
        match (shape, found.last_mut()) {
            (Some(shape), Some(last)) if unbroken && last.shape == shape => {
                last.releases.push(release.id())
            }
            (Some(shape), _) => found.push(Stretch {
                profile,
                releases: vec![release.id()],
                shape,
            }),
            (None, _) => {}
        }
        unbroken = shape.is_some();
    }
    found
}

/// Changes in the default profile, or in the first other profile if the default never has the family.
pub(super) fn history(timeline: &[Stretch<'_>], name: &str) -> Vec<(ReleaseId, Changed)> {
    let main = timeline.first().map(|stretch| stretch.profile);
    let own: Vec<_> = timeline
        .iter()
        .filter(|s| Some(s.profile) == main)
        .collect();
    let pairs = own.windows(2).filter_map(|pair| {
        let (old, new) = (pair.first()?, pair.get(1)?);
        let first = *new.releases.first()?;
        Some((first, changed(name, old.shape, new.shape)?))
    });
    pairs.collect()
}

pub(super) fn shape(name: &str, shape: &Shape) -> Value {
    json!({
        "name": name,
        "type": shape.kind.as_str(),
        "labels": shape.labels,
        "open_labels": shape.open_labels,
        "values": shape.values,
        "buckets": shape.buckets,
        "open_buckets": shape.open_buckets,
    })
}
