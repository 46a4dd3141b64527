//! `slosmith list` and `slosmith diff`: what the specs of a project say, and what a change of them means.

use std::process::Command;

use serde_json::Value;
use slosmith::target::{self, OutFile, Target};

use crate::project::Project;

/// An SLO and an alert with a runbook, in two environments.
const SPEC: &str = r#"apiVersion: slosmith/v1
service: {name: search, owner: find}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
environments:
  prod: {service: {name: "${service.name}"}}
  staging: {severities: {page: info, ticket: info}}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: http_requests_total, job: search}}
slos:
  availability:
    objective: 99.9%
    period: 30d
    sli: {ratio: {bad: {signal: requests, where: {code: {matches: "5.."}}}, total: requests}}
alerts:
  Busy:
    severity: page
    when: {signal: requests, above: 100/s}
    for: 5m
    runbook: busy
  Odd:
    severity: ticket
    when: {signal: requests, above: 500/s}
runbooks:
  busy: {title: Busy, steps: [{id: look, ask: "Is it busy?", cause: Traffic.}]}
"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("specs/search.yaml", SPEC);
    project
}

fn git(project: &Project, args: &[&str]) {
    let who = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgsign=false",
    ];
    let ran = Command::new("git")
        .args(who)
        .args(args)
        .current_dir(project.path(""))
        .output();
    let ran = ran.expect("git");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// Commits all files, in a new repository if it is the first time.
pub(crate) fn commit(project: &Project, first: bool) {
    if first {
        git(project, &["init", "--quiet"]);
    }
    git(project, &["add", "."]);
    git(project, &["commit", "--quiet", "--message", "state"]);
}

#[test]
fn a_list_has_all_slos_and_alerts() {
    let project = project();
    let listed = project.run(&["list"]).exits(0).out;
    for line in [
        "search          find   SLO    availability    critical, warning  99.9% over 30d",
        "search-staging  find   alert  Busy            info               requests > 100/s for 5m",
        "2 services, 2 SLOs, 8 alerts",
        "2 alerts without a runbook",
    ] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    let csv = project.run(&["list", "--format", "csv"]).exits(0).out;
    assert_eq!(csv.lines().count(), 1 + 2 * 5, "{csv}");
    let busy = "\"search\",\"find\",\"alert\",\"Busy\",\"critical\",\"requests > 100/s for 5m\",\"https://git.example/runbooks/busy.md#busy\",\"specs/search.yaml:15\",\"prod\"";
    assert!(csv.lines().any(|line| line == busy), "{csv}");
    let json = project.run(&["list", "--format", "json"]).exits(0).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let mut unknown = Vec::new();
    unknown_fields(&json, &mut unknown);
    assert!(unknown.is_empty(), "{unknown:?}");
    assert_eq!(json[1]["environment"], "staging");
    assert_eq!(
        json[0]["alerts"][0]["query"],
        "sum(rate(http_requests_total{job=\"search\"}[5m])) > 100"
    );
    assert_eq!(json[0]["alerts"][0]["pages"], true);
    assert_eq!(json[1]["alerts"][0]["pages"], false);
    assert_eq!(json[0]["runbooks"][0]["steps"][0], "Is it busy?");
}

