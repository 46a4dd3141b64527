//! Lineage against the recordings.

use slosmith::catalog::lineage::{ChangeKind, Replacement};
use slosmith::catalog::{Catalog, Release};

fn from(version: &slosmith::catalog::Version) -> impl Iterator<Item = &'static Release> {
    let releases = Catalog::vllm().releases().iter();
    releases.filter(move |release| release.version() >= version)
}

#[test]
fn hidden_and_removed_families_are_gone_where_lineage_says() {
    let catalog = Catalog::vllm();
    for change in &catalog.lineage().changes {
        let family = catalog.family(&change.family).expect(&change.family);
        for release in change.hidden.iter().flat_map(from) {
            let shown = family.in_profile(release, "default");
            assert!(
                shown.is_none(),
                "{} is shown on {}",
                change.family,
                release.version()
            );
        }
        for release in change.removed.iter().flat_map(from) {
            let profiles = family.profiles_showing(release);
            assert!(
                profiles.is_empty(),
                "{} on {}: {profiles:?}",
                change.family,
                release.version()
            );
        }
    }
}

#[test]
fn a_hidden_family_is_shown_by_its_flag() {
    let catalog = Catalog::vllm();
    for change in catalog
        .lineage()
        .changes
        .iter()
        .filter(|c| !c.shown_by.is_empty())
    {
        let (hidden, removed) = (change.hidden.as_ref(), change.removed.as_ref());
        let family = catalog.family(&change.family).expect(&change.family);
        let between = from(hidden.expect("hidden")).filter(|r| Some(r.version()) < removed);
        for release in between {
            let flag = change.flag_on(release.version());
            assert!(flag.is_some(), "{} on {}", change.family, release.version());
            let profiles = family.profiles_showing(release);
            let hidden = profiles.iter().any(|profile| profile.ends_with("hidden"));
            assert!(
                hidden,
                "{} on {}: {profiles:?}",
                change.family,
                release.version()
            );
        }
    }
}

/// The families that a replacement is made of.
fn families(replacement: &Replacement) -> Vec<&str> {
    match replacement {
        Replacement::Family(name) | Replacement::Rate(name) => vec![name],
        Replacement::Ratio { of, over } => vec![of, over],
        Replacement::Split(names) => names.iter().map(String::as_str).collect(),
    }
}

#[test]
fn every_replacement_exists_when_the_old_family_goes() {
    let catalog = Catalog::vllm();
    for change in &catalog.lineage().changes {
        let new = change.replaced_by.iter().flat_map(families);
        for name in new.chain(change.nearest.as_deref()) {
            let family = catalog.family(name).expect(name);
            let newest = catalog.releases().last().expect("releases");
            assert!(
                !family.profiles_showing(newest).is_empty(),
                "{name} is gone itself"
            );
            let gone = change.hidden.as_ref().or(change.removed.as_ref());
            let Some(first) = gone.and_then(|gone| from(gone).next()) else {
                continue;
            };
            if matches!(change.kind, ChangeKind::Rename) {
                assert!(
                    family.in_profile(first, "default").is_some(),
                    "{name} on {}",
                    first.version()
                );
            }
        }
    }
}

#[test]
fn every_named_family_is_known() {
    let lineage = Catalog::vllm().lineage();
    let in_place = lineage.in_place.iter().flat_map(|change| &change.families);
    let edges = lineage
        .edges
        .iter()
        .flat_map(|edge| edge.added.iter().chain(&edge.removed));
    let open = lineage.open.buckets.iter().flat_map(|open| &open.families);
    for name in in_place
        .chain(edges)
        .chain(open)
        .chain(&lineage.open.labels)
    {
        assert!(Catalog::vllm().family(name).is_some(), "{name}");
    }
}

#[test]
fn edges_lie_just_before_the_recorded_change() {
    let catalog = Catalog::vllm();
    for edge in &catalog.lineage().edges {
        assert!(
            catalog.find_release(&edge.release).is_none(),
            "{} is recorded",
            edge.release
        );
        for name in &edge.added {
            let lifetime = catalog.first_last(name).expect(name);
            assert_eq!(lifetime.first, edge.release, "{name}");
        }
    }
}

#[test]
fn conditions_cover_what_only_other_profiles_show() {
    let catalog = Catalog::vllm();
    let newest = catalog.releases().last().expect("releases");
    for family in catalog.families() {
        let profiles = family.profiles_showing(newest);
        if !profiles.is_empty() && !profiles.contains(&"default") {
            let condition = catalog.lineage().condition(family.name());
            assert!(condition.is_some(), "{} has no condition", family.name());
        }
    }
}

#[test]
fn labels_are_known_for_every_family() {
    for family in Catalog::vllm().families() {
        for shape in family.shapes() {
            assert!(
                !shape.open_labels || !shape.labels.is_empty(),
                "{}",
                family.name()
            );
        }
    }
}

#[test]
fn foreign_names_are_not_ours() {
    let catalog = Catalog::vllm();
    for name in catalog.foreign().names() {
        assert!(catalog.family(name).is_none(), "{name}");
        assert!(
            catalog
                .foreign()
                .shape(name)
                .is_some_and(|shape| shape.open_labels),
            "{name}"
        );
    }
}
