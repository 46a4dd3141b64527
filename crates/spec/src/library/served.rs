//! Which releases serve a library signal, under which name and in which shape.

use std::collections::BTreeSet;

use super::{names, signal};
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Release, ReleaseId, Shape, split_series};

#[derive(Clone, Debug, PartialEq)]
pub struct Served<'a> {
    pub family: &'a str,
    pub shape: &'a Shape,
    /// The profiles that show it, sorted; the default one alone where that is among them.
    pub profiles: Vec<&'a str>,
}

/// The families that a library signal is read from, under their newest names: one, or the two of a ratio.
pub fn families(name: &str) -> Vec<&'static str> {
    let Some(signal) = signal(name) else {
        return Vec::new();
    };
    let ratio = signal.ratio.as_ref().map(|ratio| &ratio.value);
    let parts = ratio
        .into_iter()
        .flat_map(|ratio| [&ratio.of.signal, &ratio.over.signal]);
    let made_from = signal.base.iter().chain(parts);
    let binding = signal.prometheus.as_ref().map(|binding| &binding.value);
    let metric = binding.and_then(|binding| binding.metric.as_ref());
    made_from
        .flat_map(|part| families(&part.value))
        .chain(metric.map(|metric| metric.value.as_str()))
        .chain(promql(name).into_iter().flat_map(read_by))
        .collect()
}

/// The PromQL of a library signal that is computed, with `$` words for the facts of a spec.
pub fn promql(name: &str) -> Option<&'static str> {
    let expr = signal(name)?.prometheus.as_ref()?.value.promql.as_ref()?;
    Some(&expr.value)
}

fn read_by(text: &'static str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("vllm:") {
        let name = &rest[start..];
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')));
        let (name, after) = name.split_at(end.unwrap_or(name.len()));
        found.push(split_series(name).0);
        rest = after;
    }
    found.dedup();
    found
}

/// The library's signal of a family, under its newest name.
pub fn of_family(family: &str) -> Option<String> {
    names().into_iter().find(|name| {
        let binding = signal(name).and_then(|signal| signal.prometheus.as_ref());
        let metric = binding.and_then(|binding| binding.value.metric.as_ref());
        metric.is_some_and(|metric| metric.value == family)
    })
}

/// What a release serves of a family, under the newest of its names that it shows in any profile.
pub fn served<'a>(
    catalog: &'a Catalog,
    family: &'a str,
    release: &'a Release,
) -> Option<Served<'a>> {
    let profiles: Vec<_> = release.profiles().collect();
    let (family, name) = match catalog.family(family) {
        // A counter can be the sum of a histogram.
        None if catalog.lineage().successor(family).is_none() => {
            (catalog.series_of(family)?.0, family)
        }
        _ => {
            let family = catalog.family(catalog.name_on(family, release, &profiles)?)?;
            (family, family.name())
        }
    };
    let mut profiles = family.profiles_adding(release);
    if profiles.contains(&DEFAULT_PROFILE) {
        profiles = vec![DEFAULT_PROFILE];
    }
    Some(Served {
        family: name,
        shape: family.visible_in(release, &profiles)?,
        profiles,
    })
}

/// vLLM's metrics on a release, in any profile, that no library signal reads.
pub fn without_signal<'a>(catalog: &'a Catalog, release: &Release) -> Vec<&'a str> {
    let read: BTreeSet<_> = names().iter().flat_map(|name| families(name)).collect();
    let mut found = Vec::new();
    for family in catalog.families() {
        let name = family.name();
        let newest = catalog.lineage().successor(name).unwrap_or(name);
        let prefix = catalog.prefix();
        if family.is_on(release) && name.starts_with(prefix) && !read.contains(newest) {
            found.push(name);
        }
    }
    found
}

/// True when a server of each of the releases serves all that a signal is read from, however it was started.
pub fn is_always_served(catalog: &Catalog, name: &str, releases: &[ReleaseId]) -> bool {
    let on = |family: &str, release: &Release| {
        served(catalog, family, release).is_some_and(|s| s.profiles == [DEFAULT_PROFILE])
    };
    let mut families = families(name).into_iter();
    families.all(|family| releases.iter().all(|id| on(family, catalog.release(*id))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_served_somewhere() {
        let catalog = Catalog::vllm();
        for name in crate::library::names() {
            let families = families(&name);
            assert!(!families.is_empty(), "{name}");
            for family in families {
                let mut releases = catalog.releases().iter();
                let known = releases.any(|release| served(catalog, family, release).is_some());
                assert!(known, "{name}: {family}");
            }
        }
    }

    #[test]
    fn an_older_release_serves_the_older_name() {
        let catalog = Catalog::vllm();
        let version = "0.9.1".parse().expect("a version");
        let release = catalog.find_release(&version).expect("a recorded release");
        let [family] = families("vllm.kv_cache_usage")[..] else {
            panic!("one family");
        };
        let served = served(catalog, family, release).expect("a family");
        assert_eq!(served.family, "vllm:gpu_cache_usage_perc");
    }
}
