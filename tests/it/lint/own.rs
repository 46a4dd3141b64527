//! Catalogs of one's own services.

use std::io::{Read, Write};
use std::net::TcpListener;

use super::rules;
use crate::project::Project;

const PAGE: &str = "# HELP gateway_requests_total Requests.\n# TYPE gateway_requests_total counter\ngateway_requests_total{tenant=\"acme\",code=\"200\"} 7\ngateway_requests_total{tenant=\"other\",code=\"200\"} 9\n# TYPE gateway_wait_seconds histogram\ngateway_wait_seconds_bucket{le=\"0.5\"} 1\ngateway_wait_seconds_bucket{le=\"+Inf\"} 2\ngateway_wait_seconds_sum 1.5\ngateway_wait_seconds_count 2\n";

#[test]
fn recorded_services_are_judged() {
    let project = Project::new();
    project.write("page.txt", PAGE);
    let record = [
        "catalog",
        "record",
        "page.txt",
        "--version",
        "1.2.0",
        "--out",
        "catalogs/gateway",
    ];
    project.run(&record).exits(0);
    let kept = project.read("catalogs/gateway/1.2.0/default.prom");
    assert!(
        !kept.contains("acme") && kept.contains("code=\"200\""),
        "{kept}"
    );
    project.write("slosmith.toml", "catalogs = [\"catalogs/gateway\"]\n");
    project.write(
        "rules.yaml",
        &rules(&[
            "rate(gateway_requests_total{tenat=\"a\"}[5m]) > 1",
            "rate(gateway_wait_seconds_bucket{le=\"0.7\"}[5m]) > 1",
            "gateway_other_total > 1",
        ]),
    );
    let out = project
        .run(&["lint", "rules.yaml", "--format", "concise"])
        .exits(1)
        .out;
    assert!(
        out.contains("`gateway_requests_total` has no label `tenat`"),
        "{out}"
    );
    assert!(out.contains("error[threshold-not-a-bucket]"), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
}

/// Each line is right by the recording; each change contradicts it.
#[test]
fn specs_are_held_against_recordings() {
    const SPEC: &str = "apiVersion: slosmith/v1
service: {name: gateway}
links: {runbooks: 'https://git.example/runbooks'}
signals:
  requests: {kind: counter, unit: requests, has_labels: [tenant, code], prometheus: {metric: gateway_requests_total, job: gw}}
  acme: {use: requests, where: {tenant: acme}}
  waits: {kind: histogram, unit: seconds, prometheus: {metric: gateway_wait_seconds, job: gw, buckets: [500ms]}}
alerts:
  Many: {severity: page, summary: Many, when: {promql: 'sum(rate(gateway_requests_total[5m]))', above: 9}}
  Other: {severity: page, summary: Other, when: {promql: 'sum(rate(gateway_bytes_total[5m]))', above: 9}}
";
    let project = Project::new();
    project.write("page.txt", PAGE);
    let record = "catalog record page.txt --version 1.2.0 --out catalogs/gateway --keep-values";
    let record: Vec<_> = record.split(' ').collect();
    project.run(&record).exits(0);
    project.write("specs/gateway.yaml", SPEC);
    let warnings = |project: &Project| {
        let said = project.run(&["build"]).exits(0).err;
        let warnings = said.lines().filter(|line| line.starts_with("warning["));
        warnings.map(str::to_owned).collect::<Vec<_>>()
    };
    let changes = [
        (
            "gateway_requests_total, job",
            "gateway_request_total, job",
            "[unknown-metric]: gateway 1.2.0 has no metric `gateway_request_total`",
        ),
        (
            "gateway_requests_total, job",
            "gateway_requests, job",
            "[unknown-metric]: gateway 1.2.0 has no metric `gateway_requests`",
        ),
        (
            "rate(gateway_requests_total",
            "rate(gateway_reqeusts_total",
            "[unknown-metric]: gateway 1.2.0 has no metric `gateway_reqeusts_total`",
        ),
        (
            "[tenant, code]",
            "[tenant, status]",
            "[unknown-label]: `gateway_requests_total` has no label `status` in the recording of gateway 1.2.0",
        ),
        (
            "{tenant: acme}",
            "{tenant: othre}",
            "[unknown-label-value]: the label `tenant` of `gateway_requests_total` has no value `othre` in the recording of gateway 1.2.0",
        ),
        (
            "[500ms]",
            "[200ms, 500ms]",
            "[bad-buckets]: `gateway_wait_seconds` has no bucket boundary 200ms in the recording of gateway 1.2.0",
        ),
        (
            "kind: counter, unit: requests, has",
            "kind: gauge, across: sum, unit: requests, has",
            "[wrong-kind]: `gateway_requests_total` is a counter in the recording of gateway 1.2.0, not a gauge",
        ),
    ];
    for (right, wrong, _) in changes {
        let changed = SPEC.replace(right, wrong);
        assert_ne!(changed, SPEC, "{right}");
        project.write("specs/gateway.yaml", &changed);
        let found = warnings(&project);
        let of_recording = found.iter().any(|warning| warning.contains("recording"));
        assert!(!of_recording, "{found:?}");
    }
    // A spec that is as it was built is built again for its recording.
    let slip = SPEC.replace("{tenant: acme}", "{tenant: othre}");
    project.write("specs/gateway.yaml", &slip);
    assert_eq!(warnings(&project), Vec::<String>::new());
    project.write("slosmith.toml", "catalogs = [\"catalogs/gateway\"]\n");
    assert_eq!(warnings(&project).len(), 1);
    project.write("specs/gateway.yaml", SPEC);
    assert_eq!(warnings(&project), Vec::<String>::new());
    for (right, wrong, warning) in changes {
        project.write("specs/gateway.yaml", &SPEC.replace(right, wrong));
        let found = warnings(&project);
        let expected = format!("warning{warning}");
        assert!(found.contains(&expected), "{wrong}: {found:?}");
    }
}

/// The first query of each pair is right by the declarations; each second one contradicts them.
#[test]
fn queries_are_held_against_declarations() {
    const SPEC: &str = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: 'https://git.example/runbooks'}
prometheus: {scrape_interval: 30s, scrape_labels: [namespace]}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code, route], prometheus: {metric: http_requests_total}}
  took: {kind: histogram, unit: seconds, has_labels: [route], prometheus: {metric: http_seconds, buckets: [500ms, 1s, 2.5s]}}
  queue: {kind: gauge, across: sum, unit: requests, prometheus: {metric: shop_queue_length}}
