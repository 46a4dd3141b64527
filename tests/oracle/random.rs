//! Specs and days at random. A seed makes both, so that a disagreement can be had again: `ORACLE_SEED=17`.

use std::fmt::Write;

use libtest_mimic::Trial;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::target::Target;

use crate::bundled;
use crate::chance::Chance;
use crate::fleet::{Fleet, Replica, Spell, simulate};
use crate::judge::{Case, settle, unit_tests};
use crate::scenarios::{life, replicas};
use crate::trial::{Needs, in_ci, slow, trial};

/// Pairs of a spec and a day that every run has, those that every change must pass, and those on request.
const ALWAYS: u64 = 1;
const PAIRS: u64 = 20;
const MORE: u64 = 1_000;
/// Specs of which every change must pass the unit tests.
const UNIT_TESTED: u64 = 8;

pub(crate) fn trials() -> Vec<Trial> {
    let own = std::env::var("ORACLE_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    let mut all = Vec::new();
    for seed in own.map_or(0..MORE, |seed| seed..seed + 1) {
        let run = move || agree(seed);
        all.push(if seed < ALWAYS || own.is_some() {
            trial(format!("random::{seed}"), Needs::Promtool, run)
        } else if seed < PAIRS {
            in_ci(format!("random::{seed}"), Needs::Promtool, run)
        } else {
            slow(format!("random::more::{seed}"), Needs::Promtool, run)
        });
        let run = move || pass(seed);
        all.push(match seed {
            0..UNIT_TESTED => in_ci(format!("unit_tests::{seed}"), Needs::Promtool, run),
            _ => slow(format!("unit_tests::more::{seed}"), Needs::Promtool, run),
        });
    }
    all
}

pub(crate) fn chance(seed: u64) -> Chance {
    Chance::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d))
}

/// The generated rules do what the requests say.
fn agree(seed: u64) {
    let mut chance = chance(seed);
    let text = spec(&mut chance);
    let interval = *chance.pick(&[15.0, 30.0, 60.0]);
    let case = Case::new(&text, None, &day(&mut chance), interval, 1);
    let agreed = std::panic::catch_unwind(|| settle(&format!("random {seed}"), case.judge()));
    assert!(
        agreed.is_ok(),
        "seed {seed}, scraped every {interval} s:\n{text}"
    );
}

/// The generated unit tests pass.
fn pass(seed: u64) {
    let text = spec(&mut chance(seed));
    let passed = std::panic::catch_unwind(|| unit_tests(&bundled::build(&text, None)));
    assert!(passed.is_ok(), "seed {seed}:\n{text}");
}

/// A fleet that may lose, restart or not read any of its replicas, on a day of up to six spells.
fn day(chance: &mut Chance) -> Fleet {
    let minutes = 110 + chance.below(60) as u64;
    let end = minutes as f64;
    let mut all = replicas("0.33.0");
    for replica in &mut all {
        trouble(replica, end, chance);
    }
    let mut spells = Vec::new();
    let mut until = 0.0;
    while until < end {
        until += chance.between(8.0, 50.0);
        spells.push(Spell {
            load: *chance.pick(&[0.0, 0.02, 0.2, 0.4, 0.4, 0.8]),
            slow: *chance.pick(&[1.0, 1.0, 1.0, 5.0, 15.0, 40.0]),
            errors: *chance.pick(&[0.0, 0.001, 0.02, 0.1, 0.6]),
            prompts: *chance.pick(&[1.0, 1.0, 4.0, 12.0]),
            cached: chance.between(0.0, 0.9),
            until: until.min(end),
        });
    }
    let mut fleet = simulate(minutes, all, &spells, chance);
    fleet.leak = chance
        .happens(0.3)
        .then(|| (chance.between(0.0, end), 300.0));
    fleet
}

fn trouble(replica: &mut Replica, end: f64, chance: &mut Chance) {
    let at = chance.between(10.0, end);
    let back = at + *chance.pick(&[0.3, 1.0, 4.0, 20.0]);
    let release = "0.33.0";
    match chance.below(6) {
        0 => replica.lives = vec![life(-10.0, at, release), life(back, end + 1.0, release)],
        1 => replica.lives = vec![life(-10.0, at, release)],
        2 => replica.lives = vec![life(at, end + 1.0, release)],
        3 => replica.unread = vec![(at * 60.0, back * 60.0)],
        _ => {}
    }
}

/// A signal of the pool, with what may be asked of it: statistics, and bounds that its values cross.
struct Pool {
    name: &'static str,
    stats: &'static [(&'static str, &'static [&'static str])],
    /// Labels that can be kept beside the groups.
    by: &'static [&'static str],
}

