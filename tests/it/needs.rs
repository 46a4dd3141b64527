//! Nothing is required that is not used.

use crate::project::{Project, spec};

#[test]
fn links_are_needed_where_something_leads_there() {
    let project = Project::empty();
    let links =
        "links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}\n";
    let whole = spec("svc");
    assert!(whole.contains(links), "{whole}");
    let without = |part: &str| whole.replace(links, part);
    project.write("specs/svc.yaml", &without(""));
    project
        .run(&["build"])
        .exits(2)
        .says("needs `links.runbooks`");
    project.write(
        "specs/svc.yaml",
        &without("links: {runbooks: https://git.example/runbooks}\n"),
    );
    project
        .run(&["build"])
        .exits(0)
        .says("alerts do not link to dashboards");
    let rules = project.read("generated/svc/prometheus/rules/alerts.yaml");
    assert!(
        rules.contains("runbook_url: https://git.example/runbooks"),
        "{rules}"
    );
    assert!(!rules.contains("dashboard_url"), "{rules}");
    let page = project.read("generated/svc/runbooks/README.md");
    assert!(
        !page.contains("](/d/") && !page.contains("](/explore"),
        "{page}"
    );
}

#[test]
fn a_dashboard_that_is_not_built_has_no_links() {
    let project = Project::empty();
    project.write("specs/svc.yaml", &spec("svc"));
    let rules = |targets: &str| {
        project.write(
            "slosmith.toml",
            &format!("[build]\ntargets = [{targets}]\n"),
        );
        project.run(&["build"]).exits(0);
        project.read("generated/svc/prometheus/rules/alerts.yaml")
    };
    assert!(rules("\"prometheus\", \"grafana\"").contains("dashboard_url"));
    let without = rules("\"prometheus\"");
    assert!(!without.contains("dashboard_url"), "{without}");
}

