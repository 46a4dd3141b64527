//! Measured parity: the same traffic for Prometheus, whose rules promtool runs, and for CloudWatch, which gets the samples of the
//! agent and the emitter. The grades in the report must agree with the measurement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use libtest_mimic::Trial;
use regex::Regex;
use serde_json::Value;
use slosmith::plan::cloudwatch::{Delivery, Grade, Metric, Parity, TOLERANCE, What};
use slosmith::plan::{Family, Plan, Signal, Source};
use slosmith::promql::ast::MatchOp;
use slosmith::spec::FamilyKind as Kind;
use slosmith::target::{self, Target};
use slosmith::template::Templates;

use crate::alarms::{Delivered, MetricId, in_alarm};
use crate::chance::Chance;
use crate::fleet::{Fleet, Replica, Spell, simulate};
use crate::history::{Data, Labels};
use crate::judge::Case;
use crate::scenarios::{fleets, life, replicas};
use crate::scrape::{Scraped, level_at};
use crate::trial::{Needs, in_ci};

/// One alert for each way in which an alarm can differ.
const SPEC: &str = include_str!("../fixtures/cloudwatch/parity.yaml");

/// Alarms that look back more than a day.
const DAYS: &str = include_str!("../fixtures/cloudwatch/days.yaml");

/// Seconds between Prometheus's scrapes, and minutes between the evaluations that are compared.
const DENSE: (f64, u64) = (30.0, 1);

/// The same where a week is simulated. Rates of five minutes are recorded, and each counts once.
const SPARSE: (f64, u64) = (60.0, 5);

/// Where the measured table is shown.
const PAGE: &str = "docs/parity.md";

/// Seconds between the agent's scrapes, and by which they come after those of Prometheus.
const AGENT: (f64, f64) = (60.0, 17.0);

/// Share of firing minutes that may differ where both fire in the same ones: pages are read at different moments.
const SLACK: f64 = 0.05;
/// Grades that the simulation cannot show: its histograms have all their series from the start, so that no first event is missed.
const UNSEEN: [(&str, Grade); 1] = [("FewAnswers", Grade::Weaker)];

/// Minutes that may differ in any case: one short flutter that only one of them sees.
const FEW: usize = 4;

pub(crate) fn trials() -> Vec<Trial> {
    let one = || {
        let (name, fleet) = own_days().swap_remove(0);
        let mut seen = Seen::default();
        seen.take(&name, SPEC, &fleet, DENSE);
        let down = &seen.alerts["Down"];
        assert_eq!((down.prometheus, down.cloudwatch), (0, 0), "{down:?}");
        seen.judge(false);
    };
    vec![
        in_ci("parity::isolated_failures", Needs::Promtool, one),
        in_ci("parity::measured", Needs::Promtool, measured),
    ]
}

fn measured() {
    let days: Vec<_> = own_days().into_iter().chain(fleets()).collect();
    let mut own = Seen::default();
    for (name, fleet) in &days {
        own.take(name, SPEC, fleet, DENSE);
    }
    let bundled = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/specs/mangaassist.yaml"
    ));
    let bundled = bundled.expect("spec");
    let mut real = Seen::default();
    for (name, fleet) in &days {
        real.take(name, &bundled, fleet, DENSE);
    }
    let mut long = Seen::default();
    long.take("a week", DAYS, &week(), SPARSE);
    show([&own, &real, &long], days.len());
    own.judge(true);
    real.judge(false);
    long.judge(true);
}

/// Minutes in which an alert fires on one side, and those that are too far from any on the other.
#[derive(Clone, Debug)]
struct Minutes {
    grade: Grade,
    notes: BTreeSet<Grade>,
    prometheus: usize,
    cloudwatch: usize,
    missed: usize,
    more: usize,
    /// Where they differ most.
    days: Vec<String>,
}

/// What was measured of a spec.
#[derive(Default)]
struct Seen {
    alerts: BTreeMap<String, Minutes>,
}