const LATENCIES: &[(&str, &[&str])] = &[
    ("p50", &["120ms", "300ms", "900ms", "2s"]),
    ("p95", &["200ms", "500ms", "1s", "3s"]),
    ("p99", &["400ms", "2s"]),
    ("avg", &["100ms", "600ms", "2s"]),
    ("rate", &["0.1/s", "20/min", "0.5/s"]),
];
const COUNTS: &[(&str, &[&str])] = &[
    ("rate", &["0.01/s", "5/min", "0.3/s", "3/s"]),
    ("increase", &["0", "1", "40", "400"]),
];
const LEVELS: &[(&str, &[&str])] = &[
    ("last", &["0", "1", "4", "12"]),
    ("avg", &["0.5", "2", "6"]),
    ("min", &["1", "3"]),
    ("max", &["2", "8", "20"]),
];
const SHARES: &[(&str, &[&str])] = &[
    ("last", &["5%", "20%", "80%"]),
    ("avg", &["3%", "25%", "60%"]),
    ("max", &["40%", "90%"]),
    ("min", &["2%", "10%"]),
];
const RATIOS: &[(&str, &[&str])] = &[("avg", &["1%", "10%", "45%", "70%"])];

const SIGNALS: [Pool; 14] = [
    Pool {
        name: "vllm.time_to_first_token",
        stats: LATENCIES,
        by: &[],
    },
    Pool {
        name: "vllm.e2e_request_latency",
        stats: LATENCIES,
        by: &["pod"],
    },
    Pool {
        name: "gateway_ttft",
        stats: LATENCIES,
        by: &["adapter_id"],
    },
    Pool {
        name: "vllm.requests_waiting",
        stats: LEVELS,
        by: &["pod"],
    },
    Pool {
        name: "vllm.requests_running",
        stats: LEVELS,
        by: &[],
    },
    Pool {
        name: "vllm.kv_cache_usage",
        stats: SHARES,
        by: &["pod"],
    },
    Pool {
        name: "busy",
        stats: SHARES,
        by: &["gpu", "Hostname"],
    },
    Pool {
        name: "memory",
        stats: &[("slope", &["64MiB/h", "200MiB/h"]), ("last", &["59GiB"])],
        by: &[],
    },
    Pool {
        name: "vllm.generation_tokens",
        stats: COUNTS,
        by: &[],
    },
    Pool {
        name: "vllm.requests_finished",
        stats: COUNTS,
        by: &["finished_reason"],
    },
    Pool {
        name: "requests",
        stats: COUNTS,
        by: &["status"],
    },
    Pool {
        name: "failed",
        stats: COUNTS,
        by: &[],
    },
    Pool {
        name: "failures",
        stats: RATIOS,
        by: &[],
    },
    Pool {
        name: "vllm.prefix_cache_hit_rate",
        stats: RATIOS,
        by: &[],
    },
];

const HEAD: &str = r#"apiVersion: slosmith/v1
service: {name: random, owner: tests}
runtime: {vllm: ">=0.20, <0.34"}
links: {runbooks: "https://runbooks.example", grafana: "https://grafana.example"}
signals:
  gateway_ttft: {kind: histogram, unit: seconds, has_labels: [adapter_id], prometheus: {metric: mangaassist_ttft_seconds, buckets: [50ms, 100ms, 200ms, 500ms, 1s, 2s, 5s, 10s]}}
  requests: {kind: counter, unit: requests, has_labels: [adapter_id, status], prometheus: {metric: mangaassist_requests_total}}
  failed: {use: requests, where: {status: {matches: "5.."}}}
  served: {use: requests, where: {status: "200"}}
  failures: {ratio: {of: failed, over: requests}}
  busy: {kind: gauge, unit: ratio, scale: 1%, across: ACROSS, has_labels: [gpu, Hostname], prometheus: {metric: DCGM_FI_DEV_GPU_UTIL}}
  memory: {kind: gauge, unit: bytes, scale: 1MiB, across: max, has_labels: [gpu, Hostname], prometheus: {metric: DCGM_FI_DEV_FB_USED}}
"#;

/// The first draw that is a valid spec.
pub(crate) fn valid(chance: &mut Chance) -> String {
    let mut last = String::new();
    for _ in 0..10_000 {
        let text = draw(chance);
        let document = slosmith::spec::read(FileId(0), &text).expect("a spec by its shape");
        if resolve(&document, Options::default()).is_ok() {
            return text;
        }
        last = text;
    }
    panic!("no draw is a valid spec: {last}")
}

/// The first draw that is a valid spec whose alerts can all be made to fire.
fn spec(chance: &mut Chance) -> String {
    loop {
        let text = valid(chance);
        let rendered = bundled::rendered(&bundled::plan(&text), Target::Prometheus);
        if rendered.untested.is_empty() {
            return text;
        }
    }
}

