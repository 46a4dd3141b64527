//! Specs that extend others: one base for several environments.

use crate::project::Project;

const FILES: [(&str, &str); 5] = [
    (
        "base.yaml",
        include_str!("../../fixtures/extends/base.yaml"),
    ),
    (
        "organisation.yaml",
        include_str!("../../fixtures/extends/organisation.yaml"),
    ),
    ("dev.yaml", include_str!("../../fixtures/extends/dev.yaml")),
    (
        "stage.yaml",
        include_str!("../../fixtures/extends/stage.yaml"),
    ),
    (
        "prod.yaml",
        include_str!("../../fixtures/extends/prod.yaml"),
    ),
];

fn environments() -> Project {
    let project = Project::empty();
    for (name, text) in FILES {
        project.write(&format!("specs/{name}"), text);
    }
    project
}

#[test]
fn one_base_makes_three_services() {
    let project = environments();
    project.run(&["build"]).exits(0);
    let alerts =
        |service: &str| project.read(&format!("generated/{service}/prometheus/rules/alerts.yaml"));
    assert!(!project.has("generated/chat"), "the base is not built");
    let dev = alerts("chat-dev");
    assert!(dev.contains("> 50") && !dev.contains("CacheFull"), "{dev}");
    let prod = alerts("chat-prod");
    assert!(
        prod.contains("> 80") && prod.contains("CacheFull"),
        "{prod}"
    );
    assert!(prod.contains("severity: critical") && prod.contains("owner: inference"));
    let slo = |service: &str| {
        project.read(&format!(
            "generated/{service}/prometheus/rules/slo-availability.yaml"
        ))
    };
    assert!(!slo("chat-dev").contains("alert:"));
    assert!(slo("chat-stage").contains("0.99\n") || slo("chat-stage").contains("0.99"));
    assert!(slo("chat-prod").contains("0.999"));
}

#[test]
fn a_change_of_one_place_rebuilds_what_depends_on_it() {
    let project = environments();
    project.run(&["build"]).exits(0);
    let before = project.snapshot("generated");
    project.run(&["build"]).exits(0).says("up to date");
    assert_eq!(project.snapshot("generated"), before);
    project.edit("specs/base.yaml", "above: 50", "above: 60");
    project.run(&["build"]).exits(0);
    for (service, bound) in [
        ("chat-dev", "> 60"),
        ("chat-stage", "> 60"),
        ("chat-prod", "> 80"),
    ] {
        let rules = project.read(&format!("generated/{service}/prometheus/rules/alerts.yaml"));
        assert!(rules.contains(bound), "{service}: {rules}");
    }
    let before = project.snapshot("generated/chat-dev");
    project.edit("specs/prod.yaml", "above: 80", "above: 90");
    project.run(&["build"]).exits(0);
    assert_eq!(project.snapshot("generated/chat-dev"), before);
    project.edit("specs/organisation.yaml", "git.example", "wiki.example");
    project.run(&["build", "--check"]).exits(1);
}

#[test]
fn a_mistake_is_told_where_it_was_made() {
    let project = environments();
    project.edit("specs/base.yaml", "above: 50", "above: 50s");
    project.edit("specs/prod.yaml", "99.9%", "999%");
    let ran = project.run(&["build"]).exits(2);
    assert!(ran.err.contains("specs/base.yaml:24:50"), "{}", ran.err);
    assert!(ran.err.contains("specs/prod.yaml:5:29"), "{}", ran.err);
    assert!(
        ran.err.contains("3 errors") || ran.err.contains("2 errors"),
        "{}",
        ran.err
    );
    let ran = project.run(&["lint", "specs"]).exits(1);
    assert!(ran.out.contains("specs/base.yaml:24:50"), "{}", ran.out);
    assert!(!ran.out.contains("missing-field"), "{}", ran.out);
}

#[test]
fn the_linter_puts_specs_together_too() {
    let project = environments();
    project.run(&["lint", "specs"]).exits(0);
    project.run(&["lint", "specs/prod.yaml"]).exits(0);
}

