//! Resources for Kubernetes, judged by the operator's own schemas.

use crate::project::{Project, spec};

const FOUND: &str = "scrape_labels: [cluster, team, node, pod]\n  jobs:\n    gateway:\n      kubernetes: {pods: {app: svc}, port: http, labels: {cluster: eu-1}, from: {team: example.com/team}}\n";

/// A service in Kubernetes.
fn project() -> Project {
    let project = Project::empty();
    let spec = spec("svc").replace("scrape_labels: [cluster]\n", FOUND);
    assert!(spec.contains(FOUND), "{spec}");
    project.write("specs/svc.yaml", &spec);
    let toml =
        "[kubernetes]\nnamespace = \"monitoring\"\n[kubernetes.labels]\nrelease = \"stack\"\n";
    project.write("slosmith.toml", toml);
    project
}

fn built(project: &Project) -> String {
    project.run(&["build", "--validate"]).exits(0);
    let files = project.files("generated/svc/prometheus/monitors");
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    project.read(&format!("generated/svc/prometheus/monitors/{file}"))
}

#[test]
fn pods_get_a_monitor_that_adds_the_target_labels() {
    insta::assert_snapshot!(built(&project()));
}

#[test]
fn services_get_a_monitor() {
    let project = project();
    project.edit(
        "specs/svc.yaml",
        "pods: {app: svc}",
        "services: {app: svc}, namespaces: [a, b]",
    );
    insta::assert_snapshot!(built(&project));
}

#[test]
fn other_targets_are_read_from_files() {
    let project = project();
    project.edit("specs/svc.yaml", FOUND, "scrape_labels: [cluster]\n");
    insta::assert_snapshot!(built(&project));
}

#[test]
fn every_resource_carries_what_the_project_and_the_spec_say() {
    let project = project();
    project.edit(
        "specs/svc.yaml",
        "prometheus:\n",
        "kubernetes: {labels: {release: own, team: a}, annotations: {note: \"1\"}}\nprometheus:\n",
    );
    project.run(&["build", "--validate"]).exits(0);
    for file in [
        "prometheus/prometheusrule.yaml",
        "grafana/configmaps/overview.yaml",
    ] {
        let text = project.read(&format!("generated/svc/{file}"));
        for line in [
            "  namespace: monitoring\n",
            "    release: own\n",
            "    team: a\n",
            "    note: \"1\"\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
    project.edit("slosmith.toml", "monitoring", "elsewhere");
    project.run(&["build", "--check"]).exits(1);
}

#[test]
fn what_the_api_server_would_refuse_is_told_at_its_place() {
    for (from, to, at, words) in [
        (
            "cluster: eu-1",
            "clustre: eu-1",
            ":",
            "the target label `cluster` has no source",
        ),
        (
            "pods: {app: svc}",
            "pods: {app: -x}",
            ":",
            "`-x` is not a valid label value",
        ),
        ("pods: {app: svc}", "pods: {}", ":", "an empty selector"),
        (
            "pods: {app: svc}, ",
            "",
            ":",
            "one of `pods` and `services` is required",
        ),
        (
            "pods: {app: svc}",
            "pods: {app: svc}, services: {a: b}",
            ":",
            "`services` cannot be combined",
        ),
        (
            "example.com/team",
            "example.com/te am",
            ":",
            "is not a valid Kubernetes label name",
        ),
        (
            "gateway:\n      kub",
            "gateway:\n      probe: {exporter: \"a:1\", module: m}\n      kub",
            ":",
            "URLs, not pods",
        ),
    ] {
        let project = project();
        project.edit("specs/svc.yaml", from, to);
        let ran = project.run(&["build"]).exits(2).says(words);
        assert!(
            ran.err.contains(&format!("specs/svc.yaml{at}")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_kustomization_names_every_resource_of_the_service() {
    let project = project();
    let operator = "grafana: {provision: [operator]}\nprometheus:\n";
    project.edit("specs/svc.yaml", "prometheus:\n", operator);
    project.run(&["build", "--validate"]).exits(0);
    let built = project.read("generated/svc/kustomization.yaml");
    insta::assert_snapshot!(built);
    for file in project.files("generated/svc") {
        let text = project.read(&format!("generated/svc/{file}"));
        let lines = text.lines();
        let is_resource = ["apiVersion:", "kind:"]
            .iter()
            .all(|field| lines.clone().any(|line| line.starts_with(field)));
        let is_listed = built.contains(&format!("  - {file}\n"));
        assert!(
            !is_resource || is_listed || file == "kustomization.yaml",
            "{file}"
        );
    }

    // It is about several targets: a build of one leaves it as it is, a project without them has none.
    project.run(&["build", "--target", "prometheus"]).exits(0);
    assert_eq!(built, project.read("generated/svc/kustomization.yaml"));
    project.edit(
        "slosmith.toml",
        "[kubernetes]",
        "[build]\ntargets = [\"prometheus\"]\n[kubernetes]",
    );
    project.run(&["build"]).exits(0);
    let built = project.read("generated/svc/kustomization.yaml");
    assert!(built.contains("prometheusrule.yaml") && !built.contains("grafana"));
    project.edit("slosmith.toml", "\"prometheus\"", "\"runbook\"");
    project.run(&["build"]).exits(0);
    let files = project.files("generated/svc");
    assert!(
        !files.contains(&"kustomization.yaml".to_owned()),
        "{files:?}"
    );
}
