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
