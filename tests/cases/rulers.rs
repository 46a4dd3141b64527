//! Rules for rulers, loaded by the real programs: vmalert, thanos, mimirtool, and promtool where the file is Prometheus's own.

use std::process::Command;

use libtest_mimic::Trial;

use crate::bundled;
use crate::trial::{Needs, trial};

/// A ruler, its options, the program that judges, and its arguments before the file.
const RULERS: [(&str, &str, Needs, &[&str]); 4] = [
    (
        "prometheus",
        "",
        Needs::Promtool,
        &["promtool", "check", "rules"],
    ),
    (
        "mimir",
        ", source_tenants: [a, b], query_offset: 1m",
        Needs::Mimirtool,
        &["mimirtool", "rules", "check"],
    ),
    (
        "thanos",
        ", partial_response: warn, query_offset: 1m",
        Needs::Thanos,
        &["thanos", "tools", "rules-check", "--rules"],
    ),
    (
        "victoriametrics",
        "",
        Needs::Vmalert,
        &["vmalert", "-dryRun", "-rule"],
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let all = RULERS
        .into_iter()
        .flat_map(|(ruler, options, needs, command)| {
            ["fleet", "mangaassist", "vllm-production", "vllm-serving"].map(|spec| {
                let name = format!("rulers::{ruler}::{spec}");
                trial(name, needs, move || loads(spec, ruler, options, command))
            })
        });
    all.collect()
}

fn loads(spec: &str, ruler: &str, options: &str, command: &[&str]) {
    let path = format!("{}/specs/{spec}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a spec");
    let options = options.replace(", ", "\n  ").replace("[a\n  b]", "[a, b]");
    let text = text.replacen(
        "\nprometheus:\n",
        &format!("\nprometheus:\n  ruler: {ruler}{options}\n"),
        1,
    );
    let files = bundled::build(&text, None);
    let file = files
        .iter()
        .find(|f| f.path.starts_with("prometheus/ruler/"));
    let file = file.expect("a file for the ruler");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rules.yaml");
    let mut text = file.text.clone();
    if ruler == "victoriametrics" {
        // The packaged vmalert is older than 1.91, which brought this field.
        text = lines_without(&text, "keep_firing_for:");
    }
    std::fs::write(&path, text).expect("a file");
    let done = Command::new(command[0])
        .args(&command[1..])
        .arg(&path)
        .output();
    let done = done.expect(command[0]);
    let said = [done.stdout, done.stderr].concat();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&said));
}

fn lines_without(text: &str, field: &str) -> String {
    let lines = text.split_inclusive('\n');
    let kept = lines.filter(|line| !line.trim_start().starts_with(field));
    kept.collect()
}
