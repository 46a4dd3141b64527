//! Generated unit tests must notice a changed rule: every comparison, threshold, window, holding time, label and annotation.
//!
//! Each rule file is a test of its own. All but one of the first spec, and the alerts of the second, are left to `.ci/run`. On
//! request run the objectives of the second spec, and, for the better part of an hour, the slow unit tests (windows of 6h and more).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;
use slosmith::promql::ast::{BinaryOp, Duration, Expr, ExprKind, Selector};
use slosmith::promql::{build, parse, visit};
use tempfile::TempDir;

use crate::trial::{Needs, in_ci, slow, trial};
use crate::{bundled, incidents, promtool};

/// The rule file that every run changes.
const ALWAYS: (&str, &str) = ("mangaassist", "slo-error-rate.yaml");

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = of_spec("mangaassist", 60);
    all.extend(of_spec("vllm-serving", 50));
    all
}

/// Every mutant of a bundled spec's rules must fail a unit test.
fn of_spec(spec: &'static str, at_least: usize) -> Vec<Trial> {
    let folder = Folder::new(spec);
    let mut all = Vec::new();
    let mut fast = 0;
    for rules in files(&folder.prometheus().join("rules")) {
        let file = rules
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        let kill = |slowly| {
            let file = file.clone();
            move || kill(spec, &file, slowly)
        };
        let mutants = |slowly| folder.mutants(&file, slowly).len();
        fast += mutants(false);
        if mutants(false) > 0 {
            let name = format!("mutation::{spec}::{file}");
            let is_more = spec != ALWAYS.0 && file.starts_with("slo-");
            all.push(if (spec, file.as_str()) == ALWAYS {
                trial(name, Needs::Promtool, kill(false))
            } else if is_more {
                slow(
                    format!("{name}::slow::short_windows"),
                    Needs::Promtool,
                    kill(false),
                )
            } else {
                in_ci(name, Needs::Promtool, kill(false))
            });
        }
        if mutants(true) > 0 {
            let name = format!("mutation::{spec}::{file}::slow");
            all.push(slow(name, Needs::Promtool, kill(true)));
        }
    }
    assert!(fast >= at_least, "{spec}: only {fast} mutants were made");
    all
}

fn kill(spec: &str, file: &str, slowly: bool) {
    let folder = Folder::new(spec);
    let rules = folder.prometheus().join("rules").join(file);
    let mut survivors = Vec::new();
    let mut passed = String::new();
    for mutant in folder.mutants(file, slowly) {
        // What kills a mutant is its change, not a rule that is missing beside it.
        if mutant.unchanged != passed {
            std::fs::write(&rules, &mutant.unchanged).expect("rules");
            assert!(passes(&mutant.tests), "unchanged: {}", mutant.what);
            passed.clone_from(&mutant.unchanged);
        }
        std::fs::write(&rules, &mutant.text).expect("mutant");
        let survives = !is_unseen(spec, file, &mutant.what) && passes(&mutant.tests);
        if survives && !is_noticed(spec, file, &mutant) {
            survivors.push(mutant.what);
        }
    }
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
}

/// True where an incident is played otherwise under the changed rules.
fn is_noticed(spec: &str, file: &str, mutant: &Mutant) -> bool {
    let of = |(alert, part, _): &&(&str, &str, &str)| {
        mutant.what.starts_with(alert) && mutant.what.contains(part)
    };
    let mut incidents = PLAYED.iter().filter(of);
    let path = format!("prometheus/rules/{file}");
    incidents.any(|(.., name)| {
        let mut files = bundled::folder(spec);
        let mut changed = files.iter_mut().filter(|file| file.path == path);
        changed
            .next()
            .expect("the rules")
            .text
            .clone_from(&mutant.whole);
        incidents::notices(&files, spec, name)
    })
}

