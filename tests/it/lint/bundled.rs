//! What is generated here is right on every release that the specs name.

use std::process::Command;

use slosmith::catalog::Catalog;

#[test]
#[ignore = "ci"]
fn generated_files_have_no_findings_on_any_release() {
    let catalog = Catalog::vllm();
    let range = ">=0.20, <0.34".parse().expect("a range");
    let selection = catalog.select(&range).expect("recorded releases");
    assert!(selection.releases.len() > 10);
    for release in selection.releases {
        let version = catalog.release(release).version().to_string();
        let ran = Command::new(env!("CARGO_BIN_EXE_slosmith"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["lint", "specs", "generated", "--format", "concise"])
            .args(["--fail-on", "info", "--level", "dead-runbook-link=off"])
            .args(["--vllm", &version])
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{version}:\n{said}");
    }
}
