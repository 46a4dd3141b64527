//! The page for reviewers: complete, safe, and usable without a mouse, in light and dark.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::Project;

/// The pages of the bundled specs.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let ran = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["preview", "specs", "--out"])
        .arg(folder)
        .output()
        .expect("it runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let said = String::from_utf8(ran.stdout).expect("UTF-8");
    said.lines().map(PathBuf::from).collect()
}

#[test]
fn pages_stand_alone_and_say_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = pages(folder.path());
    assert_eq!(pages.len(), 3);
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        for foreign in ["<script", "<link", "<img", "src=", "@import", "url("] {
            assert!(!text.contains(foreign), "{}: {foreign}", page.display());
        }
    }
    let text =
        std::fs::read_to_string(folder.path().join("mangaassist-vllm.html")).expect("a page");
    for words in [
        "43m12s of full outage",      // 0.1 % of 30 days
        "<td>26s</td><td>4m19s</td>", // 1h × 0.72 % ÷ 100 %, ÷ 10 %
        "p95 of Gateway queue wait above 200ms",
        "Prefix cache hit rate",
        "target 70%",
        "viewPanel=",
        "vllm:gpu_cache_usage_perc", // what the cache usage was called before
    ] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn what_a_spec_says_stays_text() {
    let project = Project::new();
    project.edit("specs/svc.yaml", "owner: team", "owner: '<b>&team</b>'");
    project.run(&["preview"]).exits(0);
    let page = project.read("preview/svc.html");
    assert!(page.contains("&lt;b&gt;&amp;team&lt;"), "{page}");
}

#[test]
fn a_wrong_spec_writes_no_page() {
    let project = Project::new();
    project.edit("specs/svc.yaml", "owner: team", "ownr: team");
    project.run(&["preview"]).exits(2).says("ownr");
    assert!(!project.path("preview").exists());
}