alerts:
  Own: {severity: page, summary: Own, when: {promql: 'QUERY'}}
";
    let pairs = [
        (
            "sum by (route, namespace) (rate(http_requests_total{code=~\"5..\", instance=\"a\"}[5m])) > 1",
            "sum(rate(http_reqests_total[5m])) > 1",
            "[unknown-metric]: the spec declares no metric `http_reqests_total`",
        ),
        (
            "sum(increase(http_requests_total[1h])) > 100 and sum(http_requests_total) > 0",
            "sum(http_requests_total) > 100",
            "[counter-without-rate]",
        ),
        (
            "increase(shop_dropped_total[1h]) > 500",
            "shop_dropped_total > 500",
            "[counter-without-rate]: `shop_dropped_total`",
        ),
        (
            "sum by (queue) (deriv(shop_queue_length[10m])) > 1",
            "sum(rate(shop_queue_length[5m])) > 1",
            "[rate-of-gauge]",
        ),
        (
            "sum(rate(http_requests_total[1m])) > 1",
            "sum(rate(http_requests_total[30s])) > 1",
            "[rate-window-too-short]",
        ),
        (
            "sum by (route) (rate(http_requests_total[5m])) > 1",
            "sum by (rout) (rate(http_requests_total[5m])) > 1",
            "[unknown-label]: `http_requests_total` has no label `rout`",
        ),
        (
            "sum by (route) (rate(http_seconds_sum[5m])) / sum by (route) (rate(http_seconds_count[5m])) > 1",
            "sum by (route) (rate(http_requests_total[5m])) / sum(rate(http_seconds_count[5m])) > 1",
            "[unmatched-join]",
        ),
        (
            "sum(rate(http_seconds_bucket{le=~\"1([.]0)?\"}[5m])) / sum(rate(http_seconds_count[5m])) < 0.9",
            "sum(rate(http_seconds_bucket{le=\"0.7\"}[5m])) / sum(rate(http_seconds_count[5m])) < 0.9",
            "[threshold-not-a-bucket]",
        ),
        (
            "histogram_quantile(0.9, sum by (le) (rate(http_seconds_bucket[5m]))) > 2",
            "histogram_quantile(0.9, sum by (le) (rate(http_seconds_bucket[5m]))) > 500",
            "[threshold-beyond-buckets]",
        ),
    ];
    let project = Project::new();
    for (right, wrong, finding) in pairs {
        project.write("specs/shop.yaml", &SPEC.replace("QUERY", right));
        let said = project.run(&["build"]).exits(0).err;
        assert!(!said.contains("["), "{right}: {said}");
        project.write("specs/shop.yaml", &SPEC.replace("QUERY", wrong));
        let said = project.run(&["build"]).err;
        assert!(said.contains(finding), "{wrong}: {said}");
        assert_eq!(said.matches(" --> ").count(), 1, "{said}");
    }
}

