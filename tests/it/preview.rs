//! The page for reviewers: complete, safe, and usable without a mouse, in light and dark.

use crate::bundled;
use crate::project::Project;

#[test]
fn pages_stand_alone_and_say_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = bundled::pages(folder.path());
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
        "p95 of queue wait above 200ms",
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