fn draw(chance: &mut Chance) -> String {
    let across: &str = chance.pick::<&str>(&["avg", "max", "min", "sum"]);
    let mut text = HEAD.replace("ACROSS", across);
    let groups = *chance.pick(&["[cluster, model_name]", "[cluster]", "[cluster, pod]"]);
    let _ = writeln!(
        text,
        "prometheus: {{selector: {{job: vllm}}, group_by: {groups}, scrape_labels: [cluster, namespace, pod]}}"
    );
    let _ = writeln!(text, "slos:\n  events: {}", objective(chance));
    text.push_str("alerts:\n");
    if chance.happens(0.5) {
        let bound = chance.pick(&["200ms", "700ms", "2s"]);
        let hold = chance.pick(&["1m", "5m"]);
        let _ = writeln!(
            text,
            "  Promised: {{severity: warning, when: {{signal: gateway_ttft, stat: p90, above: {bound}}}, target: {bound}, for: {hold}}}"
        );
    }
    for i in 0..5 {
        let when = condition(chance, 1);
        let hold = chance.pick(&["", ", for: 2m", ", for: 5m", ", for: 90s", ", for: 15m"]);
        let _ = writeln!(
            text,
            "  Alert{i}: {{severity: warning, when: {{{when}}}{hold}}}"
        );
    }
    text.push_str("records:\n");
    for i in 0..3 {
        let pool = chance.pick(&SIGNALS);
        let (stat, _) = chance.pick(pool.stats);
        let window = chance.pick(&["5m", "10m", "30m"]);
        let (name, by) = (pool.name, by(pool, chance));
        let _ = writeln!(
            text,
            "  record{i}: {{signal: {name}, stat: {stat}, window: {window}{by}}}"
        );
    }
    text
}

fn objective(chance: &mut Chance) -> String {
    let sli = match chance.below(4) {
        0 => "ratio: {bad: failed, total: requests}",
        1 => "ratio: {good: served, total: requests}",
        2 => "latency: {signal: gateway_ttft, at_most: 500ms}",
        _ => "latency: {signal: vllm.time_to_first_token, at_most: 1s}",
    };
    let goal = chance.pick(&["90%", "99%", "99.5%"]);
    let tiers: Vec<_> = [("30m", "3m"), ("1h", "5m"), ("2h", "10m")]
        .iter()
        .filter(|_| chance.happens(0.7))
        .map(|(long, short)| format!("{{times: FACTOR, long: {long}, short: {short}}}"))
        .collect();
    let tiers = tiers
        .join(", ")
        .replace("FACTOR", chance.pick::<&str>(&["1.5", "3", "8"]));
    let burn = if tiers.is_empty() {
        "none".to_owned()
    } else {
        format!("[{tiers}]")
    };
    format!("{{objective: {goal}, period: 1d, sli: {{{sli}}}, burn: {burn}}}")
}

/// Labels kept beside the groups, now and then.
fn by(pool: &Pool, chance: &mut Chance) -> String {
    match pool.by.is_empty() || chance.happens(0.6) {
        true => String::new(),
        false => format!(", by: [{}]", pool.by.join(", ")),
    }
}

/// A condition without its braces.
fn condition(chance: &mut Chance, depth: usize) -> String {
    if depth > 0 && chance.happens(0.25) {
        let word = chance.pick(&["all", "any"]);
        let parts: Vec<_> = (0..2 + chance.below(2))
            .map(|_| format!("{{{}}}", condition(chance, depth - 1)))
            .collect();
        return format!("{word}: [{}], on: [cluster]", parts.join(", "));
    }
    let pool = chance.pick(&SIGNALS);
    let by = by(pool, chance);
    let (stat, bounds) = chance.pick(pool.stats);
    let window = chance.pick(&["5m", "5m", "10m", "15m", "30m"]);
    let read = format!("signal: {}, stat: {stat}, window: {window}{by}", pool.name);
    let unless = match depth > 0 && chance.happens(0.15) {
        true => format!(", unless: {{{}}}, on: [cluster]", condition(chance, 0)),
        false => String::new(),
    };
    let side = chance.pick(&["above", "below", "at_least", "at_most"]);
    let factor = match side.starts_with('a') && *side != "at_most" {
        true => chance.pick(&["1.5", "3"]),
        false => chance.pick(&["0.3", "0.7"]),
    };
    let test = match chance.below(10) {
        0 => format!(
            "{side}: {{times: {}, of: {{offset: {}}}}}",
            factor,
            chance.pick(&["10m", "1h"])
        ),
        1 => format!(
            "{side}: {{times: {}, of: {{avg_over: {}}}}}",
            factor,
            chance.pick(&["20m", "1h"])
        ),
        2 | 3 => {
            let window = chance.pick(&["20m", "40m", "1h"]);
            let least = chance.pick(&["5", "10", "20"]);
            let way = chance.pick(&["high", "low", "both"]);
            let sigma = chance.pick(&["2", "3"]);
            format!(
                "outside: {{sigma: {sigma}, window: {window}, min_samples: {least}, side: {way}}}"
            )
        }
        4 if pool.name == "vllm.requests_running" => {
            return format!("signal: {}, absent: true{by}", pool.name);
        }
        5 => {
            let other = chance.pick(&SIGNALS);
            let (stat, _) = chance.pick(other.stats);
            let window = chance.pick(&["10m", "20m", "1h"]);
            let above = chance.pick(&["0.3", "0.6", "0.9"]);
            let with = other.name;
            format!(
                "correlated: {{signal: {with}, stat: {stat}, window: {window}, above: {above}}}"
            )
        }
        _ => format!("{side}: {}", chance.pick(bounds)),
    };
    format!("{read}, {test}{unless}")
}
