//! Days that a fleet can have.

use libtest_mimic::Trial;

use crate::chance::Chance;
use crate::fleet::{Fleet, Life, Replica, Spell, simulate};
use crate::judge::{Case, settle};
use crate::trial::{Needs, in_ci, slow};

/// A day with a name.
struct Scenario {
    name: &'static str,
    /// The releases that the spec is built for; its own where there is none.
    vllm: Option<&'static str>,
    fleet: fn() -> Fleet,
}

const MINUTES: u64 = 320;

const SCENARIOS: [Scenario; 10] = [
    Scenario {
        name: "errors",
        vllm: None,
        fleet: errors,
    },
    Scenario {
        name: "idle night",
        vllm: None,
        fleet: idle_night,
    },
    Scenario {
        name: "overload",
        vllm: None,
        fleet: overload,
    },
    Scenario {
        name: "full cache",
        vllm: None,
        fleet: full_cache,
    },
    Scenario {
        name: "restarts",
        vllm: None,
        fleet: restarts,
    },
    Scenario {
        name: "rolling upgrade",
        vllm: Some(">=0.10, <0.13"),
        fleet: rolling_upgrade,
    },
    Scenario {
        name: "lost replicas",
        vllm: None,
        fleet: lost_replicas,
    },
    Scenario {
        name: "failed scrapes",
        vllm: None,
        fleet: failed_scrapes,
    },
    Scenario {
        name: "first day",
        vllm: None,
        fleet: first_day,
    },
    Scenario {
        name: "lost jobs",
        vllm: None,
        fleet: lost_jobs,
    },
];

/// In CI, those of two specs; a plain run has a random day, which takes a quarter of the time. The third spec has the most rules.
pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for spec in ["mangaassist", "vllm-production", "vllm-serving"] {
        for scenario in &SCENARIOS {
            // It counts requests that the engine failed: the label has that value since 0.13.
            if scenario.vllm.is_some() && spec == "vllm-serving" {
                continue;
            }
            let name = scenario.name.replace(' ', "_");
            let run = move || agree(spec, scenario);
            all.push(match spec {
                "vllm-serving" => slow(
                    format!("scenario::more::{name}::{spec}"),
                    Needs::Promtool,
                    run,
                ),
                _ => in_ci(format!("scenario::{name}::{spec}"), Needs::Promtool, run),
            });
        }
    }
    all
}

/// All days on the releases that specs are built for by themselves.
pub(crate) fn fleets() -> impl Iterator<Item = (String, Fleet)> {
    let usual = SCENARIOS.iter().filter(|scenario| scenario.vllm.is_none());
    usual.map(|scenario| (scenario.name.to_owned(), (scenario.fleet)()))
}