#[test]
fn what_cannot_be_extended_is_told() {
    for (name, extends, words) in [
        (
            "missing",
            "nowhere.yaml",
            "file `specs/nowhere.yaml` does not exist",
        ),
        (
            "outside",
            "../../outside.yaml",
            "file `../outside.yaml` does not exist",
        ),
        (
            "absolute",
            "/etc/hostname",
            "`extends` must be a relative path",
        ),
        ("itself", "dev.yaml", "a file extends itself"),
        ("map", "{a: b}", "expected a path, or a list of paths"),
    ] {
        let project = environments();
        project.edit(
            "specs/dev.yaml",
            "extends: base.yaml",
            &format!("extends: {extends}"),
        );
        let ran = project.run(&["build"]).exits(2).says(words);
        assert!(!ran.err.contains("panicked"), "{name}");
        assert!(ran.err.contains("specs/dev.yaml:2:"), "{name}: {}", ran.err);
    }
    let project = environments();
    project.write("slosmith.toml", "");
    project.write(
        "specs/inner/dev.yaml",
        "apiVersion: slosmith/v1\nextends: ../../base.yaml\n",
    );
    project.write("base.yaml", FILES[0].1);
    project.write("specs/inner/slosmith.toml", "");
    project
        .run(&["build"])
        .exits(2)
        .says("is outside the project");
}

/// The environments of all specs are in a base; a spec adds what differs there, and removes one.
#[test]
fn one_spec_makes_a_service_in_each_environment() {
    let project = environments();
    for file in ["stage", "prod", "dev"] {
        project.remove(&format!("specs/{file}.yaml"));
    }
    project.edit(
        "specs/base.yaml",
        "kind: defaults",
        "kind: defaults\nvars: {cluster: eu}\nenvironments:\n  prod: {service: {name: \"${service.name}\"}}\n  test: {}\n  \
         staging: {severities: {page: warning}, prometheus: {selector: {job: vllm-staging}}}",
    );
    let spec = "apiVersion: slosmith/v1\nextends: base.yaml\nservice: {name: bot}\n\
        environments:\n  test: ~\n  staging: {alerts: {QueueLong: {when: {above: 7}}, CacheFull: ~}}\n\
        links: {runbooks: \"https://${vars.cluster}.example/${service.name}/${service.environment}\", grafana: https://grafana.example}\n";
    project.write("specs/bot.yaml", spec);
    project.run(&["build"]).exits(0).says("2 services in");
    assert!(!project.has("generated/bot-test"));
    let alerts =
        |service: &str| project.read(&format!("generated/{service}/prometheus/rules/alerts.yaml"));
    let prod = alerts("bot");
    assert!(
        prod.contains("> 50") && prod.contains("CacheFull"),
        "{prod}"
    );
    assert!(
        prod.contains("https://eu.example/bot/prod/README.md"),
        "{prod}"
    );
    let staging = alerts("bot-staging");
    assert!(
        staging.contains("> 7") && !staging.contains("CacheFull"),
        "{staging}"
    );
    assert!(staging.contains("job=\"vllm-staging\""), "{staging}");
    assert!(!staging.contains("severity: critical"), "{staging}");
    project.run(&["build", "--check"]).exits(0);
    project.run(&["lint", "specs"]).exits(0);
    // A mistake in one environment is at its place, one in the spec is told once.
    project.edit("specs/bot.yaml", "above: 7", "abov: 7");
    project.edit(
        "specs/bot.yaml",
        "service: {name: bot}",
        "service: {name: bot, ownr: x}",
    );
    let ran = project.run(&["build"]).exits(2).says("2 errors");
    assert!(ran.err.contains("specs/bot.yaml:6:41"), "{}", ran.err);
    let ran = project.run(&["lint", "specs"]).exits(1);
    assert!(ran.out.contains("specs/bot.yaml:6:41"), "{}", ran.out);
    // An environment less is a service less.
    project.write(
        "specs/bot.yaml",
        &spec.replace("test: ~", "staging: ~\n  test: ~").replace(
            "\n  staging: {alerts: {QueueLong: {when: {above: 7}}, CacheFull: ~}}",
            "",
        ),
    );
    project.run(&["build"]).exits(0).says("removed");
    assert!(!project.has("generated/bot-staging"));
}

