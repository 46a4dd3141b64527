//! Work of each reader on long blocks: four times the text takes about four times the work, whatever is repeated.
//!
//! CPU time is compared with CPU time of the same reader, so that a slow machine does not matter.

use std::path::Path;
use std::time::Instant;

use slosmith::artifact;
use slosmith::catalog::Product;
use slosmith::catalog::{Catalog, exposition};
use slosmith::config::Config;
use slosmith::lint::{Scope, Settings, date::Date, run};
use slosmith::promql::{Dialect, parse_recovering};
use slosmith::resolve::{Options, resolve};
use slosmith::source::{FileId, SourceFile, Sources};
use slosmith::spec;

/// Bytes of the shorter text.
const SHORT: usize = 6 << 10;
/// How much longer the other one is.
const LONGER: usize = 4;
/// Growth with the square of the text would be 16. Much more than 4 is left for noise.
const MOST: u128 = 9;
/// Shorter times are noise, in nanoseconds.
const LEAST: u128 = 3_000_000;

/// Repeated in the texts of every reader; `#` is a number that counts up.
const BLOCKS: [&str; 30] = [
    "a", "é", "\n", " ", "\t", "(", ")", "[", "{", "\"", "'", "`", "\\", "$", "|", "<", "- ", ": ",
    ", ", "# ", "{{", "}}", "{{ x }}", "${a", "/*", "a#: b#\n", "- a#\n", "a#,", "vllm:x# ",
    "\r\n",
];

/// CPU time of this thread in nanoseconds; wall time where the system does not say.
fn now(started: Instant) -> u128 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let cpu = stat.and_then(|text| text.split(' ').next()?.parse().ok());
    cpu.unwrap_or_else(|| started.elapsed().as_nanos())
}

/// A block again and again between two texts.
fn long((before, block, after): (&str, &str, &str), bytes: usize) -> String {
    let mut text = before.to_owned();
    for i in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&block.replace('#', &i.to_string()));
    }
    text + after
}

/// Every block between every two texts, and some blocks of the reader's own with the texts around them.
fn grows(read: fn(&str), around: &[(&str, &str)], own: &[(&str, &str, &str)]) {
    let all = around
        .iter()
        .flat_map(|(before, after)| BLOCKS.iter().map(move |block| (*before, *block, *after)));
    let started = Instant::now();
    let work = |text: &str| {
        let before = now(started);
        read(text);
        now(started) - before
    };
    // On one thread, whose time is then that of the whole work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| {
        // What is loaded once.
        read("");
        for parts in all.chain(own.iter().copied()) {
            let [short, longer] = [SHORT, SHORT * LONGER].map(|bytes| long(parts, bytes));
            let too_slow = || work(&longer) > MOST * work(&short).max(LEAST);
            assert!(!(too_slow() && too_slow() && too_slow()), "{parts:?}");
        }
    });
}

fn lint(name: &str, text: &str) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new(name, text));
    let Ok(artifact) = artifact::read(file, Path::new(name), text) else {
        return;
    };
    let catalog = Catalog::vllm();
    let product = Product {
        key: "vllm".to_owned(),
        name: "vLLM".to_owned(),
        is_guess: false,
        catalog,
        selection: catalog.select_all(),
        profiles: Vec::new(),
    };
    let config = Config::default();
    let settings = Settings {
        scope: &Scope::configured(vec![product], &config),
        config: &config,
        vllm: None,
        today: Date::from_days(0),
        root: Path::new("/nowhere"),
    };
    run(&[artifact], &sources, &settings);
}

#[test]
#[ignore = "ci"]
fn markdown() {
    grows(
        |text| lint("a.md", text),
        &[
            ("# t\n\n", ""),
            ("```promql\n", ""),
            ("- x\n  ```yaml\n", "\n  ```\n"),
        ],
        &[
            ("", "- item # `vllm:num_requests_running` is here\n", ""),
            ("", "[#]: https://example.org/#\n", ""),
            ("", "text # and `vllm:x#`\r\n\r\n", ""),
            ("", "| # | `vllm:num_requests_running` |\n", ""),
            ("", "# t#\n", ""),
            ("", "> ", ""),
            ("", "# t\ntext\n", ""),
            ("", "text\n```\ncode\n```\n", ""),
            ("", "```\n", ""),
            ("", "a ``` b `` c ` ", ""),
            ("", "<!-- slosmith: allow(x) -- y -->\n", ""),
            ("```promql\n", "vllm:x#\n", "```\n"),
            ("```promql\n", "vllm:x#\n\n", "```\n"),
        ],
    );
}

#[test]
#[ignore = "ci"]
fn yaml() {
    grows(
        |text| lint("a.yaml", text),
        &[
            (
                "groups:\n- name: g\n  rules:\n  - record: a\n    expr: |\n      ",
                "",
            ),
            ("a: ", ""),
            ("", ""),
        ],
        &[
            (
                "groups:\n- name: g\n  rules:\n",
                "  - {record: \"a:b:c#\", expr: \"vllm:nope#\"}\n",
                "",
            ),
            (
                "groups:\n- name: g\n  rules:\n",
                "  # slosmith: allow(removed-metric) -- x\n",
                "",
            ),
            ("a: &a x\nb:\n", "- *a\n", ""),
            ("", "---\na: #\n", ""),
            ("a: |\n", "  text #\n", ""),
            ("a: \"", "\\u00e9", "\""),
            ("a:\n", "{{ if .x }}\nb: {{ .y }}\n{{ end }}\n", ""),
            ("", "? a#\n", ""),
        ],
    );
}

