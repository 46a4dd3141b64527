//! `lint --fix`.

use libtest_mimic::Trial;

use super::strace::{Fault, Share, both, faults};
use crate::project::alerts;
use crate::project::{Project, Ran};
use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = vec![trial(
        "faults::a_fix_that_cannot_be_written_says_why",
        Needs::Strace,
        a_fix_that_cannot_be_written_says_why,
    )];
    let name = "faults::a_fix_that_is_killed_or_refused_loses_nothing";
    let run = a_fix_that_is_killed_or_refused_loses_nothing;
    all.extend(both(name, run));
    all
}

const FIX: [&str; 6] = ["lint", "--vllm", "0.33.0", "--fix", "a.yaml", "b.yaml"];

fn old() -> String {
    alerts(&["vllm:gpu_cache_usage_perc > 90"])
}

fn new() -> String {
    let new = old().replace("gpu_cache", "kv_cache");
    new.replace("> 90", "> 0.9")
}

/// Two files, so that one can be written and the other not.
fn project() -> Project {
    let project = Project::empty();
    for file in ["a.yaml", "b.yaml"] {
        project.write(file, &old());
    }
    project
}

/// What must hold after any run that went wrong, and after the next one.
fn check(project: &Project, ran: &Ran) {
    let texts = ["a.yaml", "b.yaml"].map(|file| project.read(file));
    let fixed = texts.iter().filter(|text| **text == new()).count();
    let kept = texts.iter().filter(|text| **text == old()).count();
    assert_eq!(fixed + kept, 2, "half a file\n{texts:?}");
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    if ran.code == Some(0) {
        assert_eq!(fixed, 2, "not all is written\n{}", ran.err);
    }
    let said = ran.err.lines().find(|line| line.ends_with(" fixed"));
    let counts = ["0 findings fixed", "2 findings fixed", "4 findings fixed"];
    assert!(said.is_none_or(|said| said == counts[fixed]), "{}", ran.err);
    project.run(&FIX).exits(0);
    assert_eq!(project.files("."), ["a.yaml", "b.yaml"]);
    for file in ["a.yaml", "b.yaml"] {
        assert_eq!(project.read(file), new());
    }
}

fn a_fix_that_is_killed_or_refused_loses_nothing(share: Share) {
    share.each(|injection| {
        let project = project();
        let ran = injection.run(&project, &FIX);
        check(&project, &ran);
    });
}

fn a_fix_that_cannot_be_written_says_why() {
    for (call, error, words) in [
        ("write", "ENOSPC", "No space left on device"),
        ("openat", "EROFS", "Read-only file system"),
        ("rename", "EIO", "Input/output error"),
    ] {
        let error = Fault::Error(error);
        let mut told = 0;
        let hits = faults(&[call], &[error], |injection| {
            let project = project();
            let ran = injection.run(&project, &FIX);
            if project.read("a.yaml") == old() && ran.err.contains("the file was not changed") {
                told += 1;
                assert_eq!(ran.code, Some(2), "{injection}\n{}", ran.err);
                assert!(ran.err.contains(words), "{injection}\n{}", ran.err);
                assert!(ran.err.contains("2 findings fixed"), "{}", ran.err);
                assert!(ran.out.contains("removed-metric"), "{}", ran.out);
            }
        });
        assert!(hits > 0 && told > 0, "{call}");
    }
}
