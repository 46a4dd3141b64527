//! Generated unit tests must notice a changed rule: every comparison, threshold, window and holding time.
//!
//! Needs promtool; without it nothing is tested here, and that is said. The slow tests (windows of 6h and
//! more) run when `SLOSMITH_ALL_MUTANTS` names rule files by a part of their path: `rules` is all of them and
//! takes the better part of an hour, `slo-ttft` is one objective.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use slosmith::promql::ast::{BinaryOp, Duration, Expr, ExprKind};
use slosmith::promql::{build, parse, visit};

use crate::{bundled, promtool};

/// Test files that take seconds each.
const SLOW: [&str; 5] = [
    "-6h.yaml",
    "-1d.yaml",
    "-3d.yaml",
    "adapter-latency",
    "-1d-",
];

#[test]
fn unit_tests_of_the_assistant_kill_every_mutant() {
    kill("mangaassist", 60);
}

#[test]
fn unit_tests_of_the_serving_spec_kill_every_mutant() {
    kill("vllm-serving", 50);
}

/// Makes every mutant of a bundled spec's rules; each must fail a unit test.
fn kill(spec: &str, at_least: usize) {
    if !promtool::is_installed() {
        return;
    }
    let all = std::env::var("SLOSMITH_ALL_MUTANTS").ok();
    let mut survivors = Vec::new();
    let mut tried = 0;
    let dir = tempfile::tempdir().expect("temp dir");
    bundled::write(dir.path(), &bundled::folder(spec));
    let prometheus = dir.path().join("prometheus");
    for rules in files(&prometheus.join("rules")) {
        let name = rules.to_string_lossy();
        if all
            .as_ref()
            .is_some_and(|part| !name.contains(part.as_str()))
        {
            continue;
        }
        let tests = tests_of(&prometheus, &rules, all.is_some());
        if tests.is_empty() {
            continue;
        }
        let text = std::fs::read_to_string(&rules).expect("rules");
        for mutant in mutants(&text, &tests) {
            tried += 1;
            std::fs::write(&rules, mutant.text).expect("mutant");
            if passes(&mutant.tests) {
                survivors.push(format!("{}: {}", rules.display(), mutant.what));
            }
        }
        std::fs::write(&rules, text).expect("original");
    }
    println!("{tried} mutants, {} survived", survivors.len());
    assert!(
        tried >= at_least || all.is_some(),
        "only {tried} mutants were made"
    );
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
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
fn tests_of(prometheus: &Path, rules: &Path, all: bool) -> Vec<PathBuf> {
    let name = rules.file_name().expect("name").to_string_lossy();
    let mut tests = files(&prometheus.join("tests"));
    tests.retain(|test| {
        let fast = all || !SLOW.iter().any(|s| test.to_string_lossy().contains(s));
        let text = std::fs::read_to_string(test).expect("test");
        fast && text.contains(&format!("../rules/{name}"))
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
        _ => false,
    };
    for child in visit::children(expr) {
        presence(child, inside || zero, out);
    }
    out.push(inside);
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
