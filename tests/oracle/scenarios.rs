//! Days that a fleet can have.

use libtest_mimic::Trial;

use crate::chance::Chance;
use crate::fleet::{Fleet, Life, Replica, Spell, simulate};
use crate::judge::{Case, table};
use crate::trial::{Needs, trial};

/// A day with a name.
struct Scenario {
    name: &'static str,
    fleet: fn() -> Fleet,
}

const MINUTES: u64 = 320;

const SCENARIOS: [Scenario; 1] = [Scenario {
    name: "errors",
    fleet: errors,
}];

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for spec in ["mangaassist", "vllm-production", "vllm-serving"] {
        for scenario in &SCENARIOS {
            let name = format!("scenario::{}::{spec}", scenario.name);
            all.push(trial(name, Needs::Promtool, move || agree(spec, scenario)));
        }
    }
    all
}

fn agree(spec: &str, scenario: &Scenario) {
    let path = format!("{}/specs/{spec}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("spec");
    let fleet = (scenario.fleet)();
    let case = Case::new(&text, None, &fleet, 30.0, 1);
    let report = case.judge();
    print!("{}", table(&format!("{}/{spec}", scenario.name), &report));
    for (alert, tally) in &report {
        for wrong in tally.wrong.iter().take(3) {
            println!("{alert}: {wrong}");
        }
    }
    assert!(report.values().all(|t| t.wrong.is_empty()));
}

/// Two replicas of one model, and one of another.
fn replicas(release: &str, minutes: u64) -> Vec<Replica> {
    let replica = |(cluster, model, pod, phase): (&'static str, &'static str, &str, f64)| Replica {
        cluster,
        model,
        pod: pod.to_owned(),
        lives: vec![Life {
            from: -600.0,
            to: minutes as f64 * 60.0 + 1.0,
            release: release.to_owned(),
        }],
        unread: Vec::new(),
        phase,
    };
    [
        ("east", "large", "large-0", 2.0),
        ("east", "large", "large-1", 11.0),
        ("west", "small", "small-0", 7.0),
    ]
    .map(replica)
    .into()
}

fn errors() -> Fleet {
    let spells = [
        Spell::until(120.0),
        Spell {
            errors: 0.08,
            ..Spell::until(160.0)
        },
        Spell::until(300.0),
        Spell {
            errors: 0.3,
            ..Spell::until(310.0)
        },
        Spell::until(MINUTES as f64),
    ];
    simulate(
        MINUTES,
        replicas("0.33.0", MINUTES),
        &spells,
        &mut Chance::new(1),
    )
}
