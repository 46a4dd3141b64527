//! A build that fails anywhere changes nothing anywhere.

use crate::project::{Project, spec};

#[test]
fn one_wrong_spec_among_good_ones_stops_all() {
    let project = Project::new();
    project.write("specs/a.yaml", &spec("a"));
    project.write("specs/z.yaml", &spec("z").replace("99.9%", "100%"));
    let ran = project.run(&["build"]).exits(2);
    let ran = ran
        .says("specs/z.yaml:")
        .says("1 error; nothing was written");
    assert_eq!(ran.out, "");
    assert!(!project.has("generated"));
}

#[test]
fn all_wrong_specs_are_named_at_once() {
    let project = Project::new();
    project.write("specs/a.yaml", &spec("a").replace("99.9%", "100%"));
    project.write("specs/b.yaml", "apiVersion: slosmith/v1\nnonsense: 1\n");
    let ran = project.run(&["build"]).exits(2);
    ran.says("specs/a.yaml:")
        .says("specs/b.yaml:")
        .says("2 errors");
}

#[test]
fn two_specs_of_one_service_are_refused() {
    let project = Project::new();
    project.write("specs/again.yaml", &spec("svc"));
    let ran = project.run(&["build"]).exits(2);
    ran.says("specs/svc.yaml:2:").says("specs/again.yaml");
    assert!(!project.has("generated"));
}

#[test]
fn a_folder_without_specs_is_refused() {
    let project = Project::built();
    let before = project.snapshot("generated");
    project.remove("specs/svc.yaml");
    project.run(&["build"]).exits(2).says("specs: no spec");
    project
        .run(&["build", "spec"])
        .exits(2)
        .says("spec: no such");
    assert_eq!(project.snapshot("generated"), before);
}

#[test]
fn a_wrong_range_on_the_command_line_is_refused() {
    let project = Project::new();
    let vllm = "service: {name: v}\nruntime: {vllm: '>=0.20, <0.34'}\n";
    let text = format!(
        "apiVersion: slosmith/v1\n{vllm}records: {{r: {{signal: vllm.requests_running}}}}\n"
    );
    project.write("specs/svc.yaml", &text);
    project.run(&["build", "--vllm", "==0.33.0"]).exits(0);
    let before = project.snapshot("");
    project
        .run(&["build", "--vllm", "nonsense"])
        .exits(2)
        .says("nonsense");
    assert_eq!(project.snapshot(""), before);
}
