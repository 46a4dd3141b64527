//! The smaller facts of `lineage.yaml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ChangeKind;
use crate::version::Version;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InPlace {
    pub families: Vec<String>,
    pub release: Version,
    pub kind: ChangeKind,
    /// The only series that it concerns: a label and its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<(String, String)>,
    /// It concerns what a histogram observes, not how often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
    /// Upstream pull requests and commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    pub release: Version,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub name: String,
    /// What must be in use, to follow "only with".
    pub needs: String,
    /// The option or environment variable that turns it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Family names; a trailing `*` stands for any ending.
    pub families: Vec<String>,
}

impl Condition {
    /// How many characters of a family's name the best pattern fixes.
    pub(super) fn fit(&self, family: &str) -> Option<usize> {
        let fits = self.families.iter().filter(|p| covers(p, family));
        fits.map(String::len).max()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backfill {
    /// Family names; a trailing `*` stands for any ending.
    pub families: Vec<String>,
    pub profile: String,
    /// First release that has them.
    pub first: Version,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelFact {
    /// Family names; a trailing `*` stands for any ending.
    pub families: Vec<String>,
    /// Label names, sorted.
    pub labels: Vec<String>,
    /// There may be more labels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// What differs between deployments of one release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Open {
    /// Families whose labels differ.
    pub labels: Vec<String>,
    /// Families whose bucket boundaries differ.
    pub buckets: Vec<OpenBuckets>,
    /// Families that a server shows only after their first use, or under names that its configuration sets: a page does not prove
    /// that a release lacks one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
    /// Boundaries that an option of the server replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_buckets: Option<OwnBuckets>,
}

/// Labels that no option of a server adds or leaves out: all series of a family have such a label, or none has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedLabels {
    pub families: Vec<String>,
    pub labels: Vec<String>,
}

/// An option of the server that replaces bucket boundaries: `--custom-histogram-buckets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnBuckets {
    pub first: Version,
    pub keys: BTreeMap<String, Vec<String>>,
}

impl OwnBuckets {
    pub fn key(&self, family: &str) -> Option<&str> {
        let mut keys = self.keys.iter();
        let key = keys.find(|(_, families)| families.iter().any(|own| own == family));
        key.map(|(key, _)| key.as_str())
    }
}

/// Families whose bucket boundaries differ between deployments of one release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenBuckets {
    pub families: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Version>,
    /// Last release in which they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Version>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Domains {
    /// Only pages of this engine show every value.
    pub engine: String,
    /// Only families with this prefix are meant.
    pub prefix: String,
    pub labels: Vec<String>,
    /// Domains that no page shows whole.
    pub fixed: Vec<FixedDomain>,
    /// Values that labels usually have, among others: a value that is spelled almost like one of them is a slip.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usual: BTreeMap<String, Vec<String>>,
    /// Values are those of the recording, and there can be others.
    #[serde(skip)]
    pub seen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedDomain {
    pub family: String,
    pub label: String,
    pub values: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartRule {
    pub since: Version,
    pub engine: String,
    pub prefix: String,
    /// That have no other labels than these.
    pub labels_within: Vec<String>,
}

impl Default for StartRule {
    fn default() -> Self {
        Self {
            since: Version::new([0]),
            engine: String::new(),
            prefix: String::new(),
            labels_within: Vec::new(),
        }
    }
}

/// True when `pattern`, in which a `*` stands for any text, stands for `name`.
pub(crate) fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name
            .strip_prefix(start)
            .is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}