#[test]
#[ignore = "ci"]
fn json() {
    let panel = r#"{"id": #, "type": "stat", "title": "t#", "targets": [{"expr": "vllm:x#", "refId": "A"}]},"#;
    grows(
        |text| lint("a.json", text),
        &[
            ("{\"title\": \"x\", \"panels\": [", "{}]}"),
            ("{\"a\": \"", "\"}"),
            ("", ""),
        ],
        &[
            ("{\"title\": \"x\", \"panels\": [", panel, "{}]}"),
            ("[", "#,", "0]"),
            ("{", "\"a#\": 1,", "\"b\": 2}"),
            ("// ", "comment # ", "\n{}"),
        ],
    );
}

#[test]
#[ignore = "ci"]
fn hcl() {
    grows(
        |text| lint("a.tf", text),
        &[
            (
                "resource \"aws_cloudwatch_metric_alarm\" \"a\" {\n  alarm_name = \"",
                "\"\n}\n",
            ),
            ("a = <<EOT\n", "\nEOT\n"),
            ("", ""),
        ],
        &[
            (
                "",
                "resource \"aws_cloudwatch_metric_alarm\" \"a#\" {\n  alarm_name = \"a#\"\n}\n",
                "",
            ),
            ("a = [", "\"#\",", "]\n"),
            ("", "# comment #\n", ""),
        ],
    );
}

#[test]
#[ignore = "ci"]
fn code() {
    for read in [
        |text: &str| lint("a.py", text),
        |text: &str| lint("a.go", text),
        |text: &str| lint("a.ts", text),
    ] {
        grows(
            read,
            &[("x = \"", "\"\n"), ("", "")],
            &[
                ("", "q(\"rate(vllm:x#[5m])\")\n", ""),
                ("x = ", "\"a\" + ", "\"b\"\n"),
            ],
        );
    }
}

#[test]
#[ignore = "ci"]
fn promql() {
    fn all(text: &str) {
        for dialect in [Dialect::Prometheus, Dialect::Grafana, Dialect::GoTemplate] {
            parse_recovering(text, dialect);
        }
    }
    grows(
        all,
        &[("", ""), ("x{a=\"", "\"}"), ("x{a=~\"(", ")\"}")],
        &[
            ("a", " + a#", ""),
            ("x{", "a#=\"b\",", "}"),
            ("", "sum(", ""),
            ("", "x[5m", ""),
            ("x", " offset 5m", ""),
            ("", "-", "1"),
            ("", "$__x", ""),
            ("x{a=\"", "${a:", "\"}"),
            ("x{a=\"", "{{ x ", "\"}"),
        ],
    );
}

#[test]
fn metrics() {
    fn all(text: &str) {
        exposition::parse(text);
    }
    grows(
        all,
        &[("", ""), ("a{b=\"", "\"} 1\n")],
        &[
            ("", "# TYPE a# counter\na#{b=\"c\"} 1\n", ""),
            ("# TYPE a histogram\n", "a_bucket{le=\"#\"} 1\n", ""),
            ("a{", "b#=\"c\",", "} 1\n"),
            ("# HELP a ", "x\\n", "\n"),
        ],
    );
}

const SPEC: &str = "apiVersion: slosmith/v1\nservice: {name: s, owner: t}\nruntime: {vllm: \">=0.20, <0.34\"}\n\
    links: {runbooks: https://git.example/r, grafana: https://grafana.example}\n";

#[test]
#[ignore = "ci"]
fn specs() {
    fn all(text: &str) {
        if let Ok(document) = spec::read(FileId(0), text) {
            let _ = resolve(&document, Options::default());
        }
    }
    let with = |more: &str| format!("{SPEC}{more}");
    let [text, template, metric, signals, alerts] = [
        with("description: \""),
        with(
            "alerts:\n  A: {severity: critical, when: {signal: vllm.requests_waiting, above: 8}, summary: \"",
        ),
        with(
            "signals:\n  s: {kind: gauge, unit: count, across: max, has_labels: [node], prometheus: {metric: \"",
        ),
        with("signals:\n"),
        with("severities: {page: critical, ticket: warning}\nalerts:\n"),
    ];
    grows(
        all,
        &[(&text, "\"\n"), (&template, "\"}\n"), (&signals, "")],
        &[
            (&metric, "a", "\"}}\n"),
            (&signals, "  s#: {use: vllm.requests_waiting}\n", ""),
            (
                &alerts,
                "  A#: {severity: critical, when: {signal: vllm.requests_waiting, above: #}, for: 2m}\n",
                "",
            ),
        ],
    );
}

#[test]
fn configuration() {
    fn all(text: &str) {
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new("slosmith.toml", text));
        let _ = Config::read(file, &sources);
    }
    grows(
        all,
        &[("", ""), ("exclude = [\"", "\"]\n")],
        &[
            ("exclude = [", "\"a#\",", "]\n"),
            ("[rules]\n", "a# = \"off\"\n", ""),
            ("", "[a#]\n", ""),
        ],
    );
}

/// Suggestions look at each name that is known.
#[test]
fn misspelt_metrics() {
    grows(
        |text| lint("a.md", text),
        &[],
        &[("```promql\n", "vllm:num_requests_wating_# + ", "1\n```\n")],
    );
}
