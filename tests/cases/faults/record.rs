//! `catalog record`.

use libtest_mimic::Trial;

use super::strace::{Share, both};
use crate::project::alerts;
use crate::project::{Project, Ran};
use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = vec![trial(
        "faults::a_recording_that_was_not_finished_is_told",
        Needs::Nothing,
        a_recording_that_was_not_finished_is_told,
    )];
    let mut add = |name: &str, run| {
        all.extend(both(&format!("faults::{name}"), run));
    };
    add(
        "a_new_version_is_whole_or_passed_over",
        a_new_version_is_whole_or_passed_over,
    );
    add(
        "a_new_profile_is_whole_or_passed_over",
        a_new_profile_is_whole_or_passed_over,
    );
    add(
        "a_page_is_the_old_or_the_new_one",
        a_page_is_the_old_or_the_new_one,
    );
    all
}

const OLD: &str = "# TYPE gateway_requests_total counter\ngateway_requests_total 7\n";
const NEW: &str = "# TYPE gateway_requests_total counter\ngateway_requests_total{code=\"200\"} 7\n";

fn record(project: &Project, page: &str, profile: &str) -> Ran {
    project.write("page.prom", page);
    project.run(&args(profile))
}

fn args(profile: &str) -> [&str; 9] {
    [
        "catalog",
        "record",
        "page.prom",
        "--version",
        "1.0",
        "--out",
        "gateway",
        "--profile",
        profile,
    ]
}

/// A catalog with an older version, and rules on its metric.
fn project() -> Project {
    let project = Project::empty();
    project.write("page.prom", OLD);
    let older = ["catalog", "record", "page.prom", "--version", "0.9"];
    let older = [&older[..], &["--out", "gateway"]].concat();
    project.run(&older).exits(0);
    let text = alerts(&["rate(gateway_requests_total[5m]) > 1"]);
    project.write("rules.yaml", &text);
    project.write("slosmith.toml", "catalogs = [\"gateway\"]\n");
    project
}

/// Lint works on the catalog after every run that went wrong, and the next record finishes it.
fn holds_always(share: Share, profile: &str, prepare: impl Fn(&Project)) {
    let before = project();
    prepare(&before);
    before.write("page.prom", NEW);
    let wanted = before.copy();
    record(&wanted, NEW, profile).exits(0);
    wanted.run(&["lint", "rules.yaml"]).exits(0);
    share.each(|injection| {
        let project = before.copy();
        let ran = injection.run(&project, &args(profile));
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        project.run(&["lint", "rules.yaml"]).exits(0);
        if ran.code == Some(0) {
            let all = wanted.files("gateway");
            assert!(
                all.iter()
                    .all(|file| project.has(&format!("gateway/{file}")))
            );
        }
        record(&project, NEW, profile).exits(0);
        assert_eq!(project.files("gateway"), wanted.files("gateway"));
        for file in wanted.files("gateway") {
            let path = format!("gateway/{file}");
            assert_eq!(project.read(&path), wanted.read(&path), "{path}");
        }
    });
}

fn a_new_version_is_whole_or_passed_over(share: Share) {
    holds_always(share, "default", |_| {});
}

fn a_new_profile_is_whole_or_passed_over(share: Share) {
    holds_always(share, "small", |project| {
        record(project, OLD, "default").exits(0);
    });
}

fn a_page_is_the_old_or_the_new_one(share: Share) {
    holds_always(share, "default", |project| {
        record(project, OLD, "default").exits(0);
    });
}

fn a_recording_that_was_not_finished_is_told() {
    let project = project();
    project.write("gateway/1.0/default.prom", OLD);
    project
        .run(&["lint", "rules.yaml"])
        .exits(0)
        .says("gateway/1.0 is skipped: incomplete recording (no provenance.json)");
}
