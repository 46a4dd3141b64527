//! Hostile texts in every text of a spec, and templates of annotations, before judges of others.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

include!("../fixtures/go_templates.rs");

/// `.ci/run` has a share of the texts: all of them take minutes.
pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "hostile",
        Python:
            slow all_texts_are_refused_or_harmless;
        Promtool:
            trial templates_are_judged_as_promtool_does;
    }
}

fn all_texts_are_refused_or_harmless() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/hostile-check");
    let mut command = Command::new("python3");
    command.arg(judge).arg(env!("CARGO_BIN_EXE_slosmith"));
    let done = command.output().expect("python3");
    let said = String::from_utf8_lossy(&done.stderr);
    let listed = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{listed}{said}");
}

/// promtool says of each template what the lists say that it says.
fn templates_are_judged_as_promtool_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let bad = BAD.iter().map(|(text, _)| (false, text));
    let dead = DEAD.iter().map(|(text, _)| (true, text));
    for (good, text) in GOOD.iter().map(|text| (true, text)).chain(bad).chain(dead) {
        let rule = serde_json::json!({"groups": [{"name": "g", "rules": [
            {"alert": "A", "expr": "up < 1", "annotations": {"summary": text}}
        ]}]});
        std::fs::write(&path, rule.to_string()).expect("a file");
        let mut command = Command::new("promtool");
        let done = command.args(["check", "rules"]).arg(&path).output();
        let done = done.expect("promtool");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.success(), good, "{text}: {said}");
    }
}