/// A comparison beside a query is a part of it, in alerts and in steps of runbooks, and is marked where it is written.
#[test]
fn thresholds_beside_queries_are_marked() {
    const SPEC: &str = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: 'https://git.example/runbooks'}
signals:
  took: {kind: histogram, unit: seconds, prometheus: {metric: http_seconds, buckets: [100ms, 1s]}}
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: http_requests_total}}
alerts:
  Slow:
    severity: page
    summary: Slow
    runbook: slow
    when:
      promql: 'max(histogram_quantile(0.9, sum by (le) (rate(http_seconds_bucket[5m]))))'
      above: LIMIT
runbooks:
  slow:
    title: Slow
    steps: [{when: {promql: 'sum(rate(http_requests_total{LABEL=\"500\"}[5m]))', above: 1}, cause: Errors.}]
";
    let project = Project::new();
    let said = |limit: &str, label: &str| {
        let spec = SPEC.replace("LIMIT", limit).replace("LABEL", label);
        project.write("specs/shop.yaml", &spec);
        project.run(&["build"]).err
    };
    let right = said("0.5", "code");
    assert!(!right.contains('['), "{right}");
    let beyond = said("500", "code");
    assert!(beyond.contains("[threshold-beyond-buckets]"), "{beyond}");
    assert!(beyond.contains("specs/shop.yaml:14:14"), "{beyond}");
    let label = said("0.5", "status");
    assert!(
        label.contains("`http_requests_total` has no label `status`"),
        "{label}"
    );
}

#[test]
fn pages_are_fetched() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!(
        "http://{}/metrics",
        server.local_addr().expect("an address")
    );
    let answer = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().expect("a request");
        let mut request = [0; 4096];
        let _ = stream.read(&mut request);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            PAGE.len()
        );
        stream
            .write_all(format!("{head}{PAGE}").as_bytes())
            .expect("written");
    });
    let project = Project::new();
    project
        .run(&[
            "catalog",
            "record",
            &address,
            "--version",
            "1",
            "--profile",
            "small",
            "--out",
            "c",
        ])
        .exits(0);
    answer.join().expect("served");
    assert!(project.has("c/1/small.prom") && project.has("c/1/provenance.json"));
}

#[test]
fn what_is_no_page_is_refused() {
    let project = Project::new();
    project.write("page.txt", "<html>\n");
    project.write("empty.txt", "");
    for (page, words) in [
        ("page.txt", "page.txt:1"),
        ("empty.txt", "no metric"),
        ("none.txt", "none.txt: no such file or folder"),
        ("https://a.example:1x/", "invalid port"),
    ] {
        project
            .run(&["catalog", "record", page, "--version", "1", "--out", "c"])
            .exits(2)
            .says(words);
    }
    assert!(!project.has("c"));
}
