//! What an account holds and what a spec wants in it, in one form.
//!
//! The alarm `chat-queue` is an [`Object`] under the [`Key`] `alarm chat-queue`: its kind, its fields as a request of the API has
//! them, and its tags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use slosmith_cloudwatch::{alarm_name, children};

/// Tag with the service whose spec an object comes from. Only objects with this tag are ours.
pub const SERVICE_TAG: &str = "slosmith:service";
/// Tag with the file name of that spec.
pub const SPEC_TAG: &str = "slosmith:spec";
/// Tag with the fingerprint before: while fields and tags are changed one after the other, either may be there.
pub(super) const BEFORE_TAG: &str = "slosmith:before";
/// Tag with the names of the spec's own tags, joined by `=`: only these are removed again.
pub(super) const TAGS_TAG: &str = "slosmith:tags";
/// Tag with the region whose alarms a dashboard shows: dashboards are global, and their regions are not.
pub(super) const REGION_TAG: &str = "slosmith:region";
/// Tag with the fingerprint of the fields that were applied last.
pub const HASH_TAG: &str = "slosmith:hash";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    MetricAlarm,
    CompositeAlarm,
    LogAlarm,
    MuteRule,
    Dashboard,
}

impl Kind {
    pub fn space(self) -> Space {
        match self {
            Self::MetricAlarm | Self::CompositeAlarm | Self::LogAlarm => Space::Alarm,
            Self::MuteRule => Space::MuteRule,
            Self::Dashboard => Space::Dashboard,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::MetricAlarm => "metric alarm",
            Self::CompositeAlarm => "composite alarm",
            Self::LogAlarm => "log alarm",
            Self::MuteRule => "mute rule",
            Self::Dashboard => "dashboard",
        }
    }
}

/// Within which a name is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    Alarm,
    MuteRule,
    Dashboard,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub space: Space,
    pub name: String,
}

impl Key {
    pub fn alarm(name: &str) -> Self {
        Self {
            space: Space::Alarm,
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = match self.space {
            Space::Alarm => "alarm",
            Space::MuteRule => "mute rule",
            Space::Dashboard => "dashboard",
        };
        write!(f, "{space} `{}`", self.name)
    }
}

pub type Tags = BTreeMap<String, String>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    pub kind: Kind,
    /// Fields of the request, normalised, without tags; of a dashboard, its body.
    pub fields: Value,
    /// All its tags, ours among them.
    pub tags: Tags,
}

/// The end of a mute rule's description, which names its service: AWS documents no tags of mute rules.
pub(super) fn mark(service: &str) -> String {
    format!("[{SERVICE_TAG}={service}]")
}

fn marked(description: &str) -> Option<&str> {
    let (_, mark) = description.rsplit_once('[')?;
    let (tag, service) = mark.strip_suffix(']')?.split_once('=')?;
    (tag == SERVICE_TAG).then_some(service)
}

#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub kind: Kind,
    pub arn: String,
    /// Fields of the request that would make it, normalised, without tags; of a dashboard, its body.
    pub fields: Value,
    /// Its tags. Read only for objects that may be ours; empty for all others.
    pub tags: Tags,
}

impl Object {
    /// The service whose spec it comes from, when it comes from a spec: by its tag, or by the mark of a mute rule.
    pub fn service(&self) -> Option<&str> {
        let tag = self.tags.get(SERVICE_TAG).map(String::as_str);
        let mark = || self.fields["Description"].as_str().and_then(marked);
        tag.or_else(|| mark().filter(|_| self.kind == Kind::MuteRule))
    }

    /// The region that it is applied from, where others see it too.
    pub fn region(&self) -> Option<&str> {
        self.tags.get(REGION_TAG).map(String::as_str)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// All alarms and mute rules of the region, and the dashboards that may be ours.
    pub objects: BTreeMap<Key, Object>,
    /// Services of slosmith that no spec is given of, with the number of their objects.
    pub others: BTreeMap<String, usize>,
    /// Why such services were not searched for.
    pub unsearched: Option<String>,
}

impl State {
    pub fn account(&self) -> Option<&str> {
        let mut numbers = self
            .objects
            .values()
            .filter_map(|object| object.arn.split(':').nth(4));
        numbers.find(|number| !number.is_empty())
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desired {
    pub region: String,
    pub services: BTreeSet<String>,
    /// Services without a spec, of which nothing is to stay.
    pub removed: BTreeSet<String>,
    pub objects: BTreeMap<Key, Wanted>,
}

impl Desired {
    /// True where something is to be muted.
    pub fn mutes(&self) -> bool {
        let mut keys = self.objects.keys();
        keys.any(|key| key.space == Space::MuteRule)
    }

    /// True for an object of one of the services, as they are applied from this region.
    pub fn owns(&self, object: &Object) -> bool {
        let ours = |service| self.services.contains(service) || self.removed.contains(service);
        object.service().is_some_and(ours) && object.region().is_none_or(|r| r == self.region)
    }

    /// True for an object that may be ours: its name is wanted, or begins with the name of a service, as all generated names do.
    pub fn may_own(&self, key: &Key) -> bool {
        let begins = |service: &String| {
            let rest = key.name.strip_prefix(service.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let mut services = self.services.iter().chain(&self.removed);
        self.objects.contains_key(key) || services.any(begins)
    }
}

/// Names of the alarms that a composite alarm is made from, its suppressor among them; none of anything else.
pub fn parts(kind: Kind, fields: &Value) -> BTreeSet<String> {
    if kind != Kind::CompositeAlarm {
        return BTreeSet::new();
    }
    let rule = fields["AlarmRule"].as_str().unwrap_or_default();
    let suppressor = fields["ActionsSuppressor"].as_str();
    // A rule that cannot be read is one that CloudWatch does not hold.
    let read = children(rule).unwrap_or_default().names;
    let all = read.iter().map(String::as_str).chain(suppressor);
    all.map(|name| alarm_name(name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_suppressor_is_a_part() {
        let fields = json!({"AlarmRule": "ALARM(\"a\") AND OK(b)", "ActionsSuppressor": "c"});
        let parts = parts(Kind::CompositeAlarm, &fields);
        assert_eq!(parts.into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn a_longer_name_of_a_service_is_another_service() {
        let mut desired = Desired::default();
        desired.services.insert("chat".to_owned());
        assert!(desired.may_own(&Key::alarm("chat-queue")));
        assert!(!desired.may_own(&Key::alarm("chatter-queue")));
    }
}
