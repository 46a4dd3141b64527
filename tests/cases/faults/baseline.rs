//! `lint --write-baseline`.

use libtest_mimic::Trial;

use super::strace::{Share, both};
use crate::project::Project;
use crate::project::alerts;

pub(crate) fn trials() -> Vec<Trial> {
    let name = "faults::a_baseline_is_the_old_or_the_new_one";
    both(name, a_baseline_is_the_old_or_the_new_one).into()
}

const WRITE: [&str; 3] = ["lint", "--write-baseline", "a.yaml"];

fn project() -> Project {
    let project = Project::empty();
    project.write("a.yaml", &alerts(&["vllm:gpu_cache_usage_perc > 90"]));
    project.write("slosmith.toml", "baseline = \"known.json\"\n");
    project
}

/// One of no findings and one of one.
fn texts() -> [String; 2] {
    let project = project();
    project.run(&WRITE).exits(0);
    let new = project.read("known.json");
    project.write("a.yaml", &alerts(&["vllm:num_requests_waiting > 80"]));
    project.run(&WRITE).exits(0);
    [project.read("known.json"), new]
}

fn a_baseline_is_the_old_or_the_new_one(share: Share) {
    let [old, new] = texts();
    for before in [None, Some(&old)] {
        share.each(|injection| {
            let project = project();
            if let Some(old) = before {
                project.write("known.json", old);
            }
            let ran = injection.run(&project, &WRITE);
            let found = project
                .has("known.json")
                .then(|| project.read("known.json"));
            let written = found.as_ref() == Some(&new);
            assert!(written || found.as_ref() == before, "{found:?}");
            assert!(written || ran.code != Some(0));
            assert!(!ran.err.contains("panicked"), "{}", ran.err);
            assert!(written || !ran.err.contains("known.json: 1 finding"));
            project.run(&WRITE).exits(0);
            assert_eq!(project.read("known.json"), new);
            assert_eq!(
                project.files("."),
                ["a.yaml", "known.json", "slosmith.toml"]
            );
        });
    }
}