fn agree(spec: &str, scenario: &Scenario) {
    let path = format!("{}/specs/{spec}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("spec");
    let case = Case::new(&text, scenario.vllm, &(scenario.fleet)(), 30.0, 1);
    settle(&format!("{} / {spec}", scenario.name), case.judge());
}

/// Two replicas of one model, and one of another.
pub(crate) fn replicas(release: &str) -> Vec<Replica> {
    let replica = |(cluster, model, pod, phase): (&'static str, &'static str, &str, f64)| Replica {
        cluster,
        model,
        pod: pod.to_owned(),
        lives: vec![life(-10.0, f64::INFINITY, release)],
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

/// A process, by minutes.
pub(crate) fn life(from: f64, to: f64, release: &str) -> Life {
    Life {
        from: from * 60.0,
        to: to * 60.0,
        release: release.to_owned(),
    }
}

fn day(seed: u64, replicas: Vec<Replica>, spells: &[Spell]) -> Fleet {
    simulate(MINUTES, replicas, spells, &mut Chance::new(seed))
}

const END: f64 = MINUTES as f64;

fn errors() -> Fleet {
    let spells = [
        Spell::until(60.0),
        Spell {
            errors: 0.08,
            ..Spell::until(100.0)
        },
        Spell::until(240.0),
        Spell {
            errors: 0.3,
            ..Spell::until(250.0)
        },
        Spell::until(END),
    ];
    day(1, replicas("0.33.0"), &spells)
}

/// Work, nothing, and a morning at which everything is slow.
fn idle_night() -> Fleet {
    let spells = [
        Spell {
            load: 0.6,
            ..Spell::until(130.0)
        },
        Spell {
            load: 0.0,
            ..Spell::until(200.0)
        },
        Spell {
            load: 0.1,
            slow: 60.0,
            ..Spell::until(240.0)
        },
        Spell::until(END),
    ];
    day(2, replicas("0.33.0"), &spells)
}

fn overload() -> Fleet {
    let spells = [
        Spell::until(140.0),
        Spell {
            load: 2.5,
            slow: 20.0,
            ..Spell::until(160.0)
        },
        Spell {
            load: 0.2,
            ..Spell::until(200.0)
        },
        Spell {
            load: 1.2,
            slow: 40.0,
            ..Spell::until(220.0)
        },
        Spell::until(END),
    ];
    day(3, replicas("0.33.0"), &spells)
}

/// Long prompts that nothing has seen before, on an engine that preempts.
fn full_cache() -> Fleet {
    let spells = [
        Spell {
            slow: 8.0,
            ..Spell::until(140.0)
        },
        Spell {
            prompts: 12.0,
            cached: 0.02,
            slow: 25.0,
            load: 0.9,
            ..Spell::until(230.0)
        },
        Spell::until(END),
    ];
    let mut fleet = day(4, replicas("0.33.0"), &spells);
    fleet.leak = Some((20.0, 90.0));
    fleet
}

fn restarts() -> Fleet {
    let mut all = replicas("0.33.0");
    all[0].lives = vec![
        life(-10.0, 70.2, "0.33.0"),
        life(70.9, 150.3, "0.33.0"),
        life(153.1, 154.0, "0.33.0"),
        life(156.6, END + 1.0, "0.33.0"),
    ];
    all[2].lives = vec![
        life(-10.0, 200.6, "0.33.0"),
        life(212.2, END + 1.0, "0.33.0"),
    ];
    let spells = [
        Spell::until(90.0),
        Spell {
            errors: 0.05,
            load: 0.8,
            slow: 4.0,
            ..Spell::until(180.0)
        },
        Spell::until(END),
    ];
    day(5, all, &spells)
}

/// From a release with the old names over one with both to one with the new ones, replica by replica.
fn rolling_upgrade() -> Fleet {
    let mut all = replicas("0.10.0");
    for (i, replica) in all.iter_mut().enumerate() {
        let at = 60.0 + 20.0 * i as f64;
        replica.lives = vec![
            life(-10.0, at, "0.10.0"),
            life(at + 2.5, at + 100.0, "0.10.2"),
            life(at + 101.7, END + 1.0, "0.12.0"),
        ];
    }
    let spells = [
        Spell::until(110.0),
        Spell {
            slow: 20.0,
            errors: 0.02,
            ..Spell::until(190.0)
        },
        Spell::until(END),
    ];
    day(6, all, &spells)
}

/// A replica goes, then every engine, one of them for good.
fn lost_replicas() -> Fleet {
    let mut all = replicas("0.33.0");
    all[0].lives = vec![life(-10.0, 60.4, "0.33.0")];
    all[1].lives = vec![
        life(-10.0, 120.7, "0.33.0"),
        life(180.2, END + 1.0, "0.33.0"),
    ];
    all[2].lives = vec![life(-10.0, 140.1, "0.33.0")];
    day(
        7,
        all,
        &[Spell {
            load: 0.7,
            slow: 3.0,
            ..Spell::until(END)
        }],
    )
}

/// In the middle of trouble, jobs are taken out of what Prometheus scrapes, and never come back.
fn lost_jobs() -> Fleet {
    let spells = [
        Spell::until(60.0),
        Spell {
            errors: 0.2,
            slow: 20.0,
            load: 0.8,
            ..Spell::until(200.0)
        },
        Spell::until(END),
    ];
    let mut fleet = day(10, replicas("0.33.0"), &spells);
    fleet.gone = vec![
        ("vllm", 100.4),
        ("mangaassist-gateway", 150.2),
        ("dcgm-exporter", 150.2),
    ];
    fleet
}

/// Pages that cannot be read for a moment, for minutes, and every other time.
fn failed_scrapes() -> Fleet {
    let mut all = replicas("0.33.0");
    let span = |from: f64, to: f64| (from * 60.0, to * 60.0);
    all[0].unread = vec![span(50.0, 50.6), span(100.0, 107.0), span(200.0, 203.5)];
    all[1].unread = (240..280)
        .map(|m| span(f64::from(m), f64::from(m) + 0.5))
        .collect();
    all[2].unread = vec![span(120.0, 131.0)];
    let spells = [
        Spell::until(90.0),
        Spell {
            slow: 30.0,
            errors: 0.04,
            ..Spell::until(125.0)
        },
        Spell {
            load: 0.3,
            slow: 2.0,
            ..Spell::until(END)
        },
    ];
    day(8, all, &spells)
}

/// Nothing ran before; the first requests fail.
fn first_day() -> Fleet {
    let mut all = replicas("0.33.0");
    for (replica, from) in all.iter_mut().zip([20.3, 21.1, 90.5]) {
        replica.lives = vec![life(from, END + 1.0, "0.33.0")];
    }
    let spells = [
        Spell {
            load: 0.0,
            ..Spell::until(22.0)
        },
        Spell {
            load: 0.3,
            errors: 0.5,
            slow: 10.0,
            ..Spell::until(30.0)
        },
        Spell {
            load: 0.01,
            errors: 0.2,
            ..Spell::until(150.0)
        },
        Spell {
            load: 0.3,
            ..Spell::until(END)
        },
    ];
    day(9, all, &spells)
}