/// A load balancer and a function, whose metrics AWS publishes.
const ORDERS: &str = "apiVersion: slosmith/v1
service: {name: orders, owner: orders}
links: {runbooks: https://wiki.example/orders}
cloudwatch:
  region: eu-west-1
  namespace: Orders
  actions: {critical: [\"arn:aws:sns:eu-west-1:123456789012:page\"], warning: [\"arn:aws:sns:eu-west-1:123456789012:ticket\"]}
signals:
  requests: {kind: counter, unit: requests, cloudwatch: {namespace: AWS/ApplicationELB, metric: RequestCount, dimensions: {LoadBalancer: app/o/1}}}
  errors: {kind: counter, unit: requests, cloudwatch: {namespace: AWS/ApplicationELB, metric: HTTPCode_Target_5XX_Count, dimensions: {LoadBalancer: app/o/1}}}
  latency: {kind: histogram, unit: seconds, cloudwatch: {namespace: AWS/ApplicationELB, metric: TargetResponseTime, dimensions: {LoadBalancer: app/o/1}}}
  throttles: {kind: counter, unit: count, cloudwatch: {namespace: AWS/Lambda, metric: Throttles, dimensions: {FunctionName: orders}}}
slos:
  availability: {objective: 99.9%, period: 30d, sli: {ratio: {bad: errors, total: requests}}}
  latency: {objective: 99%, period: 30d, sli: {latency: {signal: latency, at_most: 1s}}}
alerts:
  Throttled: {severity: warning, when: {signal: throttles, stat: increase, window: 5m, above: 0}, runbook: lost}
runbooks:
  lost: {title: Throttled, steps: [{when: {signal: throttles, stat: increase, window: 5m, above: 10}, cause: Too many calls.}]}
dashboards:
  main: {rows: [{title: All, panels: [{signal: requests}, {signal: latency, stat: p95}]}]}
";

#[test]
fn cloudwatch_alone_is_enough() {
    let project = Project::empty();
    project.write("specs/orders.yaml", ORDERS);
    let ran = project.run(&["build", "--validate"]).exits(0);
    assert!(!ran.err.contains("dashboards"), "{}", ran.err);
    let files = project.snapshot("generated/orders");
    let names: Vec<_> = files
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    let told = |part: &str| names.iter().any(|name| name.contains(part));
    assert!(
        told("cloudwatch/alarms.json") && told("runbooks/lost.md"),
        "{names:?}"
    );
    assert!(
        !told("prometheus/") && !told("grafana/") && !told("emitter/"),
        "{names:?}"
    );
    for (path, entry) in &files {
        let text = String::from_utf8_lossy(&entry.bytes);
        assert!(
            !text.contains("cloudwatch:") && !text.contains("slo:error_ratio"),
            "{}: {text}",
            path.display()
        );
    }
    let parity = project.read("generated/orders/parity.md");
    assert!(
        parity.starts_with("# orders: CloudWatch\n\nCloudWatch compared with the spec")
            && !parity.contains("Prometheus"),
        "{parity}"
    );
    let page = project.read("generated/orders/runbooks/lost.md");
    assert!(
        page.contains("CloudWatch: ") && !page.contains("promql"),
        "{page}"
    );
    project.run(&["lint", "generated"]).exits(0);
    project.run(&["preview", "--out", "preview"]).exits(0);
}

#[test]
fn each_target_has_what_its_signals_are_bound_to() {
    let project = Project::empty();
    let both = "  waiting: {kind: gauge, unit: requests, across: sum, prometheus: {metric: waiting}}\nslos:";
    let alert = "alerts:\n  QueueLong: {severity: warning, when: {signal: waiting, above: 10}}\n";
    let text = ORDERS
        .replacen("slos:", both, 1)
        .replacen("alerts:\n", alert, 1);
    project.write(
        "specs/orders.yaml",
        &text.replace(
            "{signal: requests}",
            "{signal: requests}, {signal: waiting}",
        ),
    );
    project.run(&["build", "--validate"]).exits(0);
    let rules = project.read("generated/orders/prometheus/rules/alerts.yaml");
    assert!(
        rules.contains("QueueLong") && !rules.contains("Throttled"),
        "{rules}"
    );
    let files = project.files("generated/orders/prometheus/rules");
    assert_eq!(files.len(), 1, "{:?}", files);
    let board = project.read("generated/orders/grafana/dashboards/main.json");
    assert!(
        board.contains("waiting") && !board.contains("cloudwatch:"),
        "{board}"
    );
    let alarms = project.read("generated/orders/cloudwatch/alarms.json");
    assert!(alarms.contains("Throttles"), "{alarms}");
}

/// A selection in a side is the same as a signal with it, in all that is generated.
#[test]
fn a_side_selects_as_a_signal_does() {
    let project = Project::empty();
    let spec = |signals: &str, bad: &str| {
        format!(
            "apiVersion: slosmith/v1
service: {{name: shop, owner: shop}}
links: {{runbooks: https://git.example/runbooks}}
signals:
  requests: {{kind: counter, unit: requests, has_labels: [code, path], prometheus: {{metric: http_requests_total, job: shop}}}}
{signals}slos:
  paid: {{objective: 99.9%, period: 30d, where: {{path: /pay}}, sli: {{ratio: {{bad: {bad}, total: requests}}}}}}
"
        )
    };
    let selection = "where: {code: {matches: '5..'}}";
    let build = |text: &str| {
        project.write("specs/shop.yaml", text);
        project.run(&["build"]).exits(0);
        let mut files = project.snapshot("generated/shop");
        files.retain(|path, _| !path.ends_with(".slosmith-manifest"));
        files
    };
    let signal = format!("  failed: {{use: requests, {selection}}}\n");
    let named = build(&spec(&signal, "failed"));
    let selected = build(&spec("", &format!("{{signal: requests, {selection}}}")));
    let differs = |(path, entry): &(&_, &_)| selected.get(*path) != Some(*entry);
    let paths: Vec<_> = named.iter().filter(differs).map(|(path, _)| path).collect();
    assert_eq!((paths, named.len()), (vec![], selected.len()));
}

/// A selection of a metric in CloudWatch is a part of it, and no second name of it.
#[test]
fn a_side_selects_in_cloudwatch() {
    let project = Project::empty();
    project.write(
        "specs/shop.yaml",
        "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks}
cloudwatch: {region: eu-west-1, namespace: Shop}
signals:
  seen: {kind: counter, unit: requests, has_labels: [code], cloudwatch: {metric: Seen, dimension_sets: [[], [code]]}}
slos:
  a: {objective: 99%, period: 30d, sli: {ratio: {bad: {signal: seen, where: {code: '500'}}, total: seen}}}
",
    );
    project.run(&["build"]).exits(0);
    let alarms = project.read("generated/shop/cloudwatch/alarms.json");
    assert!(alarms.contains(r#""Value": "500""#), "{alarms}");
}