/// A spec changes and removes what an environment of an extended file sets, and what the whole spec sets.
#[test]
fn an_environment_is_put_together_from_several_files() {
    let project = environments();
    project.edit(
        "specs/base.yaml",
        "kind: defaults",
        "kind: defaults\nenvironments:\n  prod: {service: {name: chat}}\n  \
         staging: {alerts: {QueueLong: {when: {above: 20}}, CacheFull: {for: 20m}}}",
    );
    for file in ["stage", "dev"] {
        project.remove(&format!("specs/{file}.yaml"));
    }
    let spec = "apiVersion: slosmith/v1\nextends: base.yaml\nservice: {name: chat}\n\
        links: {runbooks: https://r.example, grafana: https://grafana.example}\n\
        environments: {staging: {alerts: {QueueLong: ~, CacheFull: {for: 30m}}}}\n";
    project.write("specs/prod.yaml", spec);
    project.run(&["build"]).exits(0).says("2 services in");
    let alerts =
        |service: &str| project.read(&format!("generated/{service}/prometheus/rules/alerts.yaml"));
    assert!(alerts("chat").contains("QueueLong"), "it keeps its name");
    let staging = alerts("chat-staging");
    assert!(
        !staging.contains("QueueLong") && staging.contains("for: 30m"),
        "{staging}"
    );
    // What is wrong in one environment alone says so: its place may be right in others.
    project.edit(
        "specs/prod.yaml",
        "CacheFull: {for: 30m}",
        "CacheFull: {when: {above: 200%}}",
    );
    let told = project.run(&["build"]).exits(2);
    told.says("only in the environment `staging`");
    let told = project.run(&["lint", "specs"]).exits(1);
    assert!(
        told.out.contains("only in the environment `staging`"),
        "{}",
        told.out
    );
}

#[test]
fn a_removal_of_nothing_is_told() {
    let project = environments();
    project.edit("specs/dev.yaml", "CacheFull: ~", "CacheFul: ~");
    let ran = project.run(&["build"]).exits(2).says("`~` removes nothing");
    assert!(ran.err.contains("specs/dev.yaml:5:10"), "{}", ran.err);
}

#[test]
#[ignore = "ci"]
fn twenty_services_share_a_base() {
    services_share_a_base(20);
}

#[test]
#[ignore = "ci"]
fn two_hundred_services_share_a_base() {
    services_share_a_base(200);
}

/// A tenth of them extends `prod`.
fn services_share_a_base(count: usize) {
    let project = environments();
    for i in 0..count {
        let base = if i < count / 10 { "prod" } else { "base" };
        let links = "links: {runbooks: https://git.example/r, grafana: https://grafana.example}\n";
        let text = format!(
            "apiVersion: slosmith/v1\nextends: {base}.yaml\nservice: {{name: svc-{i}}}\n{links}"
        );
        project.write(&format!("specs/svc-{i}.yaml"), &text);
    }
    let build = ["build", "--target", "prometheus", "--no-tests"];
    let (all, prod) = (count + 3, count / 10 + 1);
    let first = project.run(&build).exits(0);
    first.says(&format!("{all} services in"));
    let changed = |project: &Project, services: String| {
        let ran = project.run(&build).exits(0);
        assert!(ran.err.contains(&services), "{}", ran.err);
        assert!(ran.err.lines().count() < 16, "{}", ran.err);
    };
    changed(&project, format!("{all} services up to date"));
    project.edit("specs/svc-7.yaml", "git.example", "wiki.example");
    changed(&project, "1 service written".to_owned());
    project.edit("specs/prod.yaml", "above: 80", "above: 90");
    changed(&project, format!("{prod} services written"));
    project.edit("specs/base.yaml", "above: 50", "above: 60");
    changed(&project, format!("{} services written", all - prod));
}

