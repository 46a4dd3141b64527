//! In which order changes are made, so that CloudWatch refuses none.
//!
//! A composite alarm is put after its parts; it is deleted, or loses a part, before that part is deleted:
//!
//! ```text
//! [tag …]  [put a, put b]  [put both = ALARM(a) AND ALARM(b)]  [delete old-both]  [delete old-a, old-b]
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::changes::{Action, Change, Changes, UNLINKED, hash, object_edits, users};
use super::object::{BEFORE_TAG, Desired, Key, Kind, Object, Space, State, Tags, parts};

const DELETED_AT_ONCE: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Put {
        key: Key,
        kind: Kind,
        fields: Value,
        tags: Tags,
    },
    Tag {
        key: Key,
        /// The ARN that the tag call needs.
        arn: String,
        tags: Tags,
    },
    Untag {
        key: Key,
        arn: String,
        names: BTreeSet<String>,
    },
    Delete {
        space: Space,
        names: Vec<String>,
    },
}

/// Calls that need not wait for each other.
pub type Wave = Vec<Call>;

/// All calls that changes need: each wave after the one before it.
pub fn waves(changes: &Changes, state: &State, desired: &Desired) -> Vec<Wave> {
    let planner = Planner {
        changes,
        state,
        desired,
    };
    let mut waves = vec![planner.tags()];
    let unlinked = planner.unlinked();
    waves.extend(planner.replaced(&unlinked));
    waves.extend(planner.puts(&unlinked));
    waves.extend(planner.deletes());
    waves.retain(|wave| !wave.is_empty());
    waves
}

struct Planner<'a> {
    changes: &'a Changes,
    state: &'a State,
    desired: &'a Desired,
}

