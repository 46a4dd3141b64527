//! Calls that fail by chance: whatever happened, a clean run ends in what is wanted.

use slosmith::aws::{Allowed, Changes, Desired, waves};

use super::library::{apply, assert_nothing_to_do, desired, read, session, text_of};
use super::server::{Faults, Server, Store};
use serde_json::json;

const PRUNE: Allowed = Allowed {
    prune: true,
    adopt: false,
};

/// How fast: two thousand calls a second.
const TIMES: u32 = 700;

/// A small spec in two versions: alarms come, go and change, and some are made from others.
fn versions() -> [Desired; 2] {
    let new = text_of("tests/fixtures/cloudwatch/parity.yaml");
    let new = desired(&new);
    let mut old = new.clone();
    let names: Vec<_> = old.objects.keys().cloned().collect();
    for (n, key) in names.iter().enumerate() {
        match n % 5 {
            // Parts stay, or what is made from them would miss them.
            0 if !is_part(&new, &key.name) => drop(old.objects.remove(key)),
            1 => {
                let wanted = old.objects.get_mut(key).expect("it is wanted");
                wanted.fields["AlarmDescription"] = json!("an older text");
                wanted.tags.insert("Old".to_owned(), "yes".to_owned());
            }
            _ => {}
        }
    }
    [old, new]
}

fn is_part(desired: &Desired, name: &str) -> bool {
    let mut wanted = desired.objects.values();
    wanted.any(|wanted| slosmith::aws::parts(wanted.kind, &wanted.fields).contains(name))
}

/// What is of somebody else.
fn foreign(store: &Store) -> Store {
    let mut foreign = store.clone();
    let ours =
        |tags: &std::collections::BTreeMap<String, String>| tags.contains_key("slosmith:service");
    foreign.alarms.retain(|_, alarm| !ours(&alarm.tags));
    foreign.mutes.retain(|_, mute| !ours(&mute.tags));
    foreign.dashboards.retain(|_, (_, tags)| !ours(tags));
    foreign
}

/// One run that fails by chance, or is cut off, from the one version to the other; then a clean one. True when the first ended
/// before it was done.
fn run(seed: u64, from: &Desired, to: &Desired) -> bool {
    let server = Server::start();
    let service = to.services.first().expect("a service");
    server.store().put_foreign(
        &format!("{service}-theirs"),
        json!({"MetricName": "x", "EvaluationPeriods": 1}),
    );
    let theirs = foreign(&server.store());
    apply(&session(&server, TIMES), from, PRUNE).expect("a state");

    let faults = Faults::random(seed, [0, 10, 30, 60][seed as usize % 4]);
    let cut = seed.is_multiple_of(2);
    server.fail(if cut {
        faults.then_dead(5 + seed as usize * 7 % 150)
    } else {
        faults
    });
    let first = session(&server, TIMES);
    let mut ended_early = true;
    if let Ok(state) = read(&first, to) {
        let changes = Changes::between(&state, to, PRUNE);
        assert!(
            changes.problems.is_empty(),
            "{seed}: {:?}",
            changes.problems
        );
        let calls = waves(&changes, &state, to);
        let all = calls.iter().map(Vec::len).sum::<usize>();
        let outcome = first.apply(calls, &|_, _| ());
        let told = outcome.done.len() + outcome.failed.len() + outcome.left.len();
        assert_eq!(told, all, "{seed}: every call is told");
        ended_early = outcome.done.len() < all;
    }
    assert_eq!(
        foreign(&server.store()),
        theirs,
        "{seed}: what is not ours was changed"
    );

    server.fail(Faults::default());
    let second = session(&server, TIMES);
    let (_, outcome) = apply(&second, to, PRUNE).expect("a state");
    assert!(
        outcome.failed.is_empty() && outcome.left.is_empty(),
        "{seed}: {:?}",
        outcome.failed
    );
    assert_nothing_to_do(&second, to, PRUNE);
    assert_eq!(
        foreign(&server.store()),
        theirs,
        "{seed}: what is not ours was changed"
    );
    ended_early
}

fn runs(seeds: std::ops::Range<u64>) {
    let [old, new] = versions();
    let (mut whole, mut cut) = (0, 0);
    for seed in seeds {
        let ended_early = match seed % 3 {
            0 => run(seed, &Desired::default(), &new),
            1 => run(seed, &old, &new),
            _ => run(seed, &new, &old),
        };
        *(if ended_early { &mut cut } else { &mut whole }) += 1;
    }
    println!("{whole} runs were done in spite of faults, {cut} were not");
    assert!(whole > 3 && cut > 3, "{whole} {cut}");
}

#[test]
#[ignore = "ci"]
fn a_clean_run_ends_what_a_failed_one_began() {
    runs(0..24);
}

#[test]
#[ignore = "[slow] two hundred runs"]
fn two_hundred_failed_runs_end_well() {
    runs(0..200);
}