/// Alerts, what mutants change of them, and the incident that notices it. Where two parts of a condition read one signal, or one is traffic
/// before the series ended, the unit tests do not drive these apart.
const PLAYED: [(&str, &str, &str); 15] = [
    (
        "ErrorRateSpike:",
        "}[5m] became ",
        "Two percent of the requests fail",
    ),
    (
        "ErrorRateSpike:",
        "}[5m] became ",
        "Less traffic, and some of it fails",
    ),
    (
        "ErrorRateSpike:",
        "}[5m] became ",
        "Less traffic, and an eighth of it fails",
    ),
    (
        "ErrorRateSpike:",
        "}[1h] became ",
        "All requests fail in a quiet night",
    ),
    (
        "ErrorRateSpike:",
        " > 0.1 became ",
        "A little less than a tenth of the requests fails",
    ),
    (
        "ErrorRateSpike:",
        " > 0.1 became ",
        "A little more than a tenth of the requests fails",
    ),
    (
        "ErrorRateSpike:",
        " > 0.01 became ",
        "A little less than a hundredth of the requests fails",
    ),
    (
        "ErrorRateSpike:",
        " > 0.01 became ",
        "A little more than a hundredth of the requests fails",
    ),
    (
        "VLLMNoServerStaysUp:",
        " < 0.5 became ",
        "All servers of another namespace are lost",
    ),
    (
        "VLLMNoServerStaysUp:",
        "}[15m] became ",
        "The first page of a lost fleet is alone",
    ),
    (
        "VLLMNoServerStaysUp:",
        "}[3m] became ",
        "All servers are down for a quarter of an hour",
    ),
    (
        "VLLMNoServerStaysUp:",
        " < 0.5 became ",
        "The first server of a namespace crashes five minutes after its start",
    ),
    (
        "VLLMRequestsFail:",
        "",
        "All requests of a quiet night fail",
    ),
    (
        "VLLMRequestsFail:",
        "",
        "All requests fail after a silent hour",
    ),
    (
        "VLLMRequestsFail:",
        "",
        "One request in three minutes fails",
    ),
];

/// The unit tests of an objective in PromQL drive its errors and its total alone, without restarts: they see neither the window of
/// what is subtracted from the errors (the requests that were shed), nor what counts after a restart or at its end. Beside a long window of an
/// hour, the last ratio of its short window matters for an hour only. How long the load of a lost model is remembered is tested in `situations`.
fn is_unseen(spec: &str, file: &str, what: &str) -> bool {
    let of_alert = |series: &str| what.contains(&format!("ErrorBudgetBurn: {series}{{"));
    let is_last = of_alert("slo:error_ratio:rate")
        && what.contains("window=\"5m\"}[1h] became")
        && what.ends_with("[2h]");
    let is_shed = what.contains("admission_rejections_total\", job=\"vllm\"}[");
    let is_end = of_alert("slo:error_ratio:rate") && what.contains("}[2m] became ")
        || of_alert("slo:total_events:rate") && what.contains("window=\"5m\"} became");
    let is_restart = ["}[1m] offset 5m became ", "}[5m] became "]
        .iter()
        .any(|read| what.contains(read));
    let is_load = what.contains("signal:served:last{")
        && ["}[6h] became ", "}[45m] became "]
            .iter()
            .any(|read| what.contains(read));
    is_last
        || is_load
        || (spec, file) == ("vllm-serving", "slo-availability.yaml")
            && (is_shed || is_restart || is_end)
}

/// What was generated for a bundled spec.
struct Folder(TempDir);

impl Folder {
    fn new(spec: &str) -> Self {
        let dir = tempfile::tempdir().expect("temp dir");
        bundled::write(dir.path(), &bundled::folder(spec));
        Self(dir)
    }

    fn prometheus(&self) -> PathBuf {
        self.0.path().join("prometheus")
    }

    /// Changed copies of a rule file, with the fast or the slow unit tests that may notice; what a slow one may notice, a fast
    /// one may notice first.
    fn mutants(&self, file: &str, slowly: bool) -> Vec<Mutant> {
        let rules = self.prometheus().join("rules").join(file);
        let (slow, fast): (Vec<_>, Vec<_>) = tests_of(&self.prometheus(), &rules)
            .into_iter()
            .partition(|test| promtool::is_slow(&test.to_string_lossy()));
        let tests = if slowly { &slow } else { &fast };
        if tests.is_empty() {
            return Vec::new();
        }
        let text = std::fs::read_to_string(rules).expect("rules");
        let mut mutants = mutants(&text, tests);
        if slowly {
            for mutant in &mut mutants {
                mutant.tests.splice(0..0, fast.iter().cloned());
            }
        }
        mutants
    }
}

