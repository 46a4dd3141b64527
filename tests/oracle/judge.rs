//! Runs the generated rules in promtool on what was scraped, and compares them with the oracle at every evaluation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use slosmith::plan::{Plan, Slo};
use slosmith::resolve::{Options, resolve};
use slosmith::spec::Document;
use slosmith::target::OutFile;

use crate::alerts::{Lean, Oracle, RuleId, State, families_of, signals};
use crate::bundled;
use crate::fleet::Fleet;
use crate::history::Labels;
use crate::records::Recorded;
use crate::scrape::{Scrape, Subject};
use crate::truth::{View, World};

/// A spec, its rules and what they run on.
pub(crate) struct Case {
    pub(crate) document: Document,
    pub(crate) plan: Plan,
    pub(crate) files: Vec<OutFile>,
    pub(crate) world: World,
    /// Minutes from one evaluation to the next.
    pub(crate) every: u64,
    pub(crate) evaluations: usize,
}

/// How often truth and rules were compared for one alert or recorded value, and what came out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Evaluations at which requests and scrapes tell the same story.
    pub(crate) decided: usize,
    /// Of these, how often the alert must fire.
    pub(crate) firing: usize,
    /// Evaluations at which scraping lost what decides.
    pub(crate) open: usize,
    /// Where the rules say something else.
    pub(crate) wrong: Vec<String>,
    /// How far each recorded value lies from what happened, as a share of the larger.
    pub(crate) off: Vec<f64>,
}

/// What a value is in each view, what it is in reality, and the buckets of a percentile.
type Truths<'a> = (
    &'a [&'a BTreeMap<Labels, f64>],
    &'a BTreeMap<Labels, f64>,
    &'a [f64],
);

/// Comparisons by alert.
pub(crate) type Report = BTreeMap<String, Tally>;

impl Case {
    pub(crate) fn new(
        text: &str,
        vllm: Option<&str>,
        fleet: &Fleet,
        interval: f64,
        every: u64,
    ) -> Self {
        let document = bundled::read(text).expect("valid spec");
        let (plan, _) = resolve(
            &document,
            Options {
                vllm,
                ..Options::default()
            },
        )
        .expect("resolves");
        let scrape = Scrape {
            interval,
            minutes: fleet.minutes,
        };
        let mut subjects = BTreeMap::new();
        for signal in signals(&plan) {
            let mut families = Vec::new();
            families_of(signal, &mut families);
            for family in families {
                if !subjects.contains_key(&*family.names)
                    && let Some(subject) = Subject::new(fleet, family, scrape)
                {
                    subjects.insert(family.names.to_vec(), subject);
                }
            }
        }
        Self {
            files: bundled::build(text, vllm),
            document,
            plan,
            world: World { interval, subjects },
            every,
            evaluations: (fleet.minutes / every) as usize + 1,
        }
    }

    /// The oracle's answer beside that of the rules.
    pub(crate) fn judge(&self) -> Report {
        let shown = self.run();
        let view = |view| {
            let evaluations = (self.every as f64 * 60.0, self.evaluations);
            Oracle::new(
                (&self.plan, &self.document.spec),
                &self.world,
                view,
                evaluations,
            )
        };
        let [whole, stretched] = [false, true].map(|stretched| View::Seen { stretched });
        let oracles = [View::Real, whole, stretched].map(view);
        // Rules add up scrapes in an order of their own: only there can the last digits of equal numbers differ.
        let [real, seen @ ..] = &oracles;
        let leans = |oracle| Lean::ways().map(|lean| Oracle::lean(oracle, lean).alerts());
        let seen = seen.iter().flat_map(leans);
        let alerts: Vec<_> = [real.alerts()].into_iter().chain(seen).collect();
        let mut report = Report::new();
        let given = self.given();
        for id in alerts[0].keys() {
            let tally = report.entry(name(id)).or_default();
            for i in 0..self.evaluations {
                let truths: Vec<_> = alerts.iter().map(|a| &a[id][i]).collect();
                let shown = states(&shown[i], id, &given);
                tally.states(&truths, &shown, i as u64 * self.every);
            }
        }
        self.recorded(&oracles, &shown, &mut report);
        report
    }

