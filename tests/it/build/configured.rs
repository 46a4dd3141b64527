//! `slosmith.toml` says what is built.

use std::collections::BTreeSet;

use crate::project::{Project, spec};

/// A project whose specs are in two nested folders, with a base in a third.
fn project() -> Project {
    let project = Project::empty();
    let toml = r#"
[build]
specs = ["teams/*/slo", "platform"]
defaults = ["platform/defaults"]
out = "out/generated"
targets = ["prometheus", "grafana"]
"#;
    project.write("slosmith.toml", toml);
    project.write("teams/a/slo/deep/one.yaml", &spec("one"));
    project.write("teams/b/slo/two.yaml", &spec("two"));
    project.write("teams/b/chart/values.yaml", "replicas: 2\n");
    let base = spec("x").replace("service: {name: x, ", "service: {");
    project.write("platform/defaults/base.yaml", &base);
    let three = "apiVersion: slosmith/v1\nextends: ../defaults/base.yaml\nservice: {name: three}\n";
    project.write("platform/live/three.yaml", three);
    project
}

#[test]
fn specs_of_nested_folders_are_built() {
    let project = project();
    project.run(&["build"]).exits(0).says("3 services");
    for service in ["one", "two", "three"] {
        let folder = format!("out/generated/{service}");
        assert!(project.has(&format!("{folder}/prometheus")), "{service}");
        assert!(!project.has(&format!("{folder}/runbooks")), "{service}");
    }
    project.run(&["lint", "platform"]).exits(0);
}

/// Each file is there for one form, or for both; what the other form alone needs is removed.
#[test]
fn one_form_of_rules_and_dashboards_is_written() {
    let project = project();
    project.run(&["build"]).exits(0);
    let folder = "out/generated/one";
    let both = project.snapshot(folder);
    let mut forms = Vec::new();
    for form in ["files", "kubernetes"] {
        let line = format!("targets = [\"prometheus\", \"grafana\"]\nformats = [\"{form}\"]");
        let toml = project.read("slosmith.toml");
        let lines = toml.lines().filter(|line| !line.starts_with("formats"));
        let lines = lines.map(|old| match old.starts_with("targets") {
            true => line.clone(),
            false => old.to_owned(),
        });
        project.write(
            "slosmith.toml",
            &(lines.collect::<Vec<_>>().join("\n") + "\n"),
        );
        project.run(&["build"]).exits(0);
        project.run(&["build", "--check"]).exits(0);
        let built = project.snapshot(folder);
        forms.push(built.keys().cloned().collect::<BTreeSet<_>>());
    }
    let all: BTreeSet<_> = both.keys().cloned().collect();
    assert_eq!(&forms[0] | &forms[1], all);
    let has = |form: usize, path: &str| forms[form].iter().any(|file| file.ends_with(path));
    for path in ["prometheus/scrape.yaml", "dashboards/overview.json"] {
        assert!(has(0, path) && !has(1, path), "{path}");
    }
    for path in [
        "prometheusrule.yaml",
        "configmaps/overview.yaml",
        "kustomization.yaml",
    ] {
        assert!(has(1, path) && !has(0, path), "{path}");
    }
    assert!(has(0, "rules/alerts.yaml") && has(1, "rules/alerts.yaml"));
    project.edit("slosmith.toml", "\"kubernetes\"", "\"kubernets\"");
    let ran = project.run(&["build"]).exits(2);
    ran.says("unknown format `kubernets`")
        .says("did you mean `kubernetes`?");
}

#[test]
fn a_build_in_a_subfolder_finds_the_project() {
    let project = project();
    project.run(&["build"]).exits(0);
    let before = project.snapshot("out");
    let ran = project
        .run_in("teams/a/slo", &["build", "--check"])
        .exits(0);
    assert!(
        ran.err.contains("../../../out/generated/one"),
        "{}",
        ran.err
    );
    project.edit("teams/b/slo/two.yaml", "kind: counter", "kind: countre");
    let ran = project.run_in("teams/a", &["build"]).exits(2);
    assert!(
        ran.err.contains("../../teams/b/slo/two.yaml:"),
        "{}",
        ran.err
    );
    assert_eq!(project.snapshot("out"), before);
}

