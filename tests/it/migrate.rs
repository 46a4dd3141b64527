//! `slosmith migrate`: what it rewrites, and what it leaves alone.

use crate::project::Project;

const OLD: &str = "# Shop, for all regions.
apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus:
  labels:  # of the scrape
    target: [cluster]
    external: [replica]
signals:
  requests: {kind: counter, unit: requests, labels: [status], prometheus: {metric: shop_requests_total}}
  failed: {use: requests, where: {status: {matches: \"5..\"}}}
slos:
  availability:
    objective: 99.9%   # agreed in May
    window: 30d
    sli: {ratio: {bad: failed, total: requests}}
    burn:
      # Pages only.
      tiers:
        - {consumes: 2%, in: 1h}
";

const NEW: &str = "# Shop, for all regions.
apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus:
  # of the scrape
  scrape_labels: [cluster]
  external_labels: [replica]
signals:
  requests: {kind: counter, unit: requests, has_labels: [status], prometheus: {metric: shop_requests_total}}
  failed: {use: requests, where: {status: {matches: \"5..\"}}}
slos:
  availability:
    objective: 99.9%   # agreed in May
    period: 30d
    sli: {ratio: {bad: failed, total: requests}}
    burn:
      # Pages only.
        - {consumes: 2%, long: 1h}
";

#[test]
fn old_specs_build_after_it() {
    let project = Project::empty();
    project.write("specs/shop.yaml", OLD);
    project.write(
        "specs/base.yaml",
        "apiVersion: slosmith/v1\nkind: defaults\nslos: {availability: {window: 28d}}\n",
    );
    // Not a spec: the same words mean something else.
    let rules = "slos: {a: {window: 30d}}\n";
    project.write("rules/other.yaml", rules);
    project
        .run(&["build"])
        .exits(2)
        .says("`window` is now `period`")
        .says("slosmith migrate");
    project
        .run(&["migrate", "--check"])
        .exits(1)
        .says("7 errors");
    let shown = project.run(&["migrate", "--diff"]).exits(0);
    assert!(shown.out.contains("+    period: 30d\n"), "{}", shown.out);
    assert_eq!(project.read("specs/shop.yaml"), OLD);
    project
        .run(&["migrate"])
        .exits(0)
        .says("7 fields rewritten");
    assert_eq!(project.read("specs/shop.yaml"), NEW);
    assert!(project.read("specs/base.yaml").contains("period: 28d"));
    assert_eq!(project.read("rules/other.yaml"), rules);
    project.run(&["build"]).exits(0);
    project.run(&["migrate", "--check"]).exits(0);
    project
        .run(&["migrate"])
        .exits(0)
        .says("0 fields rewritten");
}

#[test]
fn line_ends_stay_as_they_are() {
    let project = Project::empty();
    let old = OLD.replace('\n', "\r\n");
    project.write(
        "shop.yaml",
        &old.replace(
            "  # of the scrape\r\n    target: [cluster]\r\n    external: [replica]",
            " {target: [cluster], external: [replica]}",
        ),
    );
    project.run(&["migrate", "shop.yaml"]).exits(0);
    let new = NEW.replace("  # of the scrape\n", "").replace('\n', "\r\n");
    assert_eq!(project.read("shop.yaml"), new);
}

#[test]
fn what_cannot_be_rewritten_is_told() {
    let project = Project::empty();
    let both = NEW.replace("    period: 30d\n", "    period: 30d\n    window: 30d\n");
    project.write("specs/shop.yaml", &both);
    project
        .run(&["migrate"])
        .exits(1)
        .says("`window` is now `period`")
        .says("0 fields rewritten");
    assert_eq!(project.read("specs/shop.yaml"), both);
}

/// A broken file is told, and the others are rewritten; a link is no second file.
#[test]
#[cfg(unix)]
fn one_file_stops_no_other() {
    let project = Project::empty();
    project.write("specs/shop.yaml", OLD);
    project.write("specs/broken.yaml", "apiVersion: slosmith/v1\nslos: [\n");
    std::os::unix::fs::symlink("shop.yaml", project.path("specs/again.yaml")).expect("a link");
    let told = project.run(&["migrate", "--check"]).exits(1);
    assert_eq!(told.err.matches("`window` is now").count(), 1);
    project
        .run(&["migrate"])
        .exits(1)
        .says("broken.yaml:2:7")
        .says("6 fields rewritten; 1 error");
    assert_eq!(project.read("specs/shop.yaml"), NEW);
}

#[test]
fn hidden_meanings_are_written_and_told() {
    let project = Project::empty();
    let old = NEW.replace(
        "  failed:",
        "  up: {kind: gauge, unit: bool, prometheus: {metric: up}}   # probes
  depth:
    kind: gauge   # of the queue
    unit: requests
    prometheus: {metric: depth}
    where: {status: 5xx}
    has_labels: [status]
  failed:",
    ) + "alerts:
  Down: {severity: warning, when: {signal: up, window: 5m, below: 1}}
  Deep:
    severity: warning
    when:
      signal: depth
      window: 5m
      above: 10
";
    project.write("specs/shop.yaml", &old);
    project.run(&["migrate", "--check"]).exits(1);
    let ran = project
        .run(&["migrate"])
        .exits(0)
        .says("5 fields rewritten");
    let warned = ran.err.matches("warning: specs/shop.yaml:").count();
    assert_eq!(warned, 5, "{}", ran.err);
    let new = project.read("specs/shop.yaml");
    for line in [
        "  up: {kind: gauge, across: min, unit: bool, prometheus: {metric: up}}   # probes\n",
        "    kind: gauge   # of the queue\n    across: sum\n    unit: requests\n",
        "    where: {status: {matches: \"5..\"}}\n",
        "when: {signal: up, below: 1}}\n",
        "    when:\n      signal: depth\n      above: 10\n",
    ] {
        assert!(new.contains(line), "no {line} in {new}");
    }
    project.run(&["build"]).exits(0);
}