    /// The minutes in which each alert fires in a cluster, for some group of it.
    pub(crate) fn fired(&self) -> BTreeMap<(String, String), BTreeSet<u64>> {
        let mut all: BTreeMap<_, BTreeSet<u64>> = BTreeMap::new();
        for (i, shown) in self.run().into_iter().enumerate() {
            for labels in shown.into_iter().map(|shown| shown.labels) {
                if labels
                    .get("alertstate")
                    .is_some_and(|state| state == "firing")
                {
                    let of = |label: &str| labels.get(label).cloned().unwrap_or_default();
                    let id = (of("alertname"), of("tier"));
                    let minutes = all.entry((name(&id), of("cluster"))).or_default();
                    minutes.insert(i as u64 * self.every);
                }
            }
        }
        all
    }

    /// Labels that the spec gives to alerts: they tell no groups apart.
    fn given(&self) -> BTreeSet<&str> {
        let of_slos = self.plan.slos.iter().flat_map(Slo::marks);
        let of_alerts = self.plan.alerts.iter().map(|alert| &alert.marks);
        let marks = of_slos.map(|(_, marks)| marks).chain(of_alerts);
        let labels = marks.flat_map(|marks| &marks.labels);
        labels.map(|(label, _)| label.as_str()).collect()
    }

    /// What is recorded.
    fn recorded(&self, oracles: &[Oracle<'_>], shown: &[Vec<Shown>], report: &mut Report) {
        let [up, .., down] = Lean::ways();
        let leans = |oracle| [up, down].map(|lean| Oracle::lean(oracle, lean).recorded());
        let all: Vec<_> = oracles.iter().flat_map(leans).collect();
        for k in 0..all[0].len() {
            let Recorded {
                title,
                wanted,
                bounds,
                late,
                ..
            } = &all[0][k];
            let tally = report.entry(title.clone()).or_default();
            for (i, shown) in shown.iter().enumerate().skip(*late) {
                let evaluations = i - late..=i;
                let truths: Vec<_> = evaluations
                    .flat_map(|i| all.iter().map(move |view| &view[k].values[i]))
                    .collect();
                let real = &all[0][k].values[i];
                let truths = (&truths[..], real, &bounds[..]);
                tally.values(truths, &values(shown, wanted), i as u64 * self.every);
            }
        }
        let tally = report
            .entry("what is recorded is a number".into())
            .or_default();
        for (i, shown) in shown.iter().enumerate() {
            let (minute, none) = (i as u64 * self.every, |s: &&Shown| s.value.is_nan());
            tally.decided += shown.len();
            let wrong = shown.iter().filter(none);
            tally
                .wrong
                .extend(wrong.map(|s| format!("minute {minute}: {:?} is NaN", s.labels)));
        }
    }

    /// What the rules say at each evaluation.
    fn run(&self) -> Vec<Vec<Shown>> {
        let folder = tempfile::tempdir().expect("a folder");
        bundled::write(folder.path(), &self.files);
        let rules = self
            .files
            .iter()
            .map(|f| &f.path)
            .filter(|p| p.starts_with("prometheus/rules/"));
        let series = self.world.subjects.values().flat_map(Subject::series);
        let series: Vec<_> = series
            .map(|(s, v)| json!({"series": s, "values": v}))
            .collect();
        // A query that expects nothing is shown with its result; a label that no series has tells them apart.
        let question = |i: usize| {
            let expr = format!("{{__name__=~\"ALERTS|slo:.*|signal:.*|alert:.*\", at!=\"{i}\"}}");
            let time = format!("{}m", i as u64 * self.every);
            json!({"expr": expr, "eval_time": time, "exp_samples": []})
        };
        let questions: Vec<_> = (0..self.evaluations).map(question).collect();
        let test = json!({
            "rule_files": rules.collect::<Vec<_>>(),
            "evaluation_interval": format!("{}m", self.every),
            "tests": [{
                "interval": format!("{}s", self.world.interval),
                "input_series": series,
                "promql_expr_test": questions,
            }],
        });
        let path = folder.path().join("test.yaml");
        std::fs::write(&path, test.to_string()).expect("test file");
        let mut all = vec![Vec::new(); self.evaluations];
        for (i, shown) in promtool(&path) {
            all[i] = shown;
        }
        all
    }
}

/// A series and its value.
#[derive(Clone, Debug)]
struct Shown {
    labels: Labels,
    value: f64,
}

/// Results of all questions that had any.
fn promtool(path: &Path) -> Vec<(usize, Vec<Shown>)> {
    let output = Command::new("promtool")
        .args(["test", "rules"])
        .arg(path)
        .output();
    let output = output.expect("promtool");
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let mut found = Vec::new();
    let mut asked = None;
    for line in text.lines().map(str::trim) {
        if let Some((_, rest)) = line.split_once("at!=\\\"") {
            asked = rest.split('\\').next().and_then(|i| i.parse().ok());
        } else if let (Some(got), Some(i)) = (line.strip_prefix("got: "), asked) {
            found.push((i, read(got)));
        } else if !["Unit Testing", "FAILED", "exp:", "SUCCESS"]
            .iter()
            .any(|w| line.starts_with(w))
        {
            assert!(
                line.is_empty(),
                "{}",
                text.chars().take(2_000).collect::<String>()
            );
        }
    }
    found
}

/// `{a="b"} 1E+00, {a="c"} 2E+00`
fn read(text: &str) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (labels, after) = labels(&rest[start + 1..]);
        let (value, next) = after.split_once(", ").unwrap_or((after, ""));
        all.push(Shown {
            labels,
            value: value.trim().parse().expect("a number"),
        });
        rest = next;
    }
    all
}