/// A rule file with one change, and the tests that may notice.
struct Mutant {
    what: String,
    /// The rules that the tests need.
    unchanged: String,
    text: String,
    /// All rules of the file.
    whole: String,
    tests: Vec<PathBuf>,
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("folder")
        .map(|e| e.expect("entry").path())
        .collect();
    files.sort();
    files
}

/// The test files that load a rule file.
fn tests_of(prometheus: &Path, rules: &Path) -> Vec<PathBuf> {
    let name = rules.file_name().expect("name").to_string_lossy();
    let mut tests = files(&prometheus.join("tests"));
    tests.retain(|test| {
        let text = std::fs::read_to_string(test).expect("test");
        text.contains(&format!("../rules/{name}"))
    });
    tests
}

/// One file after the other: most mutants die in the first.
fn passes(tests: &[PathBuf]) -> bool {
    tests.iter().all(|test| {
        let mut command = Command::new("promtool");
        command.args(["test", "rules"]).arg(test);
        command.output().expect("promtool").status.success()
    })
}

/// One change each.
fn mutants(text: &str, tests: &[PathBuf]) -> Vec<Mutant> {
    let file: Value = slosmith::yaml::read(slosmith::source::FileId(0), text).expect("rules");
    let mut out = Vec::new();
    let rules = file["groups"][0]["rules"].as_array().expect("rules").len();
    for i in 0..rules {
        let rule = &file["groups"][0]["rules"][i];
        let tests = tests_that_notice(&file, rule, tests);
        if tests.is_empty() {
            continue;
        }
        let name = rule["alert"]
            .as_str()
            .or(rule["record"].as_str())
            .expect("name");
        let expr = parse(rule["expr"].as_str().expect("expr")).expect("valid");
        let (needed, among) = needed(&file, i, &tests);
        let mut add = |what: String, tests: &[PathBuf], path: &[&str], value: String| {
            let changed = |file: &Value, i: usize| {
                let mut changed = file.clone();
                let rule = &mut changed["groups"][0]["rules"][i];
                let at = path.iter().fold(rule, |node, key| &mut node[*key]);
                *at = Value::String(value.clone());
                changed.to_string()
            };
            out.push(Mutant {
                what: format!("{name}: {what}"),
                unchanged: needed.to_string(),
                text: changed(&needed, among),
                whole: changed(&file, i),
                tests: tests.to_vec(),
            });
        };
        let counts = name.contains("events:");
        for (what, mutant) in mutate(&expr, counts) {
            add(what, &tests, &["expr"], mutant.to_string());
        }
        let is_shown = |test: &PathBuf| {
            let test = std::fs::read_to_string(test).expect("test");
            test.contains(&format!("alertname: {name}\n"))
        };
        let shown: Vec<_> = tests
            .iter()
            .filter(|test| is_shown(test))
            .cloned()
            .collect();
        for kind in ["labels", "annotations"] {
            let texts = rule[kind].as_object().filter(|_| rule["alert"].is_string());
            for (key, text) in texts.into_iter().flatten() {
                let other = format!("{} more", text.as_str().expect("text"));
                add(format!("{kind}: {key}"), &shown, &[kind, key], other);
            }
        }
        if let Some(hold) = rule["for"].as_str() {
            let other = twice(&Duration::parse(hold).expect("for")).text;
            add("for twice as long".into(), &tests, &["for"], other);
        }
    }
    out
}

/// The file with the rules alone that these tests need beside one rule, and where that is in it: promtool evaluates every rule in every test.
fn needed(file: &Value, changed: usize, tests: &[PathBuf]) -> (Value, usize) {
    let texts = tests.iter().map(std::fs::read_to_string);
    let mut texts: Vec<_> = texts.map(|text| text.expect("test")).collect();
    let rules = file["groups"][0]["rules"].as_array().expect("rules");
    let mut kept = BTreeSet::new();
    let is_needed = |i: usize, texts: &[String]| {
        let named = match rules[i]["record"].as_str() {
            Some(record) => record.to_owned(),
            None => rules[i]["alert"].as_str().expect("name").to_owned(),
        };
        let all = |text: &String| text.contains("(ALERTS)");
        i == changed || texts.iter().any(|text| all(text) || text.contains(&named))
    };
    while let Some(next) = (0..rules.len()).find(|i| !kept.contains(i) && is_needed(*i, &texts)) {
        kept.insert(next);
        texts.push(rules[next]["expr"].as_str().expect("expr").to_owned());
    }
    let mut all = file.clone();
    all["groups"][0]["rules"] = kept.iter().map(|i| rules[*i].clone()).collect();
    (all, kept.range(..changed).count())
}