impl Seen {
    fn take(&mut self, day: &str, spec: &str, fleet: &Fleet, (scrape, every): (f64, u64)) {
        let case = Case::new(spec, None, fleet, scrape, every);
        let fired = case.fired();
        let alarms = alarms(&case.plan);
        let clusters: BTreeSet<_> = fleet.replicas.iter().map(|r| r.cluster).collect();
        for cluster in clusters {
            let states = in_alarm(&alarms, &delivered(&case, cluster), fleet.minutes);
            let cw = case.plan.cloudwatch.as_ref().expect("CloudWatch");
            for parity in cw.parity.iter().filter(|p| p.what != What::Panel) {
                let own: Option<Vec<_>> = parity
                    .resources
                    .iter()
                    .map(|name| states.get(name))
                    .collect();
                // One on a band has no state here.
                let Some(own) = own.filter(|own| !own.is_empty()) else {
                    continue;
                };
                let ours = own.into_iter().flatten().copied();
                let ours: BTreeSet<u64> = ours.filter(|m| m.is_multiple_of(every)).collect();
                let key = (rule(&case.plan, parity), cluster.to_owned());
                let theirs = fired.get(&key).cloned().unwrap_or_default();
                self.add(day, parity, (&theirs, &ours), every as usize);
            }
        }
    }

    /// Each evaluation stands for the minutes up to the next.
    fn add(
        &mut self,
        day: &str,
        parity: &Parity,
        (theirs, ours): (&BTreeSet<u64>, &BTreeSet<u64>),
        minutes: usize,
    ) {
        let far = |from: &BTreeSet<u64>, other: &BTreeSet<u64>| {
            let near = TOLERANCE.mins_up();
            let lonely = |minute: &&u64| {
                other
                    .range(minute.saturating_sub(near)..=**minute + near)
                    .next()
                    .is_none()
            };
            from.iter().filter(lonely).count()
        };
        let verdict = &parity.cloudwatch;
        let seen = self
            .alerts
            .entry(parity.name.clone())
            .or_insert_with(|| Minutes {
                grade: verdict.grade(),
                notes: verdict
                    .notes(parity.prometheus.reference())
                    .into_iter()
                    .map(|(grade, _)| grade)
                    .collect(),
                prometheus: 0,
                cloudwatch: 0,
                missed: 0,
                more: 0,
                days: Vec::new(),
            });
        let (missed, more) = (far(theirs, ours) * minutes, far(ours, theirs) * minutes);
        seen.prometheus += theirs.len() * minutes;
        seen.cloudwatch += ours.len() * minutes;
        seen.missed += missed;
        seen.more += more;
        if missed + more > 0 {
            seen.days.push(format!("{day}: -{missed} +{more}"));
        }
    }

