//! Recorded pages → what each family looks like on each.

use std::collections::{BTreeMap, BTreeSet};

use super::PageEntry;
use crate::exposition::{Page, PageFamily};
use crate::lineage::{DEFAULT_PROFILE, Lineage, covers};
use crate::record::DROPPED;
use crate::shape::{MetricType, Shape};
use crate::version::Version;

/// One release with its parsed pages by profile.
pub(super) struct Recorded {
    pub(super) version: Version,
    pub(super) pages: BTreeMap<String, (PageEntry, Page)>,
}

/// Adds to earlier releases what lineage says they have and only later pages show.
pub(super) fn backfill(releases: &mut [Recorded], lineage: &Lineage) {
    for rule in &lineage.backfill {
        let meant = |family: &&PageFamily| rule.families.iter().any(|p| covers(p, &family.name));
        let shows = |release: &Recorded| {
            let page = release.pages.get(&rule.profile);
            page.is_some_and(|(_, page)| page.families.iter().any(|f| meant(&f)))
        };
        let Some(at) = releases.iter().position(shows) else {
            continue;
        };
        let (earlier, later) = releases.split_at_mut(at);
        let Some((entry, page)) = later.first().and_then(|r| r.pages.get(&rule.profile)) else {
            continue;
        };
        let families: Vec<_> = page.families.iter().filter(meant).cloned().collect();
        let by_source = PageEntry {
            tier: PageEntry::SOURCE.to_owned(),
            ..entry.clone()
        };
        for release in earlier.iter_mut().filter(|r| r.version >= rule.first) {
            let page = release.pages.entry(rule.profile.clone());
            let (_, page) = page.or_insert_with(|| (by_source.clone(), Page::default()));
            page.families.extend(families.iter().cloned());
        }
    }
}

pub(super) struct Found {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) created: bool,
}

impl Recorded {
    /// All families of a profile's page, without the `_created` gauges of other families.
    pub(super) fn families(&self, profile: &str, lineage: &Lineage) -> Vec<Found> {
        let Some((entry, page)) = self.pages.get(profile) else {
            return Vec::new();
        };
        let kinds = page.families.iter().map(|f| (f.name.as_str(), f.kind));
        let kinds: BTreeMap<_, _> = kinds.collect();
        let owner = |family: &PageFamily| created_of(family, &kinds);
        let created: BTreeSet<_> = page.families.iter().filter_map(owner).collect();
        let kept = page.families.iter().filter(|f| owner(f).is_none());
        let found = kept.map(|family| Found {
            name: family.name.clone(),
            shape: self.shape(family, entry, lineage),
            created: created.contains(&family.name),
        });
        found.collect()
    }

    fn shape(&self, family: &PageFamily, entry: &PageEntry, lineage: &Lineage) -> Shape {
        let (labels, mut open_labels) = self.labels(family, &entry.engine, lineage);
        open_labels |= is_listed(&lineage.open.labels, &family.name);
        let buckets = family.buckets();
        let bucketed = family.kind == MetricType::Histogram;
        Shape {
            kind: family.kind,
            labels,
            open_labels,
            values: self.values(family, &entry.engine, lineage),
            open_buckets: bucketed && (buckets.is_empty() || self.open_buckets(family, lineage)),
            buckets,
        }
    }

    /// A family without series takes its labels from another page of the release, else from lineage.
    fn labels(&self, family: &PageFamily, engine: &str, lineage: &Lineage) -> (Vec<String>, bool) {
        if !family.samples.is_empty() {
            return (family.labels(), false);
        }
        let pages = self
            .pages
            .values()
            .filter(|(entry, _)| entry.engine == engine);
        let mut elsewhere = pages.filter_map(|(_, page)| page.family(&family.name));
        if let Some(other) = elsewhere.find(|other| !other.samples.is_empty()) {
            return (other.labels(), false);
        }
        let mut facts = lineage.labels.iter();
        let fact = facts.find(|fact| fact.families.iter().any(|p| covers(p, &family.name)));
        match fact {
            Some(fact) => (fact.labels.clone(), fact.open),
            None => (Vec::new(), true),
        }
    }

    /// Values of labels with a small domain. A server may write a series when its value first occurs, so the values of the default page
    /// are known on every page.
    fn values(
        &self,
        family: &PageFamily,
        engine: &str,
        lineage: &Lineage,
    ) -> BTreeMap<String, Vec<String>> {
        let domains = &lineage.domains;
        let mut found = BTreeMap::new();
        if engine == domains.engine && family.name.starts_with(&domains.prefix) {
            found = family.values();
            let default = self.pages.get(DEFAULT_PROFILE);
            let default = default.filter(|(entry, _)| entry.engine == engine);
            let default = default.and_then(|(_, page)| page.family(&family.name));
            for (label, values) in default.iter().flat_map(|family| family.values()) {
                found.entry(label).or_default().extend(values);
            }
            found.retain(|label, _| domains.labels.contains(label));
            found.values_mut().for_each(|values| {
                values.sort();
                values.dedup();
            });
        }
        if domains.seen {
            found = family.values();
            // A recording that leaves values out does not show which there are.
            found.retain(|_, values| values.iter().all(|v| v != DROPPED));
        }
        for fixed in domains.fixed.iter().filter(|f| f.family == family.name) {
            found.insert(fixed.label.clone(), fixed.values.clone());
        }
        found
    }

    fn open_buckets(&self, family: &PageFamily, lineage: &Lineage) -> bool {
        lineage.open.buckets.iter().any(|open| {
            is_listed(&open.families, &family.name)
                && open
                    .first
                    .as_ref()
                    .is_none_or(|first| *first <= self.version)
                && open.last.as_ref().is_none_or(|last| self.version <= *last)
        })
    }
}

fn is_listed(patterns: &[String], family: &str) -> bool {
    patterns.iter().any(|pattern| covers(pattern, family))
}

/// The family whose creation times a gauge holds.
fn created_of(gauge: &PageFamily, kinds: &BTreeMap<&str, MetricType>) -> Option<String> {
    let base = gauge.name.strip_suffix("_created")?;
    if gauge.kind != MetricType::Gauge {
        return None;
    }
    let counter = format!("{base}_total");
    match (kinds.get(&*counter), kinds.get(base)) {
        (Some(MetricType::Counter), _) => Some(counter),
        (_, Some(MetricType::Histogram | MetricType::Summary)) => Some(base.to_owned()),
        _ => None,
    }
}