/// Fields of services that the reader of a policy takes for mistyped ones.
fn unknown_fields(json: &Value, found: &mut Vec<String>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| unknown_fields(item, found)),
        Value::Object(fields) => {
            for (field, value) in fields {
                if !slosmith::config::FIELDS.contains(&field.as_str()) {
                    found.push(field.clone());
                }
                if field != "labels" {
                    unknown_fields(value, found);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_change_is_told_by_its_meaning() {
    let project = project();
    project.run(&["build"]).exits(0);
    commit(&project, true);
    assert_eq!(project.run(&["diff"]).exits(0).out, "no change\n");
    project.edit("specs/search.yaml", "objective: 99.9%", "objective: 99.95%");
    project.edit("specs/search.yaml", "severity: page", "severity: ticket");
    project.edit(
        "specs/search.yaml",
        "  staging: {severities: {page: info, ticket: info}}\n",
        "  test: {}\n",
    );
    let told = project.run(&["diff"]).exits(0).out;
    let wanted = "\
~ service search
  ~ SLO availability
      objective: 99.9% → 99.95%
  ~ alert Busy
      severity: critical → warning
- service search-staging (1 SLO, 4 alerts)
+ service search-test (1 SLO, 4 alerts)
Pages now: search-test/AvailabilityErrorBudgetBurn, search-test/SLODataLost
No longer pages: search/Busy
4 changes in 3 services
";
    assert_eq!(told, wanted);
    let told = project
        .run(&["diff", "HEAD", "--format", "markdown"])
        .exits(0)
        .out;
    assert!(
        told.contains("- alert `Busy`\n  - severity: `critical` → `warning`\n"),
        "{told}"
    );
    let json = project.run(&["diff", "--format", "json"]).exits(0).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let fields = &json["services"][0]["entries"][0]["fields"];
    assert_eq!(fields["objective"], serde_json::json!(["99.9%", "99.95%"]));
    // The same from a copy in another folder, and from a folder below the repository.
    project.write("old/specs/search.yaml", SPEC);
    assert_eq!(project.run(&["diff", "old"]).exits(0).out, wanted);
    project
        .run(&["diff", "nowhere"])
        .exits(2)
        .says("neither a folder nor a revision");
    commit(&project, false);
    assert_eq!(project.run(&["diff", "HEAD^"]).exits(0).out, wanted);
}

/// What decides whether an alert pages, and whom.
#[test]
fn changes_beside_thresholds_are_told() {
    let project = project();
    project.write("old/specs/search.yaml", SPEC);
    project.edit(
        "specs/search.yaml",
        "    objective: 99.9%\n",
        "    objective: 99.9%\n    min_events: 500\n    labels: {team: x}\n    count_new_series: true\n",
    );
    project.edit(
        "specs/search.yaml",
        "    for: 5m\n",
        "    for: 5m\n    summary: Too busy\n",
    );
    let told = project.run(&["diff", "old"]).exits(0).out;
    for line in [
        "      count new series: false → true",
        "      labels: none → team=x",
        "      min events: 0 → 500",
        "      summary: none → Too busy",
    ] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
}

/// A change of a base is told once, with its places; a renamed service, SLO or alert is compared with what it was.
#[test]
fn equal_changes_are_told_once_and_renames_as_such() {
    let project = Project::empty();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let spec = SPEC.replace("name: search,", &format!("name: {name},"));
        let spec = spec.replace("  staging: {severities: {page: info, ticket: info}}\n", "");
        project.write(&format!("specs/{name}.yaml"), &spec);
        project.write(&format!("old/specs/{name}.yaml"), &spec);
        project.edit(&format!("specs/{name}.yaml"), "period: 30d", "period: 28d");
        project.edit(
            &format!("specs/{name}.yaml"),
            "  Odd:\n    severity: ticket",
            "  Odd:\n    severity: page",
        );
    }
    project.edit("specs/b.yaml", "name: b,", "name: books, renamed_from: b,");
    project.edit(
        "specs/c.yaml",
        "  Busy:\n",
        "  Full:\n    renamed_from: Busy\n",
    );
    let told = project.run(&["diff", "old"]).exits(0).out;
    let wanted = "\
~ a/availability, books/availability, c/availability, d/availability, e/availability and 1 other
    SLO: burn removed: critical: burn rate 14.4 over 1h and 5m
    SLO: burn removed: critical: burn rate 6 over 6h and 30m
    SLO: burn removed: warning: burn rate 3 over 1d and 2h
    SLO: burn added: critical: burn rate 13.44 over 1h and 5m
    SLO: burn added: critical: burn rate 5.6 over 6h and 30m
    SLO: burn added: warning: burn rate 2.8 over 1d and 2h
    SLO: period: 30d → 28d
~ a/Odd, books/Odd, c/Odd, d/Odd, e/Odd and 1 other
    alert: severity: warning → critical
~ service books (was b)
    title: b → books
  ~ dashboard overview
      title: b: overview → books: overview
~ service c
  ~ alert Full (was Busy)
      runbook: https://git.example/runbooks/busy.md#busy → https://git.example/runbooks/busy.md#full
Pages now: a/Odd, books/Odd, c/Full, c/Odd, d/Odd, e/Odd, f/Odd
No longer pages: c/Busy
15 changes in 6 services
";
    assert_eq!(told, wanted);
    let markdown = project
        .run(&["diff", "old", "--format", "markdown"])
        .exits(0)
        .out;
    for wanted in [
        "`a/Odd`, `books/Odd`, `c/Odd`, `d/Odd`, `e/Odd` and 1 other\n- alert: severity: `warning` → `critical`\n\n",
        "service `books`, before: `b`\n- title: `b` → `books`\n",
        "- alert `Full`, before: `Busy`\n",
    ] {
        assert!(markdown.contains(wanted), "{wanted}: {markdown}");
    }
}

#[test]
fn a_moved_host_is_one_change() {
    let project = Project::empty();
    for name in ["a", "b", "c"] {
        let spec = SPEC.replace("name: search,", &format!("name: {name},"));
        let spec = spec.replace("git.example/runbooks", &format!("git.example/{name}"));
        project.write(&format!("old/specs/{name}.yaml"), &spec);
        let moved = spec.replace("https://git.example/", "https://wiki.example/");
        project.write(&format!("specs/{name}.yaml"), &moved);
    }
    let told = project.run(&["diff", "old"]).exits(0).out;
    let wanted = "\
~ a, a-staging, b, b-staging, c and 1 other
    service: runbooks URL: https://git.example/… → https://wiki.example/…
~ a/Busy, a-staging/Busy, b/Busy, b-staging/Busy, c/Busy and 1 other
    alert: runbook: https://git.example/… → https://wiki.example/…
12 changes in 6 services
";
    assert_eq!(told, wanted);
}

/// The configuration is below the repository's root, and reads specs and bases beside it; a second one is a project of its own.
#[test]
fn a_revision_has_the_files_of_the_whole_repository() {
    let project = project();
    let base = "apiVersion: slosmith/v1\nkind: defaults\nservice: {name: base, title: Search}\n";
    project.write("base/all.yaml", base);
    project.edit(
        "specs/search.yaml",
        "service: {name: search,",
        "extends: ../base/all.yaml\nservice: {name: search,",
    );
    project.write("ops/slosmith.toml", "[build]\nspecs = [\"../specs\"]\n");
    project.write("ops/eu.toml", "[build]\nspecs = [\"../eu\"]\n");
    project.write("eu/one.yaml", &SPEC.replace("name: search,", "name: eu,"));
    commit(&project, true);
    for config in ["ops/slosmith.toml", "ops/eu.toml"] {
        let told = project.run(&["diff", "--config", config]).exits(0).out;
        assert_eq!(told, "no change\n", "{config}");
    }
    project.edit("base/all.yaml", "title: Search", "title: Find it");
    let told = project.run_in("ops", &["diff"]).exits(0).out;
    assert!(told.contains("title: Search → Find it"), "{told}");
}

/// A base that teams share is a submodule.
#[test]
fn a_revision_has_the_files_of_its_submodules() {
    let shared = Project::empty();
    shared.write(
        "all.yaml",
        "apiVersion: slosmith/v1\nkind: defaults\nservice: {name: base, title: Search}\n",
    );
    commit(&shared, true);
    let project = project();
    project.edit(
        "specs/search.yaml",
        "service: {name: search,",
        "extends: ../vendor/shared/all.yaml\nservice: {name: search,",
    );
    commit(&project, true);
    let from = shared.path("");
    let from = from.to_string_lossy();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "--quiet",
        &from,
        "vendor/shared",
    ];
    git(&project, &add);
    commit(&project, false);
    assert_eq!(project.run(&["diff"]).exits(0).out, "no change\n");
}

#[test]
fn a_base_with_errors_is_told() {
    let project = project();
    project.write(
        "old/specs/search.yaml",
        "apiVersion: slosmith/v1\nservice: {nam: x}\n",
    );
    let ran = project.run(&["diff", "old"]).exits(2);
    ran.says("old/specs/search.yaml:2:11");
}

/// A checkout of some specs removes nothing of the others.
#[test]
fn many_services_are_removed_only_when_asked() {
    let project = Project::empty();
    for name in ["a", "b", "c"] {
        let spec = SPEC.replace("name: search,", &format!("name: {name},"));
        project.write(&format!("specs/{name}.yaml"), &spec);
    }
    project.run(&["build"]).exits(0);
    project.remove("specs/a.yaml");
    let before = project.snapshot("");
    project
        .run(&["build"])
        .exits(2)
        .says("2 of 6 services have no spec any more: a, a-staging");
    assert_eq!(project.snapshot(""), before);
    let told = project.run(&["build", "--check", "--summary"]).exits(1);
    assert_eq!(
        told.out,
        "generated/a: to remove (no longer in any spec)\ngenerated/a-staging: to remove (no longer in any spec)\n"
    );
    project.run(&["build", "--prune"]).exits(0);
    assert!(!project.has("generated/a") && project.has("generated/b"));
}

/// One Alertmanager file for a project: rules that differ in the service alone stand once, and each owner's severities have a route.
#[test]
fn services_share_one_alertmanager_file() {
    let project = Project::empty();
    let spec = |name: &str, owner: &str| {
        let own = if owner.is_empty() {
            String::new()
        } else {
            format!(", owner: {owner}")
        };
        format!(
            "apiVersion: slosmith/v1
service: {{name: {name}{own}}}
links: {{runbooks: \"https://r.example\", grafana: \"https://g.example\"}}
prometheus: {{selector: {{job: {name}}}, group_by: [cluster], scrape_labels: [cluster], external_labels: [region]}}
signals:
  all: {{kind: counter, unit: requests, prometheus: {{metric: all_total}}}}
  bad: {{kind: counter, unit: requests, prometheus: {{metric: bad_total}}}}
slos:
  availability: {{objective: 99%, period: 30d, sli: {{ratio: {{bad: bad, total: all}}}}}}
"
        )
    };
    for (name, owner) in [
        ("shop", "web"),
        ("pay", "money"),
        ("search", "web"),
        ("free", ""),
    ] {
        project.write(&format!("specs/{name}.yaml"), &spec(name, owner));
    }
    let listed = project
        .run(&["list", "--format", "alertmanager"])
        .exits(0)
        .out;
    insta::assert_snapshot!(listed);
}

/// One component per service, with its links.
#[test]
fn services_are_components_of_backstage() {
    let listed = project()
        .run(&["list", "--format", "backstage"])
        .exits(0)
        .out;
    insta::assert_snapshot!(listed);
}

/// One dashboard for all services: it fits Grafana's schema, and each query in it is sound. It is the same without them.
#[test]
fn services_have_one_dashboard() {
    let project = project();
    let list = ["list", "--format", "grafana"];
    let text = project.run(&list).exits(0).out;
    let file = OutFile {
        path: "grafana/dashboards/services.json".to_owned(),
        text: text.clone(),
    };
    target::validate(Target::Grafana, &[file]).expect("fits the schema");
    project.write("boards/services.json", &text);
    let lint = project.run(&["lint", "boards"]);
    lint.exits(0).says("No findings");
}
