//! What is generated here is right on every release that the specs name.

use std::process::Command;

use slosmith::catalog::Catalog;

/// Specs with what is generated from them, and the releases that they claim.
const CLAIMED: [(&str, &[&str]); 2] = [
    (
        ">=0.20, <0.34",
        &[
            "specs/mangaassist.yaml",
            "specs/vllm-production.yaml",
            "specs/vllm-serving.yaml",
            "generated/mangaassist-vllm",
            "generated/vllm-production",
            "generated/vllm-serving",
        ],
    ),
    (
        ">=0.32, <0.34",
        &["specs/fleet.yaml", "generated/vllm-fleet"],
    ),
];

#[test]
#[ignore = "ci"]
fn generated_files_have_no_findings_on_any_release() {
    let catalog = Catalog::vllm();
    let mut checked = 0;
    for (range, files) in CLAIMED {
        let range = range.parse().expect("a range");
        let selection = catalog.select(&range).expect("recorded releases");
        for release in selection.releases {
            let version = catalog.release(release).version().to_string();
            let ran = Command::new(env!("CARGO_BIN_EXE_slosmith"))
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .arg("lint")
                .args(files)
                .args(["--format", "concise", "--fail-on", "info"])
                .args(["--level", "dead-runbook-link=off", "--vllm", &version])
                .output()
                .expect("it runs");
            let said = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success(), "{version}:\n{said}");
            checked += 1;
        }
    }
    assert!(checked > 12);
}
