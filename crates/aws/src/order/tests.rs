//! A model of an account refuses what CloudWatch refuses; random changes, in the order made here, must all pass.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::changes::{Allowed, hash, is_tagged};
use crate::object::{HASH_TAG, SERVICE_TAG, Wanted};
use slosmith_cloudwatch::alarm_name;

const NAMES: [&str; 6] = ["svc-a", "svc-b", "svc-c", "svc-d", "svc-e", "svc-f"];

/// What CloudWatch does with calls, as its documents say.
#[derive(Clone, Debug)]
struct Model(State);

impl Model {
    fn call(&mut self, call: &Call) -> Result<(), String> {
        match call {
            Call::Put {
                key,
                kind,
                fields,
                tags,
            } => self.put(key, *kind, fields, tags),
            Call::Tag { key, tags, .. } => {
                self.object(key)?.tags.extend(tags.clone());
                Ok(())
            }
            Call::Untag { key, names, .. } => {
                self.object(key)?
                    .tags
                    .retain(|name, _| !names.contains(name));
                Ok(())
            }
            Call::Delete { space, names } => self.delete(*space, names),
        }
    }

    fn object(&mut self, key: &Key) -> Result<&mut Object, String> {
        self.0
            .objects
            .get_mut(key)
            .ok_or(format!("there is no {key}"))
    }

    fn put(&mut self, key: &Key, kind: Kind, fields: &Value, tags: &Tags) -> Result<(), String> {
        for part in parts(kind, fields) {
            if !self.0.objects.contains_key(&Key::alarm(alarm_name(&part))) {
                return Err(format!("{key}: its part {part} does not exist"));
            }
        }
        if let Some(old) = self.0.objects.get_mut(key) {
            if old.kind != kind {
                return Err(format!("{key} is of another kind"));
            }
            old.fields = fields.clone();
            return Ok(());
        }
        let (fields, tags) = (fields.clone(), tags.clone());
        let arn = format!("arn of {key}");
        let object = Object {
            kind,
            arn,
            fields,
            tags,
        };
        self.0.objects.insert(key.clone(), object);
        Ok(())
    }