/// Labels up to the closing brace, and what follows. No value in these tests has a quote or a backslash.
fn labels(text: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    let mut rest = text;
    while !rest.starts_with('}') {
        let (label, after) = rest
            .trim_start_matches([',', ' '])
            .split_once("=\"")
            .expect("a label");
        let (value, next) = after.split_once('"').expect("a value");
        labels.insert(label.to_owned(), value.to_owned());
        rest = next;
    }
    (labels, &rest[1..])
}

fn name((alert, tier): &RuleId) -> String {
    if tier.is_empty() {
        alert.clone()
    } else {
        format!("{alert} {tier}")
    }
}

/// Labels that tell groups apart.
fn group(labels: &Labels, given: &BTreeSet<&str>) -> Labels {
    const OWN: [&str; 10] = [
        "__name__",
        "alertname",
        "alertstate",
        "severity",
        "service",
        "owner",
        "slo",
        "tier",
        "window",
        "quantile",
    ];
    let kept = labels
        .iter()
        .filter(|(k, _)| !OWN.contains(&k.as_str()) && !k.starts_with("sloth"))
        .filter(|(k, _)| !given.contains(k.as_str()));
    kept.map(|(k, v)| (k.clone(), v.clone())).collect()
}

fn states(
    shown: &[Shown],
    (alert, tier): &RuleId,
    given: &BTreeSet<&str>,
) -> BTreeMap<Labels, State> {
    let is =
        |labels: &Labels, label: &str, value: &str| labels.get(label).map_or("", |v| v) == value;
    let own = shown
        .iter()
        .filter(|s| is(&s.labels, "alertname", alert) && is(&s.labels, "tier", tier));
    let state = |s: &Shown| match s.labels["alertstate"].as_str() {
        "firing" => State::Firing,
        _ => State::Pending,
    };
    own.map(|s| (group(&s.labels, given), state(s))).collect()
}

fn values(shown: &[Shown], wanted: &[(&str, String)]) -> BTreeMap<Labels, f64> {
    let fits = |s: &&Shown| {
        wanted
            .iter()
            .all(|(k, v)| s.labels.get(*k).is_some_and(|own| own == v))
    };
    shown
        .iter()
        .filter(fits)
        .map(|s| (group(&s.labels, &BTreeSet::new()), s.value))
        .collect()
}

/// The groups that one of the truths or the rule has.
fn groups<'a, T>(
    truths: &[&'a BTreeMap<Labels, T>],
    shown: &'a BTreeMap<Labels, T>,
) -> BTreeSet<&'a Labels> {
    let truths = truths.iter().flat_map(|truth| truth.keys());
    truths.chain(shown.keys()).collect()
}

