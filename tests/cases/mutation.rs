//! Generated unit tests must notice a changed rule: every comparison, threshold, window and holding time.
//!
//! Each rule file is a test of its own, and all but one are left to `.ci/run`. On request run, for the better part of an
//! hour, the slow unit tests (windows of 6h and more).

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;
use slosmith::promql::ast::{BinaryOp, Duration, Expr, ExprKind};
use slosmith::promql::{build, parse, visit};
use tempfile::TempDir;

use crate::trial::{Needs, in_ci, slow, trial};
use crate::{bundled, promtool};

/// The rule file that every run changes.
const ALWAYS: (&str, &str) = ("mangaassist", "slo-latency-p99.yaml");

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
            all.push(match (spec, file.as_str()) == ALWAYS {
                true => trial(name, Needs::Promtool, kill(false)),
                false => in_ci(name, Needs::Promtool, kill(false)),
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
    for mutant in folder.mutants(file, slowly) {
        std::fs::write(&rules, mutant.text).expect("mutant");
        if !is_unseen(spec, file, &mutant.what) && passes(&mutant.tests) {
            survivors.push(mutant.what);
        }
    }
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
}

/// The unit tests of an objective in PromQL drive its errors and its total alone: they see neither the window of what is subtracted
/// from the errors (the requests that were shed), nor the shortest window of an error ratio that stays the same.
fn is_unseen(spec: &str, file: &str, what: &str) -> bool {
    let is_shed = what.contains("admission_rejections_total\", job=\"vllm\"}[");
    let is_steady = what.starts_with("slo:error_ratio:rate: http_requests_total{")
        && what.contains("[5m] became ");
    (spec, file) == ("vllm-serving", "slo-availability.yaml")
        && what.contains("] became ")
        && (is_shed || is_steady)
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

    /// Changed copies of a rule file, with the fast or the slow unit tests that may notice.
    fn mutants(&self, file: &str, slowly: bool) -> Vec<Mutant> {
        let rules = self.prometheus().join("rules").join(file);
        let mut tests = tests_of(&self.prometheus(), &rules);
        tests.retain(|test| promtool::is_slow(&test.to_string_lossy()) == slowly);
        if tests.is_empty() {
            return Vec::new();
        }
        let text = std::fs::read_to_string(rules).expect("rules");
        mutants(&text, &tests)
    }
}

/// A rule file with one change, and the tests that may notice.
struct Mutant {
    what: String,
    text: String,
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
        let mut add = |what: String, path: &str, value: String| {
            let mut changed = file.clone();
            changed["groups"][0]["rules"][i][path] = Value::String(value);
            out.push(Mutant {
                what: format!("{name}: {what}"),
                text: changed.to_string(),
                tests: tests.clone(),
            });
        };
        for (what, mutant) in mutate(&expr) {
            add(what, "expr", mutant.to_string());
        }
        if let Some(hold) = rule["for"].as_str() {
            let twice = Duration::parse(hold).expect("for").millis as u64 * 2;
            add(
                "for twice as long".into(),
                "for",
                Duration::from_millis(twice).text,
            );
        }
    }
    out
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

/// Constants are not tested; a tier only by its own file; the period's window is longer than any test.
fn is_tested(rule: &Value, tiers: &[String], tests: &str) -> bool {
    let of_tier = |tier: &str| tests.contains(&format!("tier=\"{tier}\""));
    match (rule["alert"].as_str(), rule["record"].as_str()) {
        (Some(alert), _) => match rule["labels"]["tier"].as_str() {
            Some(tier) => of_tier(tier),
            None => {
                tests.contains(&format!("alertname: {alert}"))
                    || tests.contains(&format!("\"{alert}\""))
            }
        },
        (None, Some("slo:error_ratio:rate")) => tiers.iter().any(|tier| of_tier(tier)),
        (None, Some("slo:bad_events:rate" | "slo:total_events:rate")) => true,
        _ => false,
    }
}

fn mutate(expr: &Expr) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    let mut only_presence = Vec::new();
    presence(expr, false, &mut only_presence);
    for (target, only_presence) in only_presence.into_iter().enumerate() {
        for kind in [
            Kind::Flip,
            Kind::More,
            Kind::Less,
            Kind::Window,
            Kind::Label,
        ] {
            if only_presence && matches!(kind, Kind::Window) {
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

/// In the order of `walk_mut`: whether only the presence of a node's series counts (`0 * x`), so that its
/// window makes no difference.
fn presence(expr: &Expr, inside: bool, out: &mut Vec<bool>) {
    let zero = match &expr.kind {
        ExprKind::Binary(b) => matches!(&b.lhs.kind, ExprKind::Number(n) if n.value == 0.0),
        // How long an absence is remembered is longer than any generated test; `situations` holds it.
        ExprKind::Call(call) => call.function.text == "present_over_time" && over_days(&call.args),
        _ => false,
    };
    for child in visit::children(expr) {
        presence(child, inside || zero, out);
    }
    out.push(inside);
}

/// True for a window of a day or more.
fn over_days(args: &[Expr]) -> bool {
    args.iter()
        .any(|arg| matches!(&arg.kind, ExprKind::Range(r) if r.range.millis >= 86_400_000))
}

#[derive(Clone, Copy)]
enum Kind {
    Flip,
    More,
    Less,
    Window,
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
            let factor = if matches!(kind, Kind::More) { 1.1 } else { 0.9 };
            b.rhs = build::number((value * factor).to_string());
        }
        (ExprKind::Range(r), Kind::Window) => {
            r.range = Duration::from_millis(r.range.millis as u64 * 2);
        }
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

/// The number a comparison compares with.
fn threshold(b: &slosmith::promql::ast::Binary) -> Option<f64> {
    match &b.rhs.kind {
        ExprKind::Number(n) if matches!(b.op, BinaryOp::Gt | BinaryOp::Lt) => Some(n.value),
        _ => None,
    }
}