/// Signals of a service that has one name for its job everywhere, and selectors of each environment.
const SHOP: [&str; 2] = [
    "apiVersion: slosmith/v1
kind: defaults
links: {runbooks: \"https://wiki.example/${service.name}\", grafana: https://grafana.example}
environments:
  prod: {prometheus: {jobs: {\"${service.base_name}\": {selector: {env: prod}}}}}
  staging: {prometheus: {jobs: {\"${service.base_name}\": {selector: {env: staging}}}}}
",
    "apiVersion: slosmith/v1
extends: ../defaults/base.yaml
service: {name: shop}
signals:
  queue: {kind: gauge, unit: requests, across: max, prometheus: {metric: queue_length, job: \"${service.base_name}\"}}
alerts: {QueueLong: {severity: page, when: {signal: queue, above: 9}}}
",
];

fn shop() -> Project {
    let project = Project::empty();
    project.write(
        "slosmith.toml",
        "[build]\nspecs = [\"specs\"]\ntargets = [\"prometheus\"]\n",
    );
    project.write("defaults/base.yaml", SHOP[0]);
    project.write("specs/shop.yaml", SHOP[1]);
    project
}

#[test]
fn a_job_has_one_name_in_all_environments() {
    let project = shop();
    project.run(&["build"]).exits(0).says("2 services in");
    for environment in ["prod", "staging"] {
        let rules = format!("generated/shop-{environment}/prometheus/rules/alerts.yaml");
        let rules = project.read(&rules);
        let selected = format!("queue_length{{env=\"{environment}\", job=\"shop\"}}");
        assert!(rules.contains(&selected), "{rules}");
    }
    // Without any, it is one service again.
    project.edit("specs/shop.yaml", "alerts:", "environments: ~\nalerts:");
    project.edit("defaults/base.yaml", "/${service.name}", "");
    project
        .run(&["build", "--prune"])
        .exits(0)
        .says("1 service in");
    assert!(project.has("generated/shop") && !project.has("generated/shop-prod"));
}

#[test]
fn a_mistyped_environment_is_told() {
    let project = shop();
    for (name, meant) in [("prd", Some("prod")), ("prod2", None), ("test", None)] {
        project.write(
            "specs/shop.yaml",
            &format!("{}environments: {{{name}: {{}}}}\n", SHOP[1]),
        );
        let ran = project.run(&["build"]).exits(0);
        match meant {
            None => assert!(!ran.err.contains("warning"), "{}", ran.err),
            Some(meant) => {
                ran.says("no extended file has the environment `prd`")
                    .says(&format!("did you mean `{meant}`?"));
            }
        }
    }
}

#[test]
fn the_history_of_a_service_goes_to_one_other() {
    let project = shop();
    project.run(&["build"]).exits(0);
    // A rename of all environments is no loss.
    project.edit(
        "specs/shop.yaml",
        "{name: shop}",
        "{name: store, renamed_from: shop}",
    );
    project.run(&["build"]).exits(0).says("removed");
    let other = SHOP[1].replace("{name: shop}", "{name: market, renamed_from: shop}");
    project.write("specs/z.yaml", &other);
    for _ in 0..2 {
        project
            .run(&["build"])
            .exits(2)
            .says("`market-prod` cannot be renamed from `shop-prod`: `store-prod` is renamed from it, too");
    }
    project.write("specs/z.yaml", SHOP[1]);
    project.run(&["build"]).exits(2).says(
        "`store-prod` cannot be renamed from `shop-prod`: a spec still has the service `shop-prod`",
    );
    project.remove("specs/z.yaml");
    project.run(&["build", "--check"]).exits(0);
}