    /// What is not told must not be seen; where `all` is asked for, what is told must be.
    fn judge(&self, all: bool) {
        let mut wrong = Vec::new();
        for (name, seen) in &self.alerts {
            let told = |grade: Grade| seen.notes.contains(&grade);
            let slack = |fires: usize| FEW + (fires as f64 * SLACK) as usize;
            let checks = [
                (Grade::Weaker, seen.missed, slack(seen.prometheus)),
                (Grade::Stronger, seen.more, slack(seen.cloudwatch)),
            ];
            for (grade, minutes, slack) in checks {
                let word = grade.as_str();
                match (told(grade), minutes > slack) {
                    (false, true) => wrong.push(format!("{name} is {word}: {seen:?}")),
                    (true, false) if all && minutes == 0 && !UNSEEN.contains(&(name, grade)) => {
                        wrong.push(format!("{name} is never {word}: {seen:?}"));
                    }
                    _ => {}
                }
            }
            if all && seen.prometheus + seen.cloudwatch == 0 {
                wrong.push(format!("{name} never fires"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

fn alarms(plan: &Plan) -> Value {
    let templates = Templates::load(None).expect("templates");
    let options = target::Options::all(&templates);
    let rendered = target::render(plan, Target::CloudWatch, options).expect("renders");
    let file = rendered
        .files
        .iter()
        .find(|f| f.path == "cloudwatch/alarms.json");
    serde_json::from_str(&file.expect("alarms").text).expect("JSON")
}

/// The alerting rule that an entry is about: name and tier.
fn rule(plan: &Plan, parity: &Parity) -> String {
    for slo in &plan.slos {
        for tier in &slo.events.tiers {
            if parity.name == format!("{}: burn rate over {}", slo.name, tier.long) {
                return format!("{} {}", slo.alert_name, tier.name);
            }
        }
    }
    parity.name.clone()
}

/// What arrives in the namespace of one cluster.
fn delivered(case: &Case, cluster: &str) -> Delivered {
    let mut all = Delivered::new();
    let cw = case.plan.cloudwatch.as_ref().expect("CloudWatch");
    let minutes = (case.evaluations as u64 - 1) * case.every + 1;
    for scraped in &cw.scraped {
        let own = |tracks: &[Scraped]| -> Vec<usize> {
            let fits = |i: &usize| {
                let labels = &tracks[*i].track.labels;
                let job = scraped.job.as_ref();
                labels["cluster"] == cluster && job.is_none_or(|job| labels["job"] == *job)
            };
            (0..tracks.len()).filter(fits).collect()
        };
        let subjects = case.world.subjects.iter();
        let known = subjects.filter(|(names, _)| names.contains(&scraped.family));
        for (_, subject) in known {
            for i in own(&subject.tracks) {
                let found = agent(&subject.tracks[i], subject.kind, minutes);
                for set in &scraped.dimension_sets {
                    let labels = &subject.tracks[i].track.labels;
                    let pairs = set.iter().map(|name| (name.clone(), name.clone()));
                    add(&mut all, &scraped.family, labels, pairs, &found);
                }
            }
        }
    }
    for published in &case.plan.published {
        let family = families(&case.plan, &published.family);
        let Some(subject) = family.and_then(|f| case.world.subjects.get(&*f.names)) else {
            continue;
        };
        for metric in &published.metrics {
            for scraped in &subject.tracks {
                let labels = &scraped.track.labels;
                if labels["cluster"] != cluster || !selected(labels, &metric.only) {
                    continue;
                }
                let found = emitted(scraped, &metric.metric, minutes);
                for set in &metric.metric.dimension_sets {
                    let label = |dimension: &String| {
                        let known = metric.metric.labels.iter();
                        let mut known = known.filter(|(_, name)| name == dimension);
                        let label = known.next().map_or(dimension, |(label, _)| label);
                        (dimension.clone(), label.clone())
                    };
                    let pairs = set.iter().map(label);
                    add(
                        &mut all,
                        metric.metric.names.newest(),
                        labels,
                        pairs,
                        &found,
                    );
                }
            }
        }
    }
    let misses = crate::alerts::signals(&case.plan).into_iter();
    for (metric, hits, tries) in misses.filter_map(shared) {
        let subject = |family: &Family| case.world.subjects.get(&*family.names);
        if let (Some(hits), Some(tries)) = (subject(hits), subject(tries)) {
            add_misses(&mut all, cluster, metric, (&hits.tracks, &tries.tracks));
        }
    }
    for samples in all.values_mut() {
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

fn add(
    all: &mut Delivered,
    name: &str,
    labels: &Labels,
    pairs: impl Iterator<Item = (String, String)>,
    samples: &[(f64, f64)],
) {
    let value = |label: &str| labels.get(label).cloned().unwrap_or_default();
    let dimensions = pairs.map(|(dimension, label)| (dimension, value(&label)));
    let id: MetricId = (name.to_owned(), dimensions.collect());
    all.entry(id).or_default().extend(samples);
}

/// A metric of zeros and ones: a ratio and the counter of its part are bound to it.
fn shared(signal: &Signal) -> Option<(&Metric, &Family, &Family)> {
    let Source::Ratio { of, over, .. } = &signal.source else {
        return None;
    };
    Some((signal.cloudwatch.as_ref()?, of.family()?, over.family()?))
}

/// The zeros: events of the whole that are none of the part.
fn add_misses(
    all: &mut Delivered,
    cluster: &str,
    metric: &Metric,
    (hits, tries): (&[Scraped], &[Scraped]),
) {
    let id = (metric.names.newest().to_owned(), BTreeMap::new());
    if all
        .get(&id)
        .is_some_and(|samples| samples.iter().any(|(_, value)| *value == 0.0))
    {
        return;
    }
    let times = |tracks: &[Scraped]| -> Vec<f64> {
        let own = tracks
            .iter()
            .filter(|s| s.track.labels["cluster"] == cluster);
        let events = own.filter_map(|s| match &s.track.data {
            Data::Events { events, .. } => Some(events),
            Data::Level(_) => None,
        });
        events.flatten().map(|(time, _)| *time).collect()
    };
    let mut hits = times(hits);
    hits.sort_by(f64::total_cmp);
    let missed = |time: &f64| hits.binary_search_by(|hit| hit.total_cmp(time)).is_err();
    let zeros = times(tries)
        .into_iter()
        .filter(missed)
        .map(|time| (time, 0.0));
    all.entry(id).or_default().extend(zeros);
}

fn families<'a>(plan: &'a Plan, name: &str) -> Option<&'a Family> {
    let mut found = Vec::new();
    for signal in crate::alerts::signals(plan) {
        crate::alerts::families_of(signal, &mut found);
    }
    found
        .into_iter()
        .find(|family| family.names.iter().any(|own| own == name))
}

fn selected(labels: &Labels, only: &[(String, MatchOp, String)]) -> bool {
    only.iter().all(|(label, op, wanted)| {
        let value = labels.get(label).map_or("", String::as_str);
        let whole = Regex::new(&format!("^(?:{wanted})$")).expect("regex");
        match op {
            MatchOp::Equal => value == wanted,
            MatchOp::NotEqual => value != wanted,
            MatchOp::Match => whole.is_match(value),
            MatchOp::NotMatch => !whole.is_match(value),
        }
    })
}

/// Gauges as they are, of counters what they grew since the scrape before: the first is dropped, and a restart counts from 0.
fn agent(scraped: &Scraped, kind: Kind, minutes: u64) -> Vec<(f64, f64)> {
    let track = &scraped.track;
    let mut before: Option<f64> = None;
    let mut all = Vec::new();
    for i in 0..minutes {
        let time = i as f64 * AGENT.0 + AGENT.1;
        let unread = |(from, to): &(f64, f64)| *from <= time && time < *to;
        let life = track.lives.iter().find(|life| life.holds(time));
        let Some(life) = life.filter(|_| !track.unread.iter().any(unread)) else {
            continue;
        };
        match (&track.data, kind) {
            (Data::Level(steps), _) => all.extend(level_at(steps, time).map(|v| (time, v))),
            (Data::Events { .. }, Kind::Counter) => {
                let total = scraped.parts[0].between(life.from, time);
                if let Some(before) = before {
                    let grown = if total < before {
                        total
                    } else {
                        total - before
                    };
                    all.push((time, grown));
                }
                before = Some(total);
            }
            // The agent drops histograms.
            _ => {}
        }
    }
    all
}

/// Seconds between two samples that a process publishes of a gauge.
const PUBLISHED: f64 = 20.0;

/// Every event at its moment, and a gauge now and then, in the metric's unit.
fn emitted(scraped: &Scraped, metric: &Metric, minutes: u64) -> Vec<(f64, f64)> {
    assert_eq!(metric.delivery, Delivery::Published);
    let worth = slosmith::units::float(metric.worth);
    let track = &scraped.track;
    let samples: Vec<_> = match &track.data {
        Data::Events { events, .. } => events.clone(),
        Data::Level(steps) => {
            let times = (0..3 * minutes).map(|i| i as f64 * PUBLISHED + track.phase % PUBLISHED);
            let alive = times.filter(|time| track.lives.iter().any(|life| life.holds(*time)));
            let sample = |time| Some((time, level_at(steps, time)?));
            alive.filter_map(sample).collect()
        }
    };
    let published = samples.into_iter();
    published
        .map(|(time, value)| (time, value / worth))
        .collect()
}

const MINUTES: u64 = 320;
const END: f64 = MINUTES as f64;

/// Days that show what the fleet's usual ones do not.
fn own_days() -> Vec<(String, Fleet)> {
    let calm = || vec![Spell::until(END)];
    let day = |seed, replicas: Vec<Replica>, spells: Vec<Spell>| {
        simulate(MINUTES, replicas, &spells, &mut Chance::new(seed))
    };
    // Ten probes fail, none twice in a row: the only replica of its cluster is away for some seconds.
    let mut alone = replicas("0.33.0");
    let mut from = -10.0;
    let mut lives = Vec::new();
    for i in 0..10 {
        let at = 40.0 + 20.0 * f64::from(i);
        lives.push(life(from, at - 0.1, "0.33.0"));
        from = at + 0.4;
    }
    lives.push(life(from, END + 1.0, "0.33.0"));
    alone[2].lives = lives;
    // One adapter fails and is slow, among others that do not.
    let mut adapter = day(102, replicas("0.33.0"), calm());
    for r in &mut adapter.requests {
        if r.adapter == "tuned" && (6_000.0..9_600.0).contains(&r.arrival) {
            r.first += 1.5;
            r.end += 4.0;
            if (r.arrival as u64).is_multiple_of(4) {
                r.status = 500;
            }
        }
    }
    // Two models in one cluster, of which one is overloaded.
    let mut two = replicas("0.33.0");
    two[2].cluster = "east";
    let busy = Spell {
        load: 1.3,
        slow: 30.0,
        ..Spell::until(180.0)
    };
    let mut two = day(103, two, vec![Spell::until(120.0), busy, Spell::until(END)]);
    two.gone = vec![("small-0", 250.0)];
    let low = Spell {
        load: 0.002,
        errors: 0.3,
        ..Spell::until(END)
    };
    let mut silent = day(105, replicas("0.33.0"), calm());
    silent.gone = vec![("mangaassist-ping", 200.0), ("large-0", 100.0)];
    let many = Spell {
        load: 3.0,
        slow: 9.0,
        prompts: 2.0,
        ..Spell::until(260.0)
    };
    let many = day(
        106,
        replicas("0.33.0"),
        vec![Spell::until(120.0), many, Spell::until(END)],
    );
    [
        ("isolated failures", day(101, alone, calm())),
        ("one bad adapter", adapter),
        ("two models", two),
        ("few requests", day(104, replicas("0.33.0"), vec![low])),
        ("silent probe", silent),
        ("a spread load", many),
    ]
    .map(|(name, fleet)| (name.to_owned(), fleet))
    .into()
}

/// Hours of a week that the alarms on days must tell apart.
const WEEK: f64 = 168.0;

/// Half a day of errors, half a day of slow answers, and two busy days.
fn week() -> Fleet {
    let until = |hour: f64| Spell {
        load: 0.02,
        ..Spell::until(hour * 60.0)
    };
    let spells = [
        until(30.3),
        Spell {
            errors: 0.08,
            ..until(45.7)
        },
        until(80.2),
        Spell {
            slow: 20.0,
            ..until(92.9)
        },
        Spell {
            load: 0.05,
            ..until(130.4)
        },
        until(WEEK),
    ];
    let minutes = (WEEK * 60.0) as u64;
    simulate(minutes, replicas("0.33.0"), &spells, &mut Chance::new(107))
}

/// The page with the measured minutes.
fn show([own, bundled, long]: [&Seen; 3], days: usize) {
    let (lag, step, slack) = (AGENT.1, SPARSE.1, SLACK * 100.0);
    let mut text = format!(
        "# CloudWatch parity\n\n\
         How often the CloudWatch alarms agree with the Prometheus alerts on the same simulated traffic.\n\n\
         The tables count minutes. [Parity](cloudwatch.md#parity) explains the grades.\n\n\
         | column | minutes |\n\
         |---|---|\n\
         | Prometheus, CloudWatch | the alert fires in this system |\n\
         | missed | only Prometheus fires, with a tolerance of {TOLERANCE} |\n\
         | extra | only CloudWatch fires, with a tolerance of {TOLERANCE} |\n\n\
         ## Method\n\n\
         - **Traffic**: {days} days of {MINUTES} minutes, with three replicas in two clusters.\n\
         - **Prometheus**: promtool runs the generated rules.\n\
         - **CloudWatch**: a small evaluator runs `alarms.json` as the AWS documentation describes, on the metrics that the agent and the emitter\n\
         \x20\x20deliver. The agent scrapes {lag} s after Prometheus.\n\
         - **Alarms that look back more than a day**: one simulated week of {WEEK} hours, compared every {step} minutes. CloudWatch evaluates these\n\
         \x20\x20alarms at each full hour.\n\
         - **Check**: the test `parity::measured` writes this page. It fails if a grade in `parity.md` hides a difference of more than\n\
         \x20\x20{slack:.0}% or {FEW} minutes.\n\n\
         Not measured, so that the AWS documentation alone decides the grade:\n\n\
         - anomaly detection alarms, which use AWS's own model\n\
         - PromQL alarms: `tools/otlp-check` compares their values instead\n\
         - alarms on metrics of AWS services, and sums over listed processes\n\
         - panels\n\n\
         Not simulated: lost scrapes, the delay of ingestion, and how AWS extends the evaluation range of an alarm when data is missing.\n"
    );
    for (title, seen) in [
        (
            "One alert for each difference (`tests/fixtures/cloudwatch/parity.yaml`)",
            own,
        ),
        ("MangaAssist (`specs/mangaassist.yaml`)", bundled),
        (
            "Alarms that look back more than a day (`tests/fixtures/cloudwatch/days.yaml`)",
            long,
        ),
    ] {
        let head = "| alert | grade | Prometheus | CloudWatch | missed | extra |\n|---|---|---|---|---|---|";
        writeln!(text, "\n## {title}\n\n{head}").expect("text");
        for (name, m) in &seen.alerts {
            let grade = m.grade.as_str();
            let (prometheus, cloudwatch) = (m.prometheus, m.cloudwatch);
            let (missed, extra) = (m.missed, m.more);
            writeln!(
                text,
                "| {name} | {grade} | {prometheus} | {cloudwatch} | {missed} | {extra} |"
            )
            .expect("text");
        }
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|v| v == "always") {
        std::fs::write(&path, &text).expect("the page");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == text,
        "{PAGE} is out of date: INSTA_UPDATE=always writes this:\n{text}"
    );
}
