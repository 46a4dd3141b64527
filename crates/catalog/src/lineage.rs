//! What the pages cannot say: renames, replacements, conditions, dates of unrecorded releases.

mod facts;

pub(super) use facts::covers;
pub use facts::{
    Backfill, Condition, Domains, Edge, FixedDomain, FixedLabels, InPlace, LabelFact, Open,
    OpenBuckets, OwnBuckets, StartRule,
};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::version::Version;

pub const DEFAULT_PROFILE: &str = "default";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lineage {
    /// Families that another expression replaces, or that ended.
    pub changes: Vec<Change>,
    /// Names that people use and no release ever had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Mistake>,
    /// Changes that keep the name.
    pub in_place: Vec<InPlace>,
    pub edges: Vec<Edge>,
    pub conditions: Vec<Condition>,
    /// Families that began before the first page that could show them.
    pub backfill: Vec<Backfill>,
    /// Labels of families that a page declares without a series.
    pub labels: Vec<LabelFact>,
    /// What differs between deployments.
    pub open: Open,
    /// Labels that tell releases apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_labels: Vec<FixedLabels>,
    /// Labels with few values, the same everywhere.
    pub domains: Domains,
    /// Which families exist before the first request.
    pub present_from_start: StartRule,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub family: String,
    pub kind: ChangeKind,
    /// What says the same now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Replacement>,
    /// Where nothing says the same: the family that comes nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// First release that calls it deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Version>,
    /// First release that shows it only with a flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Version>,
    /// First release without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Version>,
    /// Minor release → the value of `--show-hidden-metrics-for-version` that shows it there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shown_by: BTreeMap<String, String>,
    /// The engine that alone shows it then: `V0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Upstream pull requests and commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    pub note: String,
}

impl Change {
    /// The value of `--show-hidden-metrics-for-version` that shows the family on `version`.
    pub fn flag_on(&self, version: &Version) -> Option<&str> {
        let release = version.release();
        let minor = format!("{}.{}", release.first()?, release.get(1).unwrap_or(&0));
        self.shown_by.get(&minor).map(String::as_str)
    }
}

/// A name that people use and no release ever had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mistake {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Where there is none: a query that comes near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    pub note: String,
}

/// How the old and the new differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Same values under another name.
    Rename,
    /// Another kind of metric: a gauge became a ratio or a rate of counters.
    Shape,
    Unit,
    Semantics,
    Split,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    Family(String),
    /// One counter's rate over another's.
    Ratio {
        of: String,
        over: String,
    },
    Rate(String),
    /// Several families, one per part.
    Split(Vec<String>),
}

impl Lineage {
    pub fn change(&self, family: &str) -> Option<&Change> {
        self.changes.iter().find(|change| change.family == family)
    }

    pub fn mistake(&self, name: &str) -> Option<&Mistake> {
        self.mistakes.iter().find(|mistake| mistake.name == name)
    }

    /// True when the one counter counts a part of what the other counts.
    pub fn is_share(&self, of: &str, over: &str) -> bool {
        let newest = |name: &str| self.successor(name).unwrap_or(name).to_owned();
        let asked = (newest(of), newest(over));
        self.changes.iter().any(|change| match &change.replaced_by {
            Some(Replacement::Ratio { of, over }) => asked == (newest(of), newest(over)),
            _ => false,
        })
    }

    /// Older names of a family by pure rename, newest first.
    pub fn predecessors<'a>(&'a self, family: &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut newest = vec![family];
        while let Some(name) = newest.pop() {
            for change in self.changes.iter().filter(|c| renamed_to(c) == Some(name)) {
                if !found.contains(&change.family.as_str()) {
                    found.push(&change.family);
                    newest.push(&change.family);
                }
            }
        }
        found
    }

    /// The newest name of a family by pure renames, when it has another one.
    pub fn successor(&self, family: &str) -> Option<&str> {
        let mut newest = None;
        let mut name = family;
        // No chain is longer than the list of changes, so a circle ends too.
        for _ in &self.changes {
            match self.change(name).and_then(renamed_to) {
                Some(next) => name = newest.insert(next),
                None => break,
            }
        }
        newest
    }

    /// Families that said the same in another shape: a gauge for today's ratio or rate.
    pub fn alternatives(&self, today: &Replacement) -> Vec<&Change> {
        let wanted = self.newest(today);
        let same = |change: &&Change| {
            let made_of = change.replaced_by.as_ref();
            change.kind != ChangeKind::Rename
                && made_of.map(|r| self.newest(r)).as_ref() == Some(&wanted)
        };
        self.changes.iter().filter(same).collect()
    }

    pub fn condition(&self, family: &str) -> Option<&Condition> {
        let fit = |condition: &&Condition| condition.fit(family).unwrap_or(0);
        let fits = self.conditions.iter().filter(|c| c.fit(family).is_some());
        fits.max_by_key(fit)
    }

    /// Changes of a family that kept its name, oldest first.
    pub fn in_place<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'a InPlace> {
        let speaks = move |change: &&InPlace| change.families.iter().any(|name| name == family);
        self.in_place.iter().filter(speaks)
    }

    fn newest(&self, shape: &Replacement) -> Replacement {
        let name = |name: &String| self.successor(name).unwrap_or(name).to_owned();
        match shape {
            Replacement::Family(family) => Replacement::Family(name(family)),
            Replacement::Rate(family) => Replacement::Rate(name(family)),
            Replacement::Ratio { of, over } => Replacement::Ratio {
                of: name(of),
                over: name(over),
            },
            Replacement::Split(names) => Replacement::Split(names.iter().map(name).collect()),
        }
    }
}

fn renamed_to(change: &Change) -> Option<&str> {
    match (&change.kind, &change.replaced_by) {
        (ChangeKind::Rename, Some(Replacement::Family(name))) => Some(name),
        _ => None,
    }
}
