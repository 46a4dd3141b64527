//! Systems that give no threads.

use libtest_mimic::Trial;

use super::strace::{Fault, faults};
use crate::project::Project;
use crate::project::alerts;
use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "faults::without_threads_everything_is_done_all_the_same",
        Needs::Strace,
        without_threads_everything_is_done_all_the_same,
    )]
}

fn without_threads_everything_is_done_all_the_same() {
    let project = Project::new();
    project.write("rules.yaml", &alerts(&["vllm:num_requests_waiting > 80"]));
    project.write("page.prom", "vllm:num_requests_waiting 1\n");
    for args in [
        &["lint", "rules.yaml", "specs"][..],
        &["build"],
        &["build", "--check"],
        &["preview"],
        &["drift", "--from", "0.32.0", "--to", "0.33.0", "rules.yaml"],
        &[
            "health",
            "page.prom",
            "--spec",
            "specs/svc.yaml",
            "--fail-on=never",
        ],
        &["catalog", "list"],
        &["explain"],
        &["schema"],
    ] {
        let wanted = project.run(args).exits(0).out;
        faults(
            &["clone3", "clone"],
            &[Fault::Error("EAGAIN")],
            |injection| {
                let ran = injection.run(&project, args).exits(0);
                assert_eq!(ran.out, wanted, "{args:?}, {injection}");
            },
        );
    }
}