impl Planner<'_> {
    fn with(&self, action: Action) -> impl Iterator<Item = &Change> {
        let all = self.changes.changes.values();
        all.filter(move |change| change.action == action)
    }

    /// Tags that change, before the fields do: an interrupted run knows its own objects, and by the fingerprint before, that
    /// nobody else has edited them.
    fn tags(&self) -> Wave {
        let mut wave = Wave::new();
        for change in self.with(Action::Update) {
            let key = &change.key;
            let (Some(object), Some(wanted)) =
                (self.state.objects.get(key), self.desired.objects.get(key))
            else {
                continue;
            };
            let (mut tags, names) = object_edits(object, wanted);
            let untagged = object.kind == Kind::MuteRule && object.tags.is_empty();
            if object.fields != wanted.fields && !untagged {
                tags.insert(BEFORE_TAG.to_owned(), hash(&object.fields));
            }
            let (key, arn) = (key.clone(), object.arn.clone());
            if !names.is_empty() {
                let (key, arn) = (key.clone(), arn.clone());
                wave.push(Call::Untag { key, arn, names });
            }
            if !tags.is_empty() {
                wave.push(Call::Tag { key, arn, tags });
            }
        }
        wave
    }

    fn unlinked(&self) -> BTreeSet<Key> {
        let users = users(self.state);
        let replaced = self.with(Action::Replace);
        let by = replaced.filter_map(|change| users.get(&change.key.name));
        by.flatten().map(|name| Key::alarm(name)).collect()
    }

    /// Lets go of alarms of another kind and deletes them.
    fn replaced(&self, unlinked: &BTreeSet<Key>) -> Vec<Wave> {
        let unlink = unlinked.iter().filter_map(|key| self.unlink(key)).collect();
        let gone = self.with(Action::Replace).map(|change| &change.key);
        vec![
            unlink,
            deletion(gone.filter_map(|key| self.live(key)).collect()),
        ]
    }

    fn live<'k>(&self, key: &'k Key) -> Option<(&'k Key, &Object)> {
        Some((key, self.state.objects.get(key)?))
    }

    /// Gives a composite alarm a rule without parts. It says nothing until it is put again or deleted.
    fn unlink(&self, key: &Key) -> Option<Call> {
        let mut fields = self.state.objects.get(key)?.fields.clone();
        let all = fields.as_object_mut()?;
        all.retain(|name, _| !name.starts_with("ActionsSuppressor"));
        all.insert("AlarmRule".to_owned(), json!(UNLINKED));
        all.insert("ActionsEnabled".to_owned(), json!(false));
        Some(Call::Put {
            key: key.clone(),
            kind: Kind::CompositeAlarm,
            fields,
            tags: Tags::new(),
        })
    }

    /// Everything that is created or overwritten: parts before what is made from them, then what names them.
    fn puts(&self, unlinked: &BTreeSet<Key>) -> Vec<Wave> {
        let mut waves: BTreeMap<(Kind, usize), Wave> = BTreeMap::new();
        let mut depths = BTreeMap::new();
        for (key, wanted) in &self.desired.objects {
            let change = self.changes.changes.get(key);
            let (put, new) = match change {
                None => (unlinked.contains(key), false),
                Some(change) if change.action == Action::Update => {
                    (self.fields_differ(key) || unlinked.contains(key), false)
                }
                Some(_) => (true, true),
            };
            if put {
                let call = Call::Put {
                    key: key.clone(),
                    kind: wanted.kind,
                    fields: wanted.fields.clone(),
                    tags: if new {
                        wanted.tags.clone()
                    } else {
                        Tags::new()
                    },
                };
                let depth = self.depth(&key.name, &mut depths);
                waves.entry((wanted.kind, depth)).or_default().push(call);
            }
        }
        waves.into_values().collect()
    }

    fn fields_differ(&self, key: &Key) -> bool {
        let (old, new) = (self.state.objects.get(key), self.desired.objects.get(key));
        old.map(|old| &old.fields) != new.map(|new| &new.fields)
    }

    /// Depth of an alarm in the tree of wanted composite alarms.
    fn depth(&self, name: &str, known: &mut BTreeMap<String, usize>) -> usize {
        if let Some(depth) = known.get(name) {
            return *depth;
        }
        // A circle ends here: it is put in the order of names.
        known.insert(name.to_owned(), 0);
        let wanted = self.desired.objects.get(&Key::alarm(name));
        let parts = wanted.map(|wanted| parts(wanted.kind, &wanted.fields));
        let parts = parts.unwrap_or_default().into_iter();
        let depth = parts
            .map(|part| 1 + self.depth(&part, known))
            .max()
            .unwrap_or(0);
        known.insert(name.to_owned(), depth);
        depth
    }

    /// Deletes obsolete objects: objects that name alarms first, then composite alarms, then their parts.
    fn deletes(&self) -> Vec<Wave> {
        let gone: Vec<_> = self
            .with(Action::Delete)
            .filter_map(|change| self.live(&change.key))
            .collect();
        let of = |kind: Kind| {
            gone.iter()
                .copied()
                .filter(move |(_, object)| object.kind == kind)
        };
        let mut waves = vec![deletion(
            of(Kind::Dashboard).chain(of(Kind::MuteRule)).collect(),
        )];
        // What is left to delete, with the parts that each still holds.
        let mut left: BTreeMap<&Key, BTreeSet<String>> = of(Kind::CompositeAlarm)
            .map(|(key, object)| (key, parts(object.kind, &object.fields)))
            .collect();
        while !left.is_empty() {
            let held: BTreeSet<&String> = left.values().flatten().collect();
            let free: Vec<_> = left
                .keys()
                .copied()
                .filter(|key| !held.contains(&key.name))
                .collect();
            if free.is_empty() {
                // Each is a part of another: one that is made from others lets go of them.
                let held = |parts: &BTreeSet<String>| {
                    parts
                        .iter()
                        .any(|part| left.contains_key(&Key::alarm(part)))
                };
                let first = left
                    .iter()
                    .find(|(_, parts)| held(parts))
                    .map(|(key, _)| *key);
                let Some(first) = first else { break };
                left.insert(first, BTreeSet::new());
                waves.push(self.unlink(first).into_iter().collect());
                continue;
            }
            left.retain(|key, _| !free.contains(key));
            waves.push(deletion(
                free.into_iter().filter_map(|key| self.live(key)).collect(),
            ));
        }
        waves.push(deletion(of(Kind::MetricAlarm).collect()));
        waves
    }
}

/// Calls that delete objects: many metric alarms at once, everything else one by one.
fn deletion(objects: Vec<(&Key, &Object)>) -> Wave {
    let (metric, others): (Vec<_>, Vec<_>) = objects
        .into_iter()
        .partition(|(_, object)| object.kind == Kind::MetricAlarm);
    let metric: Vec<_> = metric
        .into_iter()
        .map(|(key, _)| key.name.clone())
        .collect();
    let metric = metric.chunks(DELETED_AT_ONCE).map(|names| Call::Delete {
        space: Space::Alarm,
        names: names.to_vec(),
    });
    let others = others.into_iter().map(|(key, _)| Call::Delete {
        space: key.space,
        names: vec![key.name.clone()],
    });
    metric.chain(others).collect()
}

#[cfg(test)]
mod tests;
