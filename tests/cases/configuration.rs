//! What people put into their Prometheus: the rule files that the documentation names, and the scrape jobs of all services
//! at once. Prometheus's own program judges.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::bundled;

/// What the documentation calls the folder of everything.
const ROOT: &str = "/etc/prometheus";

pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "configuration",
        Promtool:
            trial rule_files_load_as_documented,
            trial all_services_load_together,
            trial a_probe_is_labelled_as_its_signal_asks;
    }
}

/// Runs promtool; the text must not speak of anything below [`ROOT`], which stands for `root`.
fn promtool(root: &Path, arguments: &[&str], config: &str, after: &[&str]) -> String {
    let path = root.join("prometheus.yml");
    let text = config.replace(ROOT, &root.to_string_lossy());
    std::fs::write(&path, text).expect("configuration");
    let mut command = Command::new("promtool");
    let output = command.args(arguments).arg(path).args(after).output();
    let output = output.expect("promtool");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{config}\n{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn service(spec: &str) -> String {
    spec.replace("mangaassist", "mangaassist-vllm")
}

fn rule_files_load_as_documented() {
    let docs = include_str!("../../docs/prometheus.md");
    let fences = docs.split("```text\n").skip(1);
    let mut fences = fences.map(|rest| rest.split("```").next().expect("an end"));
    let block = fences
        .find(|block| block.starts_with("rule_files:"))
        .expect("a block of rule files");
    let root = tempfile::tempdir().expect("temp dir");
    for spec in bundled::SPECS {
        let folder = root.path().join("generated").join(service(spec));
        bundled::write(&folder, &bundled::folder(spec));
    }
    let said = promtool(root.path(), &["check", "config"], block, &[]);
    let loaded = said.matches("rules found").count();
    assert!(loaded > 10, "{loaded} rule files: {said}");
}

fn scrape(spec: &str) -> String {
    let files = bundled::folder(spec);
    let mut files = files.into_iter();
    let file = files.find(|f| f.path == "prometheus/scrape.yaml");
    file.expect("a scrape file").text
}

/// Every job of all services, as `scrape_config_files` would load them.
fn all_jobs() -> String {
    let mut config = "scrape_configs:\n".to_owned();
    for spec in bundled::SPECS {
        let text = scrape(spec);
        let (_, jobs) = text.split_once("\nscrape_configs:\n").expect("jobs");
        write!(config, "{jobs}").expect("text");
    }
    config
}

fn all_services_load_together() {
    let root = tempfile::tempdir().expect("temp dir");
    let config = all_jobs();
    promtool(root.path(), &["check", "config"], &config, &[]);
    // One job for each exporter that a signal of the specs comes from.
    for job in [
        "mangaassist-vllm/mangaassist-gateway",
        "vllm-serving/dcgm-exporter",
    ] {
        assert!(
            config.contains(&format!("job_name: {job}\n")),
            "{job}: {config}"
        );
    }
}

fn a_probe_is_labelled_as_its_signal_asks() {
    let root = tempfile::tempdir().expect("temp dir");
    let targets = root.path().join("targets/mangaassist-vllm");
    std::fs::create_dir_all(&targets).expect("folder");
    let target = json!([{"targets": ["http://manga:8080/ping"], "labels": {"cluster": "c"}}]);
    std::fs::write(targets.join("mangaassist-ping.yaml"), target.to_string()).expect("targets");
    let job = "mangaassist-vllm/mangaassist-ping";
    let found = promtool(
        root.path(),
        &["check", "service-discovery", "--timeout=1s"],
        &all_jobs(),
        &[job],
    );
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let labels = &found[0]["labels"];
    for (label, value) in [
        ("job", "mangaassist-ping"),
        ("instance", "http://manga:8080/ping"),
        ("cluster", "c"),
    ] {
        assert_eq!(labels[label], value, "{found}");
    }
    let discovered = &found[0]["discoveredLabels"];
    assert_eq!(discovered["__metrics_path__"], "/probe", "{found}");
    assert_eq!(discovered["__param_module"], "http_2xx", "{found}");
}