/// The test files that speak of a rule.
fn tests_that_notice(file: &Value, rule: &Value, tests: &[PathBuf]) -> Vec<PathBuf> {
    let tiers = tiers_over(file, rule["labels"]["window"].as_str().unwrap_or_default());
    let speaks =
        |test: &&PathBuf| is_tested(rule, &tiers, &std::fs::read_to_string(test).expect("test"));
    tests.iter().filter(speaks).cloned().collect()
}

/// The tiers that read a window, be it their long or their short one.
fn tiers_over(file: &Value, window: &str) -> Vec<String> {
    let rules = file["groups"][0]["rules"].as_array().expect("rules");
    let reads = |rule: &&Value| {
        let expr = rule["expr"].as_str().expect("expr");
        expr.contains(&format!("window=\"{window}\""))
    };
    let tiers = rules
        .iter()
        .filter(reads)
        .map(|rule| rule["labels"]["tier"].as_str());
    tiers.flatten().map(str::to_owned).collect()
}

/// A tier only by the files that speak of it; the period's window is longer than any test.
fn is_tested(rule: &Value, tiers: &[String], tests: &str) -> bool {
    let of_tier = |tier: &str| {
        let written = [format!("tier=\"{tier}\""), format!("tier: {tier},")];
        tests.contains("count(ALERTS)") || written.iter().any(|text| tests.contains(text))
    };
    match (rule["alert"].as_str(), rule["record"].as_str()) {
        (Some(alert), _) => match rule["labels"]["tier"].as_str() {
            Some(tier) => of_tier(tier),
            None => {
                tests.contains(&format!("alertname: {alert}"))
                    || tests.contains(&format!("\"{alert}\""))
            }
        },
        (None, Some("slo:error_ratio:rate")) => tiers.iter().any(|tier| of_tier(tier)),
        // Sums of five minutes are for the period.
        (
            None,
            Some(
                "slo:good_events:increase"
                | "slo:bad_events:increase"
                | "slo:total_events:increase",
            ),
        ) => rule["labels"]["window"] != "5m",
        (
            None,
            Some(
                "slo:events:increase"
                | "slo:events:rate"
                | "slo:bad_events:rate"
                | "slo:total_events:rate",
            ),
        ) => true,
        (None, Some(constant @ ("slo:objective:ratio" | "slo:error_budget:ratio"))) => {
            tests.contains(constant)
        }
        _ => false,
    }
}

fn mutate(expr: &Expr, counts: bool) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    let mut unseen = Vec::new();
    unseen_in(expr, counts, &[], &mut unseen);
    for (target, unseen) in unseen.into_iter().enumerate() {
        for kind in [
            Kind::Flip,
            Kind::More,
            Kind::Less,
            Kind::Window,
            Kind::Offset,
            Kind::Label,
        ] {
            if unseen.contains(&kind) {
                continue;
            }
            let mut mutant = expr.clone();
            let mut at = 0;
            let mut what = None;
            visit::walk_mut(&mut mutant, &mut |node| {
                if at == target {
                    what = change(node, kind);
                }
                at += 1;
            });
            if let Some(what) = what {
                out.push((what, mutant));
            }
        }
    }
    out
}

/// In the order of `walk_mut`: changes of a node that no generated test can see.
fn unseen_in(expr: &Expr, counts: bool, inside: &[Kind], out: &mut Vec<Vec<Kind>>) {
    let mut unseen = inside.to_vec();
    unseen.extend_from_slice(match &expr.kind {
        // Only the presence of the series counts (`0 * x`); sums of five minutes are there when those of one are.
        ExprKind::Binary(b) if matches!(&b.lhs.kind, ExprKind::Number(n) if n.value == 0.0) => {
            match b.rhs.to_string().contains("window=\"1m\"") {
                true => &[Kind::Label],
                false => &[Kind::Window, Kind::Offset],
            }
        }
        // How long an absence or a value is remembered is longer than any generated test, and what a series begins with is the
        // same in any window; `situations` holds them.
        ExprKind::Call(call) => match call.function.text.as_str() {
            "present_over_time" if over_days(&call.args) => &[Kind::Window, Kind::Offset],
            "last_over_time" if counts => &[Kind::Window],
            "min_over_time" | "count_over_time" if counts => &[Kind::Window, Kind::Offset],
            _ => &[],
        },
        // One restart counts as several do, but for what lies at the edges of a window; `scenario::restarts` holds it.
        ExprKind::Binary(b) if counts && threshold(b) == Some(1.0) => &[Kind::Flip, Kind::Window],
        _ => &[],
    });
    for (i, child) in visit::children(expr).enumerate() {
        // A series that begins has no restart before it: a longer window finds none, either.
        let begins = counts && i == 1 && is_beginning(expr);
        let more: &[Kind] = if begins { &[Kind::Window] } else { &[] };
        unseen_in(child, counts, &[&unseen, more].concat(), out);
    }
    out.push(unseen);
}

