//! What changes between two releases.

use std::collections::BTreeMap;

use super::Catalog;
use super::release::Release;
use super::shape::{MetricType, Shape};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Families only the second release shows, without the new names of renamed ones.
    pub added: Vec<String>,
    /// Families only the first release shows, without renamed ones.
    pub removed: Vec<String>,
    pub renamed: Vec<(String, String)>,
    pub changed: Vec<Changed>,
}

impl Diff {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub family: String,
    pub kind: Option<(MetricType, MetricType)>,
    pub labels: Delta,
    /// Label values of known domains, by label.
    pub values: BTreeMap<String, Delta>,
    pub buckets: Delta,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

impl Delta {
    pub fn of(old: &[String], new: &[String]) -> Self {
        let only = |a: &[String], b: &[String]| {
            a.iter().filter(|item| !b.contains(item)).cloned().collect()
        };
        Self {
            added: only(new, old),
            removed: only(old, new),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

impl Catalog {
    /// What changes from one release to another in the profiles; without profiles, in the default one.
    pub fn diff<P: AsRef<str>>(&self, from: &Release, to: &Release, profiles: &[P]) -> Diff {
        let mut diff = Diff::default();
        for family in self.families() {
            match family.visible_on(from, to, profiles) {
                (Some(old), Some(new)) => diff.changed.extend(changed(family.name(), old, new)),
                (Some(_), None) => {
                    let heir = self.name_on(family.name(), to, profiles);
                    match heir {
                        Some(heir) => diff
                            .renamed
                            .push((family.name().to_owned(), heir.to_owned())),
                        None => diff.removed.push(family.name().to_owned()),
                    }
                }
                (None, Some(_)) => diff.added.push(family.name().to_owned()),
                (None, None) => {}
            }
        }
        let heirs: Vec<_> = diff.renamed.iter().map(|(_, heir)| heir.clone()).collect();
        diff.added.retain(|name| !heirs.contains(name));
        diff
    }
}

/// What changes between two shapes of a family; none when nothing does.
///
/// Of labels and boundaries that deployments can change, the recorded ones are compared: a deployment that adds labels has the
/// recorded ones, too.
pub fn changed(family: &str, old: &Shape, new: &Shape) -> Option<Changed> {
    let mut found = Changed {
        family: family.to_owned(),
        kind: (old.kind != new.kind).then_some((old.kind, new.kind)),
        ..Changed::default()
    };
    // The labels of such a metric are settings.
    let has_settings = new.open_labels && family.ends_with("_info");
    if old.has_recorded_labels() && new.has_recorded_labels() && !has_settings {
        found.labels = Delta::of(&old.labels, &new.labels);
    }
    if old.open_buckets == new.open_buckets
        && old.has_recorded_buckets()
        && new.has_recorded_buckets()
    {
        found.buckets = Delta::of(&old.buckets, &new.buckets);
    }
    for (label, values) in &new.values {
        let delta = old.domain(label).map(|before| Delta::of(before, values));
        if let Some(delta) = delta.filter(|delta| !delta.is_empty()) {
            found.values.insert(label.clone(), delta);
        }
    }
    let same = found.kind.is_none()
        && found.labels.is_empty()
        && found.buckets.is_empty()
        && found.values.is_empty();
    (!same).then_some(found)
}
