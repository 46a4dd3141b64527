//! What must change in an account so that it holds what specs want.
//!
//! An alarm that exists with a threshold of 80 and is wanted with 90 is one [`Change`] of the field `Threshold`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::fields::{FieldChange, differences};
use super::object::{
    BEFORE_TAG, Desired, HASH_TAG, Key, Kind, Object, REGION_TAG, SERVICE_TAG, SPEC_TAG, Space,
    State, TAGS_TAG, Tags, Wanted, parts,
};
use slosmith_render::output::Digest;

/// The rule of a composite alarm without parts.
pub(super) const UNLINKED: &str = "FALSE";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed {
    /// Delete objects that slosmith created and that no spec contains any more.
    pub prune: bool,
    /// Take ownership of objects that have a wanted name and that slosmith did not create.
    pub adopt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Update,
    /// It is an alarm of another kind, which no update changes: deleted and created.
    Replace,
    Delete,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub action: Action,
    #[serde(flatten)]
    pub key: Key,
    pub kind: Kind,
    pub fields: Vec<FieldChange>,
    pub adopted: bool,
    /// True when the object was edited outside slosmith since the last apply.
    pub edited: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Problem {
    /// An object that slosmith does not own has a wanted name.
    #[error("the {} `{}` exists and {}", kind.as_str(), key.name, of(service.as_deref(), region.as_deref()))]
    Foreign {
        key: Key,
        kind: Kind,
        /// The service that it belongs to, when it comes from another spec.
        service: Option<String>,
        /// The region from which it is applied, for a dashboard.
        region: Option<String>,
    },
    /// The same, and it is another kind of alarm, so that it cannot be taken over.
    #[error("the {} `{}` exists and was not created by slosmith; the spec has a {} of this name", kind.as_str(), key.name, wanted.as_str())]
    OtherKind { key: Key, kind: Kind, wanted: Kind },
    #[error("the composite alarm `{}` refers to `{part}`, which does not exist", key.name)]
    MissingPart { key: Key, part: String },
    #[error("the alarm `{}` cannot be deleted: the composite alarm `{by}` refers to it", key.name)]
    StillUsed { key: Key, by: String, stale: bool },
}

fn of(service: Option<&str>, region: Option<&str>) -> String {
    match (service, region) {
        (Some(service), Some(region)) => {
            format!("belongs to the service `{service}`, applied to {region}")
        }
        (Some(service), None) => format!("belongs to the service `{service}`"),
        (None, _) => "was not created by slosmith".to_owned(),
    }
}

impl Problem {
    pub fn help(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => {
                "rename the object in the spec, delete the existing one, or take ownership with `--adopt`"
            }
            Self::OtherKind { .. } => "rename the object in the spec, or delete the existing one",
            Self::MissingPart { .. } => {
                "create the missing alarm first, or remove it from the rule"
            }
            Self::StillUsed { stale: true, .. } => {
                "no spec contains the composite alarm any more: delete it with `--prune`"
            }
            Self::StillUsed { stale: false, .. } => {
                "remove the alarm from the rule of the composite alarm first"
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub changes: BTreeMap<Key, Change>,
    pub unchanged: BTreeSet<Key>,
    /// Objects of slosmith that are in no spec and must not be deleted.
    pub stale: BTreeSet<Key>,
    /// While there is one, nothing may be applied.
    pub problems: BTreeSet<Problem>,
}

impl Changes {
    pub fn between(state: &State, desired: &Desired, allowed: Allowed) -> Self {
        let mut found = Self::default();
        for (key, wanted) in &desired.objects {
            found.want(key, wanted, state.objects.get(key), allowed);
        }
        for (key, object) in &state.objects {
            if !desired.owns(object) || desired.objects.contains_key(key) {
                continue;
            }
            let service = object.service().unwrap_or_default();
            match allowed.prune || desired.removed.contains(service) {
                true => found.add(Action::Delete, key, object.kind, object),
                false => drop(found.stale.insert(key.clone())),
            }
        }
        found.find_missing_parts(state, desired);
        found.find_used(state, desired);
        found
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.problems.is_empty()
    }

    pub fn count(&self, action: Action) -> usize {
        self.changes
            .values()
            .filter(|change| change.action == action)
            .count()
    }

    fn want(&mut self, key: &Key, wanted: &Wanted, object: Option<&Object>, allowed: Allowed) {
        let Some(object) = object else {
            let change = Change {
                action: Action::Create,
                key: key.clone(),
                kind: wanted.kind,
                fields: Vec::new(),
                adopted: false,
                edited: false,
            };
            self.changes.insert(key.clone(), change);
            return;
        };
        let tag = |name: &str| wanted.tags.get(name).map(String::as_str);
        // Earlier versions told no regions.
        let here = object.region().is_none() || object.region() == tag(REGION_TAG);
        let ours = object.service() == tag(SERVICE_TAG) && here;
        match (ours, object.kind == wanted.kind) {
            (true, false) => self.add(Action::Replace, key, wanted.kind, object),
            (false, false) => drop(self.problems.insert(Problem::OtherKind {
                key: key.clone(),
                kind: object.kind,
                wanted: wanted.kind,
            })),
            (false, true) if !allowed.adopt => drop(self.problems.insert(Problem::Foreign {
                key: key.clone(),
                kind: object.kind,
                service: object.service().map(str::to_owned),
                region: object.region().map(str::to_owned),
            })),
            (_, true) => {
                let fields = changed_fields(object, wanted);
                if fields.is_empty() {
                    self.unchanged.insert(key.clone());
                    return;
                }
                self.add(Action::Update, key, wanted.kind, object);
                if let Some(change) = self.changes.get_mut(key) {
                    change.fields = fields;
                    change.adopted = !ours;
                }
            }
        }
    }

    fn add(&mut self, action: Action, key: &Key, kind: Kind, object: &Object) {
        let applied = object.tags.get(HASH_TAG);
        let before = object.tags.get(BEFORE_TAG);
        let now = hash(&object.fields);
        let change = Change {
            action,
            key: key.clone(),
            kind,
            fields: Vec::new(),
            adopted: false,
            edited: applied.is_some_and(|applied| *applied != now)
                && before != Some(&now)
                && !is_unlinked(&object.fields),
        };
        self.changes.insert(key.clone(), change);
    }

    fn deletes(&self, key: &Key) -> bool {
        let change = self.changes.get(key);
        change.is_some_and(|change| change.action == Action::Delete)
    }

    fn find_missing_parts(&mut self, state: &State, desired: &Desired) {
        for (key, wanted) in &desired.objects {
            for part in parts(wanted.kind, &wanted.fields) {
                let part_key = Key::alarm(&part);
                let stays = state.objects.contains_key(&part_key) && !self.deletes(&part_key);
                if !desired.objects.contains_key(&part_key) && !stays {
                    let key = key.clone();
                    self.problems.insert(Problem::MissingPart { key, part });
                }
            }
        }
    }

    fn find_used(&mut self, state: &State, desired: &Desired) {
        let by = users(state);
        let gone = self.changes.values().filter(|change| {
            matches!(change.action, Action::Delete | Action::Replace)
                && change.key.space == Space::Alarm
        });
        let mut problems = Vec::new();
        for change in gone {
            for by in by.get(&change.key.name).into_iter().flatten() {
                let user = Key::alarm(by);
                // What is wanted is updated before, what is deleted goes first.
                if !desired.objects.contains_key(&user) && !self.deletes(&user) {
                    let stale = self.stale.contains(&user);
                    let (key, by) = (change.key.clone(), by.clone());
                    problems.push(Problem::StillUsed { key, by, stale });
                }
            }
        }
        self.problems.extend(problems);
    }
}

pub(super) fn users(state: &State) -> BTreeMap<String, BTreeSet<String>> {
    let mut by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, object) in &state.objects {
        for part in parts(object.kind, &object.fields) {
            by.entry(part).or_default().insert(key.name.clone());
        }
    }
    by
}

/// A composite alarm that has let go of its parts, until an interrupted run goes on.
fn is_unlinked(fields: &Value) -> bool {
    fields["AlarmRule"] == UNLINKED && fields["ActionsEnabled"] == false
}

impl Wanted {
    /// Fields and tags, each as one that is new.
    pub fn all_fields(&self) -> Vec<FieldChange> {
        let tags = self.tags.iter().map(|(name, value)| FieldChange {
            path: format!("tags.{name}"),
            old: Value::Null,
            new: value.as_str().into(),
        });
        let fields = differences(&without_entries(&self.fields), &self.fields);
        fields.into_iter().chain(tags).collect()
    }
}

/// An object in which each list of objects is empty, and nothing else is.
fn without_entries(fields: &Value) -> Value {
    let fields = fields.as_object().into_iter().flatten();
    let of_objects = |list: &Value| {
        let list = list.as_array();
        list.is_some_and(|list| list.iter().all(Value::is_object))
    };
    let lists = fields.filter(|(_, value)| of_objects(value));
    let empty = lists.map(|(name, _)| (name.clone(), Value::Array(Vec::new())));
    Value::Object(empty.collect())
}

pub fn hash(fields: &Value) -> String {
    Digest::of(fields.to_string().as_bytes()).to_string()
}

/// Tags to set, and to remove: those that a spec had. All others are somebody else's. A renamed spec file is no change.
pub(super) fn tag_edits(old: &Tags, new: &Tags) -> (Tags, BTreeSet<String>) {
    let set = new.iter().filter(|(name, value)| {
        let known = old.get(*name);
        known != Some(value) && (*name != SPEC_TAG || known.is_none())
    });
    let had: Vec<_> = match old.get(TAGS_TAG) {
        Some(names) => names.split('=').chain([TAGS_TAG]).collect(),
        None => Vec::new(),
    };
    let gone = old
        .keys()
        .filter(|name| !new.contains_key(*name) && had.contains(&name.as_str()));
    let set = set.map(|(name, value)| (name.clone(), value.clone()));
    (set.collect(), gone.cloned().collect())
}

/// The same for an object. A mute rule may have no tags at all: its description names its service.
pub(super) fn object_edits(object: &Object, wanted: &Wanted) -> (Tags, BTreeSet<String>) {
    match object.kind == Kind::MuteRule && object.tags.is_empty() {
        true => (Tags::new(), BTreeSet::new()),
        false => tag_edits(&object.tags, &wanted.tags),
    }
}

pub(super) fn is_tagged(old: &Tags, wanted: &Tags) -> bool {
    let (set, gone) = tag_edits(old, wanted);
    set.is_empty() && gone.is_empty()
}

/// Fields and tags that differ. The hash tag changes with the fields, so it is listed only if nothing else differs.
fn changed_fields(object: &Object, wanted: &Wanted) -> Vec<FieldChange> {
    let mut fields = differences(&object.fields, &wanted.fields);
    let (set, gone) = object_edits(object, wanted);
    let value = |tags: &Tags, name: &String| {
        tags.get(name)
            .map_or(Value::Null, |text| text.as_str().into())
    };
    let tags = set.keys().chain(&gone).map(|name| FieldChange {
        path: format!("tags.{name}"),
        old: value(&object.tags, name),
        new: value(&wanted.tags, name),
    });
    let (hash, tags): (Vec<_>, Vec<_>) = tags.partition(|tag| tag.path.ends_with(HASH_TAG));
    fields.extend(tags);
    match fields.is_empty() {
        true => hash,
        false => fields,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(kind: Kind, fields: Value) -> Wanted {
        let tags = Tags::from([
            (SERVICE_TAG.to_owned(), "svc".to_owned()),
            (HASH_TAG.to_owned(), hash(&fields)),
        ]);
        Wanted { kind, fields, tags }
    }

    fn threshold(value: i32) -> Wanted {
        wanted(Kind::MetricAlarm, json!({"Threshold": value}))
    }

    fn live(wanted: &Wanted) -> Object {
        Object {
            kind: wanted.kind,
            arn: "arn".to_owned(),
            fields: wanted.fields.clone(),
            tags: wanted.tags.clone(),
        }
    }

    fn desired(objects: &[(&str, Wanted)]) -> Desired {
        let objects = objects
            .iter()
            .map(|(name, wanted)| (Key::alarm(name), wanted.clone()));
        Desired {
            region: "us-east-1".to_owned(),
            services: BTreeSet::from(["svc".to_owned()]),
            objects: objects.collect(),
            ..Desired::default()
        }
    }

    fn state(objects: &[(&str, Object)]) -> State {
        let objects = objects
            .iter()
            .map(|(name, object)| (Key::alarm(name), object.clone()));
        State {
            objects: objects.collect(),
            ..State::default()
        }
    }

    fn between(state: &State, desired: &Desired) -> Changes {
        Changes::between(state, desired, Allowed::default())
    }

    #[test]
    fn a_threshold_is_one_field() {
        let found = between(
            &state(&[("a", live(&threshold(80)))]),
            &desired(&[("a", threshold(90))]),
        );
        let change = &found.changes[&Key::alarm("a")];
        assert_eq!((change.action, change.edited), (Action::Update, false));
        let one = FieldChange {
            path: "Threshold".to_owned(),
            old: json!(80),
            new: json!(90),
        };
        assert_eq!(change.fields, [one]);
    }

    #[test]
    fn what_somebody_else_edited_is_told() {
        let mut object = live(&threshold(80));
        object.fields = json!({"Threshold": 70});
        let found = between(&state(&[("a", object)]), &desired(&[("a", threshold(80))]));
        assert!(found.changes[&Key::alarm("a")].edited);
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let mut object = live(&threshold(80));
        object.tags = Tags::from([("Owner".to_owned(), "somebody".to_owned())]);
        let (state, desired) = (state(&[("a", object)]), desired(&[("a", threshold(80))]));
        let found = between(&state, &desired);
        assert!(found.changes.is_empty());
        assert_eq!(found.problems.len(), 1);
        let adopt = Allowed {
            adopt: true,
            prune: false,
        };
        let found = Changes::between(&state, &desired, adopt);
        assert!(found.problems.is_empty());
        assert!(found.changes[&Key::alarm("a")].adopted);
    }

    #[test]
    fn only_what_is_ours_is_deleted_and_only_on_request() {
        let mut other = live(&threshold(1));
        other
            .tags
            .insert(SERVICE_TAG.to_owned(), "other".to_owned());
        let state = state(&[("a", live(&threshold(1))), ("b", other)]);
        let found = between(&state, &desired(&[]));
        assert!(found.changes.is_empty());
        assert_eq!(found.stale, BTreeSet::from([Key::alarm("a")]));
        let prune = Allowed {
            adopt: false,
            prune: true,
        };
        let found = Changes::between(&state, &desired(&[]), prune);
        assert_eq!(found.changes.keys().collect::<Vec<_>>(), [&Key::alarm("a")]);
    }

    #[test]
    fn a_part_must_exist_and_a_used_one_must_stay() {
        let both = wanted(Kind::CompositeAlarm, json!({"AlarmRule": "ALARM(a)"}));
        let found = between(&state(&[]), &desired(&[("both", both.clone())]));
        assert!(matches!(
            found.problems.first(),
            Some(Problem::MissingPart { .. })
        ));
        let mut foreign = live(&both);
        foreign.tags.clear();
        let state = state(&[("a", live(&threshold(1))), ("theirs", foreign)]);
        let prune = Allowed {
            adopt: false,
            prune: true,
        };
        let found = Changes::between(&state, &desired(&[]), prune);
        assert!(matches!(
            found.problems.first(),
            Some(Problem::StillUsed { .. })
        ));
    }

    #[test]
    fn only_tags_that_a_spec_had_are_removed() {
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let old = Tags::from([
            tag("aws:a", "1"),
            tag("theirs", "2"),
            tag("b", "3"),
            tag(SPEC_TAG, "old.yaml"),
            tag(TAGS_TAG, "b=c"),
        ]);
        let new = Tags::from([tag(SPEC_TAG, "new.yaml")]);
        let (set, gone) = tag_edits(&old, &new);
        assert!(set.is_empty());
        let names = ["b", TAGS_TAG].map(str::to_owned);
        assert_eq!(gone, BTreeSet::from(names));
    }
}
