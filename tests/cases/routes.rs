//! The routes that docs/prometheus.md shows, and those that `slosmith list` prints, judged by amtool on the labels of generated alerts.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use serde_yaml::Value;

use crate::bundled;
use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "routes::owners_and_severities_lead_to_their_receivers",
            Needs::Amtool,
            routes,
        ),
        trial(
            "routes::a_project_has_one_configuration",
            Needs::Amtool,
            of_project,
        ),
    ]
}

fn of_project() {
    let mut slosmith = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = slosmith
        .args(["list", "--format", "alertmanager"])
        .current_dir(root)
        .output();
    let listed = listed.expect("slosmith");
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("alertmanager.yml");
    std::fs::write(&config, &listed.stdout).expect("a file");
    assert!(said(&["check-config"], &config, &[]).contains("SUCCESS"));
    for spec in ["vllm-production", "mangaassist", "gateway"] {
        let text =
            std::fs::read_to_string(root.join(format!("specs/{spec}.yaml"))).expect("a spec");
        for labels in marks(&bundled::build(&text, None)) {
            let of = |label: &str| {
                let mut own = labels
                    .iter()
                    .filter_map(|own| own.strip_prefix(label)?.strip_prefix('='));
                own.next().unwrap_or("unowned").to_owned()
            };
            let (owner, severity) = (of("owner"), of("severity"));
            let wanted = match owner.as_str() {
                // No service of the project is without an owner.
                "unowned" => owner,
                owner => format!("{owner}/{severity}"),
            };
            let found = said(&["config", "routes", "test"], &config, &labels);
            assert_eq!(found.trim(), wanted, "{labels:?}");
        }
    }
}

fn routes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/prometheus.md")).expect("the page");
    let shown = page.split("```yaml\nroute:").nth(1).expect("the example");
    let shown = shown.split("```").next().expect("its end");
    let text = std::fs::read_to_string(root.join("specs/vllm-production.yaml")).expect("a spec");
    let files = bundled::build(&text, None);
    let inhibition = files
        .iter()
        .find(|f| f.path == "prometheus/alertmanager.yaml");
    let inhibition = &inhibition.expect("inhibit rules").text;
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("alertmanager.yml");
    std::fs::write(&config, format!("route:{shown}{inhibition}")).expect("a file");
    assert!(said(&["check-config"], &config, &[]).contains("SUCCESS"));

    let mut judged = 0;
    for labels in marks(&files) {
        let found = said(&["config", "routes", "test"], &config, &labels);
        let is = |label: &str| labels.iter().any(|own| own == label);
        let wanted = match (is("owner=inference"), is("severity=critical")) {
            (false, _) => "unowned",
            (true, true) => "inference-pager",
            (true, false) => "inference-chat",
        };
        assert_eq!(found.trim(), wanted, "{labels:?}");
        judged += 1;
    }
    assert!(judged > 1);
}

/// The owners and severities of all alerts, each pair once, and one alert without an owner.
fn marks(files: &[slosmith::target::OutFile]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::from([vec!["severity=critical".to_owned()]]);
    let rules = files
        .iter()
        .filter(|f| f.path.starts_with("prometheus/rules/"));
    for file in rules {
        let file: Value = serde_yaml::from_str(&file.text).expect("YAML");
        let groups = file["groups"].as_sequence().expect("groups").iter();
        let rules = groups.flat_map(|group| group["rules"].as_sequence().expect("rules"));
        for rule in rules.filter(|rule| rule.get("alert").is_some()) {
            let label = |name: &str| Some(format!("{name}={}", rule["labels"][name].as_str()?));
            found.insert(
                ["owner", "severity"]
                    .into_iter()
                    .filter_map(label)
                    .collect(),
            );
        }
    }
    found
}

fn said(command: &[&str], config: &Path, labels: &[String]) -> String {
    let mut amtool = Command::new("amtool");
    amtool.args(command);
    match command {
        ["check-config"] => amtool.arg(config),
        _ => amtool.arg("--config.file").arg(config).args(labels),
    };
    let done = amtool.output().expect("amtool");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}
