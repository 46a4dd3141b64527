//! The page for reviewers: complete, safe, and usable without a mouse, in light and dark.

use crate::bundled;
use crate::project::Project;

#[test]
fn pages_stand_alone_and_say_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = bundled::pages(folder.path());
    assert_eq!(pages.len(), 4);
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        for foreign in ["<script", "<link", "<img", "src=", "@import", "url("] {
            assert!(!text.contains(foreign), "{}: {foreign}", page.display());
        }
        let policy =
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src";
        assert!(text.contains(policy), "{}", page.display());
    }
    let text =
        std::fs::read_to_string(folder.path().join("mangaassist-vllm.html")).expect("a page");
    for words in [
        "43m12s of full outage",      // 0.1 % of 30 days
        "<td>26s</td><td>4m19s</td>", // 1h × 0.72 % ÷ 100 %, ÷ 10 %
        "p95 queue time &gt; 200ms",
        "Prefix cache hit rate",
        "target 70%",
        "viewPanel=",
        "vllm:gpu_cache_usage_perc", // what the cache usage was called before
    ] {
        assert!(text.contains(words), "{words}");
    }
}

/// The parts of a page that are shown on one of the simulated days.
fn sketches<'p>(page: &'p str, day: &str) -> Vec<&'p str> {
    let begin = format!("<div class=\"sketch {day}\">");
    let parts = page.split(begin.as_str()).skip(1);
    let end = |part: &'p str| part.split("<div class=\"sketch").next().unwrap_or(part);
    let parts = parts.map(|part| end(part).split("<details>").next().unwrap_or_default());
    parts.collect()
}

#[test]
fn a_healthy_day_is_well_and_in_an_incident_the_alerts_fire() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        assert!(
            text.contains("Simulated, not measured"),
            "{}",
            page.display()
        );
        let [healthy, incident] = ["healthy", "incident"].map(|day| sketches(&text, day));
        assert_eq!(healthy.len(), incident.len());
        assert!(healthy.len() > 20, "{}", healthy.len());
        for sketch in &healthy {
            for bad in [
                ">firing<",
                ">pending<",
                ">missed<",
                "burning",
                "value red",
                "value orange",
                "value yellow",
            ] {
                assert!(!sketch.contains(bad), "{}: {bad}: {sketch}", page.display());
            }
        }
        assert!(healthy.concat().contains("nothing is firing"));
        let bad = incident.concat();
        assert!(
            bad.contains(">firing<") && bad.contains("value red"),
            "{}",
            page.display()
        );
        assert!(!bad.contains("nothing is firing"));
    }
    let text = std::fs::read_to_string(folder.path().join("mangaassist-vllm.html"));
    let bad = sketches(&text.expect("a page"), "incident").concat();
    for row in [
        "<td class=\"red\">burning fast</td><td>Availability</td>",
        "<td class=\"red\">missed</td><td>End-to-end latency</td>",
        "<td class=\"red\">firing</td><td>KV cache usage</td>",
        "<td>open</td><td>QueueOverflow</td>",
    ] {
        assert!(bad.contains(row), "{row}: {bad}");
    }
}

#[test]
fn lines_stay_in_their_graphs() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        let shapes = text.split("<polyline class=\"shape").skip(1);
        let points = shapes.map(|shape| {
            let points = shape.split("points=\"").nth(1).expect("points");
            points.split('"').next().expect("a quote")
        });
        let numbers: Vec<f64> = points
            .flat_map(|points| points.split([' ', ',']))
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert!(numbers.len() > 1_000);
        let out = numbers.iter().find(|n| !(0.0..=100.0).contains(*n));
        assert_eq!(out, None, "{}", page.display());
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