    fn delete(&mut self, space: Space, names: &[String]) -> Result<(), String> {
        let key = |name: &String| Key {
            space,
            name: name.clone(),
        };
        let kinds = names
            .iter()
            .map(|name| self.0.objects.get(&key(name)).map(|o| o.kind));
        let composite = kinds
            .filter(|kind| *kind == Some(Kind::CompositeAlarm))
            .count();
        if names.len() > DELETED_AT_ONCE || composite > 1 {
            return Err(format!(
                "{} alarms and {composite} composite ones in one call",
                names.len()
            ));
        }
        for name in names {
            if let Some(by) = users(&self.0).get(name) {
                return Err(format!("{name} cannot be deleted: {by:?} are made from it"));
            }
            self.0
                .objects
                .remove(&key(name))
                .ok_or(format!("there is no {name}"))?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Owner {
    Us,
    Other,
    Nobody,
}

/// An alarm, by what it is made from and some number.
type Alarm = (Vec<prop::sample::Index>, u8);

fn fields((of, number): &Alarm, among: &[usize]) -> (Kind, Value) {
    let parts: BTreeSet<_> = match among.is_empty() {
        true => BTreeSet::new(),
        false => of
            .iter()
            .map(|index| NAMES[among[index.index(among.len())]])
            .collect(),
    };
    match parts.is_empty() {
        true => (Kind::MetricAlarm, json!({"Threshold": number})),
        false => {
            let rule: Vec<_> = parts.iter().map(|part| format!("ALARM({part})")).collect();
            (
                Kind::CompositeAlarm,
                json!({"AlarmRule": rule.join(" OR ")}),
            )
        }
    }
}

fn alarm() -> impl Strategy<Value = Alarm> {
    (
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        0..3_u8,
    )
}

/// An account: circles are allowed, missing parts are not.
fn accounts() -> impl Strategy<Value = State> {
    let owner =
        prop_oneof![30 => Just(Owner::Us), 1 => Just(Owner::Other), 1 => Just(Owner::Nobody)];
    let each = prop::collection::vec(prop::option::of((alarm(), owner)), NAMES.len());
    each.prop_map(|alarms| {
        let there: Vec<_> = (0..NAMES.len())
            .filter(|at| alarms[*at].is_some())
            .collect();
        let mut state = State::default();
        for (at, alarm) in alarms.iter().enumerate() {
            let Some((alarm, owner)) = alarm else {
                continue;
            };
            let (kind, fields) = fields(alarm, &there);
            let mut tags = Tags::new();
            if *owner != Owner::Nobody {
                let service = if *owner == Owner::Us { "svc" } else { "other" };
                tags.insert(SERVICE_TAG.to_owned(), service.to_owned());
                tags.insert(HASH_TAG.to_owned(), hash(&fields));
            }
            let key = Key::alarm(NAMES[at]);
            let arn = format!("arn of {key}");
            state.objects.insert(
                key,
                Object {
                    kind,
                    arn,
                    fields,
                    tags,
                },
            );
        }
        state
    })
}

/// What specs want: parts come before what is made from them.
fn wishes() -> impl Strategy<Value = Desired> {
    let order = Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle();
    let each = prop::collection::vec(prop::option::weighted(0.7, alarm()), NAMES.len());
    (order, each).prop_map(|(order, alarms)| {
        let mut desired = Desired::default();
        desired.services.insert("svc".to_owned());
        let mut before = Vec::new();
        for at in order {
            let Some(alarm) = &alarms[at] else { continue };
            let (kind, fields) = fields(alarm, &before);
            let tags = Tags::from([
                (SERVICE_TAG.to_owned(), "svc".to_owned()),
                (HASH_TAG.to_owned(), hash(&fields)),
            ]);
            let wanted = Wanted { kind, fields, tags };
            desired.objects.insert(Key::alarm(NAMES[at]), wanted);
            before.push(at);
        }
        desired
    })
}

fn permission() -> impl Strategy<Value = Allowed> {
    (any::<bool>(), any::<bool>()).prop_map(|(prune, adopt)| Allowed { prune, adopt })
}

/// Makes all calls, each wave in an order of chance, until `stop` of them were made.
fn apply(model: &mut Model, waves: Vec<Wave>, stop: usize, seed: usize) -> Result<usize, String> {
    let mut made = 0;
    for mut wave in waves {
        let turn = seed % wave.len().max(1);
        wave.rotate_left(turn);
        for call in wave {
            if made == stop {
                return Ok(made);
            }
            model.call(&call)?;
            made += 1;
        }
    }
    Ok(made)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_global_rejects: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_call_is_refused_and_all_end_in_what_is_wanted(
        account in accounts(), desired in wishes(), allowed in permission(), stop in 0..12_usize, seed in 0..7_usize,
    ) {
        let changes = Changes::between(&account, &desired, allowed);
        prop_assume!(changes.problems.is_empty());
        let mut model = Model(account.clone());
        // Interrupted after some calls, and run again.
        apply(&mut model, waves(&changes, &account, &desired), stop, seed)
            .map_err(TestCaseError::fail)?;
        let rest = Changes::between(&model.0, &desired, allowed);
        prop_assert!(rest.problems.is_empty(), "{:?}", rest.problems);
        let edited = |changes: &Changes| changes.changes.values().any(|change| change.edited);
        prop_assert!(!edited(&changes) && !edited(&rest), "{rest:?}");
        let again = waves(&rest, &model.0, &desired);
        apply(&mut model, again, usize::MAX, seed).map_err(TestCaseError::fail)?;

        let left = Changes::between(&model.0, &desired, allowed);
        prop_assert!(left.is_empty(), "{left:?}");
        for (key, wanted) in &desired.objects {
            let object = &model.0.objects[key];
            prop_assert_eq!((object.kind, &object.fields), (wanted.kind, &wanted.fields));
            prop_assert!(is_tagged(&object.tags, &wanted.tags), "{:?}", object.tags);
        }
        for (key, object) in &account.objects {
            let ours = object.service() == Some("svc");
            if !ours && !desired.objects.contains_key(key) {
                prop_assert_eq!(Some(object), model.0.objects.get(key));
            }
            if ours && !allowed.prune {
                prop_assert!(model.0.objects.contains_key(key), "{key} is lost");
            }
        }
    }
}

#[test]
fn a_circle_lets_go_of_one() {
    let tags = Tags::from([(SERVICE_TAG.to_owned(), "svc".to_owned())]);
    let composite = |of: &str| Object {
        kind: Kind::CompositeAlarm,
        arn: String::new(),
        fields: json!({"AlarmRule": format!("ALARM({of})")}),
        tags: tags.clone(),
    };
    let objects = [("a", composite("b")), ("b", composite("a"))];
    let state = State {
        objects: objects
            .into_iter()
            .map(|(name, o)| (Key::alarm(name), o))
            .collect(),
        ..State::default()
    };
    let waves = waves_without_any(&state);
    let put = |wave: &Wave| matches!(&wave[..], [Call::Put { fields, .. }] if fields["AlarmRule"] == "FALSE");
    assert!(put(&waves[0]), "{waves:?}");
    assert_eq!(waves.len(), 3);
    apply(&mut Model(state), waves, usize::MAX, 0).expect("deleted");
}

/// The calls that delete everything of the service, which wants nothing any more.
fn waves_without_any(state: &State) -> Vec<Wave> {
    let desired = Desired {
        services: BTreeSet::from(["svc".to_owned()]),
        ..Desired::default()
    };
    let allowed = Allowed {
        prune: true,
        adopt: false,
    };
    let changes = Changes::between(state, &desired, allowed);
    waves(&changes, state, &desired)
}

#[test]
fn many_metric_alarms_are_deleted_at_once_and_composite_ones_one_by_one() {
    let objects = (0..250).map(|n| {
        let kind = if n < 3 {
            Kind::CompositeAlarm
        } else {
            Kind::MetricAlarm
        };
        let tags = Tags::from([(SERVICE_TAG.to_owned(), "svc".to_owned())]);
        let fields = json!({"AlarmRule": "TRUE"});
        (
            Key::alarm(&format!("svc-{n}")),
            Object {
                kind,
                arn: String::new(),
                fields,
                tags,
            },
        )
    });
    let state = State {
        objects: objects.collect(),
        ..State::default()
    };
    let waves = waves_without_any(&state);
    let sizes: Vec<_> = waves.iter().map(Vec::len).collect();
    assert_eq!(sizes, [3, 3]);
    let mut model = Model(state);
    apply(&mut model, waves, usize::MAX, 0).expect("deleted");
    assert!(model.0.objects.is_empty());
}