impl Tally {
    fn states(
        &mut self,
        truths: &[&BTreeMap<Labels, State>],
        shown: &BTreeMap<Labels, State>,
        minute: u64,
    ) {
        let groups = groups(truths, shown);
        if groups.is_empty() {
            self.decided += 1;
        }
        for group in groups {
            let all: Vec<_> = truths.iter().map(|t| t.get(group)).collect();
            if all.iter().any(|truth| *truth != all[0]) {
                self.open += 1;
                continue;
            }
            self.decided += 1;
            self.firing += usize::from(all[0] == Some(&State::Firing));
            if all[0] != shown.get(group) {
                let (truth, rule) = (all[0], shown.get(group));
                self.wrong.push(format!(
                    "minute {minute}, {group:?}: {truth:?} in truth, {rule:?} by the rule"
                ));
            }
        }
    }

    /// A value must lie between what happened and what was scraped of it, a percentile in their buckets.
    fn values(
        &mut self,
        (truths, real, bounds): Truths<'_>,
        shown: &BTreeMap<Labels, f64>,
        minute: u64,
    ) {
        let groups = groups(truths, shown);
        for group in groups {
            let all: Vec<_> = truths.iter().map(|t| t.get(group).copied()).collect();
            let rule = shown.get(group).copied();
            let some: Vec<_> = all.iter().flatten().copied().collect();
            let mixed = some.len() < all.len() && !some.is_empty();
            let low = some.iter().copied().fold(f64::INFINITY, f64::min);
            let high = some.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let below = bounds.iter().rev().find(|bound| **bound <= low);
            let above = bounds.iter().find(|bound| **bound >= high);
            let (low, high) = (*below.unwrap_or(&low), *above.unwrap_or(&high));
            let slack = |value: f64| value.abs() * 1e-6 + 1e-9;
            let fits = match rule {
                Some(value) => low - slack(low) <= value && value <= high + slack(high),
                None => some.len() < all.len(),
            };
            match mixed {
                true => self.open += 1,
                false => self.decided += 1,
            }
            if let (Some(rule), Some(real)) = (rule, real.get(group)) {
                self.off
                    .push((rule - real).abs() / rule.abs().max(real.abs()).max(1e-9));
            }
            if !fits {
                self.wrong.push(format!(
                    "minute {minute}, {group:?}: {all:?} in truth, {rule:?} by the rule"
                ));
            }
        }
    }
}

/// Every generated unit test must pass.
pub(crate) fn unit_tests(files: &[OutFile]) {
    let folder = tempfile::tempdir().expect("a folder");
    bundled::write(folder.path(), files);
    let tests = files
        .iter()
        .filter(|f| f.path.starts_with("prometheus/tests/"));
    let tests = tests.map(|f| folder.path().join(&f.path));
    let output = Command::new("promtool")
        .args(["test", "rules"])
        .args(tests)
        .output();
    let output = output.expect("promtool");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

static TABLE: Mutex<BTreeMap<String, Report>> = Mutex::new(BTreeMap::new());

/// Keeps a report for the table, and wants it to hold no disagreement.
pub(crate) fn settle(title: &str, report: Report) {
    let wrong = report.iter().flat_map(|(alert, t)| {
        t.wrong
            .iter()
            .take(3)
            .map(move |what| format!("{alert}: {what}"))
    });
    let wrong: Vec<_> = wrong.collect();
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    table.insert(title.to_owned(), report);
    drop(table);
    assert!(wrong.is_empty(), "{title}\n{}", wrong.join("\n"));
}

/// Scenarios by alerts, as far as they were asked for.
pub(crate) fn table() -> String {
    let mut text = String::new();
    for (title, report) in TABLE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        for (alert, t) in report {
            let counts = [t.decided, t.firing, t.open, t.wrong.len()];
            let counts = counts.map(|count| format!(" {count:>8} |")).concat();
            let off = [0.5, 0.99].map(|share| match far(&t.off, share) {
                Some(far) => format!(" {:>7.2}% |", 100.0 * far),
                None => format!("{:>9} |", ""),
            });
            let off = off.concat();
            let _ = writeln!(text, "| {title:<34} | {alert:<50} |{counts}{off}");
        }
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "| scenario | alert or value | decided | firing | open | wrong | off, half | off, 99% |\n\
             |---|---|--:|--:|--:|--:|--:|--:|\n{text}"
        ),
    }
}

/// How far at most this share of all lies away.
fn far(off: &[f64], share: f64) -> Option<f64> {
    let mut off = off.to_vec();
    off.sort_by(f64::total_cmp);
    let last = off.len().checked_sub(1)?;
    Some(off[(last as f64 * share) as usize])
}