#[test]
fn the_command_line_goes_before_the_file() {
    let project = project();
    let args = ["build", "--out", "elsewhere", "--target", "runbook"];
    project.run(&args).exits(0);
    assert!(project.has("elsewhere/one/runbooks") && !project.has("elsewhere/one/prometheus"));
    assert!(!project.has("out"));
    project
        .run(&["build", "teams/a"])
        .exits(0)
        .says("1 service");
    assert!(project.has("out/generated/one") && !project.has("out/generated/two"));
}

#[test]
fn one_of_several_folders_leaves_other_services_alone() {
    let project = project();
    project.run(&["build"]).exits(0);
    project.run(&["build", "teams"]).exits(2);
    project.run(&["build", "platform"]).exits(0);
    assert!(project.has("out/generated/one"));
    project.remove("teams/b/slo/two.yaml");
    project.run(&["build"]).exits(0).says("two: removed");
    assert!(!project.has("out/generated/two"));
}

#[test]
fn a_target_that_is_no_more_wanted_goes() {
    let project = project();
    project.run(&["build"]).exits(0);
    project.edit("slosmith.toml", ", \"grafana\"", "");
    project.run(&["build"]).exits(0);
    assert!(!project.has("out/generated/one/grafana"));
    assert!(project.has("out/generated/one/prometheus"));
}

#[test]
fn what_is_wrong_in_the_file_is_told_at_its_place() {
    for (from, to, words) in [
        ("\"platform\"]\n", "\"plattform\"]\n", "slosmith.toml:3:25"),
        ("\"grafana\"", "\"grafna\"", "did you mean `grafana`?"),
        (
            "platform/defaults\"]",
            "defaults\"]",
            "the folder `defaults` does not exist",
        ),
        ("targets", "target", "did you mean `targets`?"),
        ("out = \"out/generated\"", "out = 1", "slosmith.toml:5:7"),
        (
            "[build]",
            "[kubernetes]\nnamespace = \"A\"\n[build]",
            "`A` is not a valid namespace",
        ),
        (
            "[build]",
            "[kubernetes.labels]\n\"a b\" = \"c\"\n[build]",
            "slosmith.toml:3:1",
        ),
        (
            "[build]",
            "[[output]]\ntemplate = \"x\"\npath = \"../y\"\n[build]",
            "slosmith.toml:4:8",
        ),
        (
            "[build]",
            "[[output]]\ntemplate = \"x\"\npath = \"y\"\n[build]",
            "the file `x` does not exist",
        ),
    ] {
        let project = project();
        project.edit("slosmith.toml", from, to);
        project.run(&["build"]).exits(2).says(words);
        assert!(!project.has("out"), "{to}");
    }
}

/// The first number of services that is summed up.
#[test]
fn many_services_are_one_screen() {
    services_are_one_screen(21);
}

#[test]
#[ignore = "ci"]
fn sixty_services_are_one_screen() {
    services_are_one_screen(60);
}

fn services_are_one_screen(count: usize) {
    let project = Project::empty();
    for i in 0..count {
        project.write(&format!("specs/s{i}.yaml"), &spec(&format!("s{i}")));
    }
    let build = ["build", "--target", "prometheus"];
    let ran = project.run(&build).exits(0);
    let ran = ran.says(&format!("{count} services written"));
    assert!(ran.err.lines().count() < 15, "{}", ran.err);
    project.edit("specs/s7.yaml", "for: 5m", "for: 6m");
    let ran = project.run(&build).exits(0).says("1 service written");
    let rest = format!("{} services up to date", count - 1);
    assert!(ran.err.contains(&rest), "{}", ran.err);
    let ran = project.run(&["build", "-v", "--check"]).exits(1);
    assert!(ran.err.lines().count() > count, "{}", ran.err);
}