/// True for the choice of a value that a series grows from: `… or min_over_time(m[1m]) unless resets(m[1m]) > 0`.
fn is_beginning(expr: &Expr) -> bool {
    let ExprKind::Binary(choice) = &expr.kind else {
        return false;
    };
    match (choice.op, &visit::bare(&choice.rhs).kind) {
        (BinaryOp::Or, ExprKind::Binary(b)) if b.op == BinaryOp::Unless => {
            matches!(&visit::bare(&b.lhs).kind, ExprKind::Call(call) if call.function.text == "min_over_time")
        }
        _ => false,
    }
}

/// True for a window of a day or more.
fn over_days(args: &[Expr]) -> bool {
    args.iter()
        .any(|arg| matches!(&arg.kind, ExprKind::Range(r) if r.range.millis >= 86_400_000))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Flip,
    More,
    Less,
    Window,
    Offset,
    Label,
}

fn change(node: &mut Expr, kind: Kind) -> Option<String> {
    let before = node.to_string();
    match (&mut node.kind, kind) {
        (ExprKind::Binary(b), Kind::Flip) if threshold(b).is_some_and(|t| t != 0.0) => {
            b.op = match b.op {
                BinaryOp::Gt => BinaryOp::Lt,
                _ => BinaryOp::Gt,
            };
        }
        (ExprKind::Binary(b), Kind::More | Kind::Less) => {
            // 0 and 1 (true) have nothing beside them.
            let value = threshold(b).filter(|t| *t != 0.0 && *t != 1.0)?;
            let sign = if matches!(kind, Kind::More) {
                1.0
            } else {
                -1.0
            };
            // Between whole numbers lies no other value.
            let is_whole = matches!(&b.lhs.kind, ExprKind::Call(c) if c.function.text == "round");
            let least = if is_whole { 1.0 } else { 0.0 };
            b.rhs = build::number((value + sign * f64::max(value * 0.1, least)).to_string());
        }
        (ExprKind::Call(call), Kind::More) if call.function.text == "vector" => {
            let ExprKind::Number(constant) = &call.args[0].kind else {
                return None;
            };
            call.args[0] = build::number((constant.value * 1.001).to_string());
        }
        (ExprKind::Range(r), Kind::Window) => {
            r.range = twice(&r.range);
        }
        (ExprKind::Range(r), Kind::Offset) => later(&mut r.selector)?,
        (ExprKind::Selector(s), Kind::Offset) => later(s)?,
        (ExprKind::Selector(s), Kind::Label) => {
            let window = s.matchers.iter_mut().find(|m| m.label.text == "window")?;
            let other = if window.value.value == "5m" {
                "1h"
            } else {
                "5m"
            };
            window.value = other.into();
        }
        _ => return None,
    }
    Some(format!("{before} became {node}"))
}

/// Twice as long ago.
fn later(selector: &mut Selector) -> Option<()> {
    let offset = selector.at.offset.as_mut()?;
    *offset = twice(offset);
    Some(())
}

/// A length of time that is twice as long.
fn twice(length: &Duration) -> Duration {
    Duration::from_secs(length.millis as u64 * 2 / 1000)
}

/// The number a comparison compares with.
fn threshold(b: &slosmith::promql::ast::Binary) -> Option<f64> {
    match &b.rhs.kind {
        ExprKind::Number(n) if matches!(b.op, BinaryOp::Gt | BinaryOp::Lt) => Some(n.value),
        _ => None,
    }
}
