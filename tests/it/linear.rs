//! Inputs that are made to take long: work that grew with the square of the input took minutes. The limit is far above what they take now, so that a slow machine does not matter.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::ValueEnum as _;
use slosmith::diag::Diagnostic;
use slosmith::diag::render::{Format, Report, render};
use slosmith::source::{SourceFile, Sources, Span};

const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with one file, `name`.
fn folder(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// Runs the program in a folder; gives back its exit code.
fn run(folder: &tempfile::TempDir, args: &[&str]) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(args)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{args:?} did not end in {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn lint(name: &str, text: &str, format: &str) -> Option<i32> {
    run(&folder(name, text), &["lint", name, "--format", format])
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

fn health(now: &str, since: Option<&str>) -> Option<i32> {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/vllm-serving.yaml");
    let folder = folder("now.prom", now);
    let mut args = vec!["health", "now.prom", "--spec", spec];
    if let Some(since) = since {
        std::fs::write(folder.path().join("since.prom"), since).unwrap();
        args.extend(["--since", "since.prom", "--interval", "1m"]);
    }
    run(&folder, &args)
}

/// Records the page `a.prom` below `out`.
fn record(out: &str) -> [&str; 7] {
    [
        "catalog",
        "record",
        "a.prom",
        "--version",
        "1.0",
        "--out",
        out,
    ]
}

#[test]
#[ignore = "ci"]
fn pages_with_many_series() {
    let series = |i| format!("vllm:num_requests_waiting{{model_name=\"{i}\"}} 999");
    let page = format!(
        "# TYPE vllm:num_requests_waiting gauge\n{}",
        lines(40_000, series)
    );
    assert_eq!(health(&page, None), Some(3));
    let record = record(".");
    let record = [&record[..], &["--keep-values"]].concat();
    assert_eq!(run(&folder("a.prom", &page), &record), Some(0));
}

#[test]
#[ignore = "ci"]
fn pages_with_many_buckets() {
    let name = "vllm:time_to_first_token_seconds";
    let buckets = lines(40_000, |i| {
        format!("{name}_bucket{{model_name=\"m\",le=\"{i}\"}} {i}")
    });
    let page =
        format!("# TYPE {name} histogram\n{buckets}{name}_count{{model_name=\"m\"}} 40000\n");
    assert!(health(&page, Some(&page)).is_some_and(|code| code != 2));
}

#[test]
fn pages_with_many_families_and_their_creation_times() {
    let one = |i| {
        format!(
            "# TYPE a{i}_total counter\na{i}_total 1\n# TYPE a{i}_created gauge\na{i}_created 1"
        )
    };
    let folder = folder("a.prom", &lines(5_000, one));
    let record = record("own");
    assert_eq!(run(&folder, &record), Some(0));
    std::fs::write(
        folder.path().join("slosmith.toml"),
        "catalogs = [\"own\"]\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("a.md"), "```promql\na1_total\n```\n").unwrap();
    assert!(run(&folder, &["lint", "a.md"]).is_some_and(|code| code < 2));
}

#[test]
fn a_series_with_too_many_labels_is_refused() {
    let labels: Vec<_> = (0..200_000).map(|i| format!("l{i}=\"\"")).collect();
    let page = format!("a{{{}}} 1\n", labels.join(","));
    let record = record(".");
    assert_eq!(run(&folder("a.prom", &page), &record), Some(2));
}

#[test]
#[ignore = "ci"]
fn fences_with_many_lines() {
    for line in ["# a", "("] {
        let text = format!(
            "- x\n  ```promql\n{}  a\n  ```\n",
            lines(80_000, |_| format!("  {line}"))
        );
        assert!(
            lint("a.md", &text, "concise").is_some_and(|code| code < 2),
            "{line}"
        );
    }
}

#[test]
fn many_findings_in_one_long_line() {
    let (sender, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut sources = Sources::default();
        let text = "é".repeat(4 << 20);
        let file = sources.add(SourceFile::new("a.yaml", text));
        let finding =
            |i: usize| Diagnostic::error("x", Span::new(file, i * 1_600..i * 1_600 + 2), "no");
        let found: Vec<_> = (0..5_000).map(finding).collect();
        let report = Report::new(&found, &sources, &[]);
        for format in Format::value_variants() {
            let _ = sender.send(render(*format, &report).len());
        }
    });
    for _ in Format::value_variants() {
        assert!(done.recv_timeout(PATIENCE).is_ok_and(|length| length > 0));
    }
}

#[test]
#[ignore = "ci"]
fn a_query_with_a_fault_at_every_word() {
    for (part, count) in [
        ("é", 320_000),
        ("x{a ", 160_000),
        ("x{a=\"b\n", 157_000),
        (" offset 5m", 40_000),
    ] {
        let query = serde_json::to_string(&format!("x{}", part.repeat(count))).unwrap();
        let text = format!("groups: [{{name: g, rules: [{{record: a, expr: {query}}}]}}]\n");
        assert_eq!(lint("a.yaml", &text, "sarif"), Some(1), "{part}");
    }
}

#[test]
#[ignore = "ci"]
fn many_suppressions_for_many_findings() {
    let comment = "  # slosmith: allow(removed-metric) -- no reason";
    let stacked = lines(40_000, |_| comment.to_owned());
    let rule = |i| format!("{comment}\n  - {{record: \"a:b:c{i}\", expr: vllm_gone}}");
    let rules = lines(5_000, rule);
    let text = format!("groups:\n- name: g\n  rules:\n{stacked}{rules}");
    assert!(lint("a.yaml", &text, "concise").is_some_and(|code| code < 2));
}

#[test]
fn findings_far_from_what_explains_them() {
    let notes = lines(30_000, |i| {
        format!("      k{i}: \"{{{{ $labels.nope }}}}\"")
    });
    let rule = "  - alert: A\n    expr: sum(vllm:num_requests_waiting) > 1\n    annotations:\n";
    let text = format!("groups:\n- name: g\n  rules:\n{rule}{notes}");
    assert_eq!(lint("a.yaml", &text, "human"), Some(0));
}

#[test]
#[ignore = "ci"]
fn nesting_never_takes_the_stack() {
    let count = 20_000;
    for (name, open) in [
        ("a.json", "["),
        ("a.json", "{\"a\":"),
        ("a.yaml", "["),
        ("a.yaml", "{a: "),
        ("a.yaml", "- "),
    ] {
        assert_eq!(
            lint(name, &open.repeat(count), "concise"),
            Some(2),
            "{open}"
        );
    }
    // Labels of one block, and expressions.
    for open in [
        "a \"b\" ", "\"a\" ", "a = [", "[", "{a = ", "(", "!", "-", "\"${", "a {\n", "x ? y : ",
    ] {
        for before in ["a ", "a = "] {
            let text = format!("{before}{}", open.repeat(count));
            let code = lint("a.tf", &text, "concise");
            assert!(code.is_some(), "{before}{open}");
        }
    }
    let labels = format!("a {}{{\n}}\n", "\"b\" ".repeat(4 * count));
    assert!(lint("a.tf", &labels, "concise").is_some());
    for open in ["(", "-", "sum(", "a[", "a[(", "{", "a and ", "a ^ "] {
        let text = format!("```promql\n{}\n```\n", open.repeat(count));
        let code = lint("a.md", &text, "concise");
        assert!(code.is_some_and(|code| code < 2), "{open}");
    }
}

/// Each expression nests as deep as it may, and refers to the next one.
#[test]
fn expressions_that_refer_to_each_other_never_take_the_stack() {
    let row = |i: usize| {
        let (open, close) = ("ABS(".repeat(190), ")".repeat(190));
        format!(
            r#"[{{"id": "e{i}", "expression": "{open}e{}{close}"}}]"#,
            i + 1
        )
    };
    let rows: Vec<_> = (0..499).map(row).collect();
    let text = format!(
        r#"{{"widgets": [{{"type": "metric", "properties": {{"region": "eu-central-1", "view": "timeSeries", "metrics": [{}, [{{"id": "e499", "expression": "1"}}]]}}}}]}}"#,
        rows.join(", ")
    );
    let code = lint("a.json", &text, "concise");
    assert!(code.is_some_and(|code| code < 2), "{code:?}");
}

#[test]
#[ignore = "ci"]
fn queries_of_the_largest_depth_are_judged() {
    let count = 990;
    let around =
        |open: &str, close: &str| format!("{}a{}", open.repeat(count), close.repeat(count));
    let deep = [around("(", ")"), around("-", ""), around("sum(", ")")];
    let calls = around("max_over_time((", ")[1m:])");
    let long = vec!["a"; 990].join(" or ");
    let dead = format!(
        "{}vllm:num_requests_swapped{}",
        "(".repeat(count),
        ")".repeat(count)
    );
    for query in deep.iter().chain([&calls, &long]) {
        let text = format!("```promql\n{query}\n```\n");
        assert_eq!(lint("a.md", &text, "concise"), Some(0), "{:.9}", query);
    }
    let text = format!("```promql\n{dead}\n```\n");
    let fixed = run(&folder("a.md", &text), &["lint", "--fix", "a.md"]);
    assert_eq!(fixed, Some(1));
}

#[test]
#[ignore = "ci"]
fn operations_of_a_long_chain_do_not_each_look_at_all_before_them() {
    for (term, operator, code) in [
        ("vllm:num_requests_running", " * on (pod) ", 0),
        ("1", " > ", 1),
        ("1", " > bool ", 0),
        ("a", " ^ ", 0),
    ] {
        let query = vec![term; 990].join(operator);
        let text = format!("```promql\n{query}\n```\n");
        assert_eq!(lint("a.md", &text, "concise"), Some(code), "{operator}");
    }
}

#[test]
#[ignore = "ci"]
fn rules_look_once_at_each_part_of_a_long_query() {
    let chain = |term: &str, operator: &str| vec![term; 990].join(operator);
    let gone = "vllm:num_requests_swapped";
    let counter = "vllm:generation_tokens_total";
    let usage = "vllm:kv_cache_usage_perc";
    let names: Vec<_> = (0..500).map(|i| format!("vllm:nope_{i}|{gone}")).collect();
    for query in [
        chain(gone, " or "),
        chain(&format!("vllm:nope or {gone}"), " or "),
        chain("vllm:gpu_cache_usage_perc", " / "),
        chain(gone, " + on (nope) "),
        chain(counter, " - "),
        format!("{} > 1", chain(counter, " + ")),
        chain(usage, " and "),
        format!("sum({})", chain(usage, " or ")),
        chain(&format!("{usage} > 95"), " or "),
        format!("{gone}{}", " > 1".repeat(980)),
        format!("{{__name__=~\"{}\"}}", names.join("|")),
    ] {
        let text = format!("```promql\n{query}\n```\n");
        let start = query.get(..40).unwrap_or(&query);
        let code = lint("a.md", &text, "concise");
        assert!(code.is_some_and(|code| code < 2), "{start}");
    }
}

#[test]
#[ignore = "ci"]
fn many_fixes_in_one_block_scalar() {
    let panel = |i| {
        format!(
            "    {{\"id\": {i}, \"title\": \"t\", \"targets\": [{{\"expr\": \"vllm:gpu_cache_usage_perc\"}}]}},"
        )
    };
    let panels = lines(4_000, panel);
    let text = format!(
        "kind: ConfigMap\ndata:\n  a.json: |\n    {{\"title\": \"x\", \"panels\": [\n{panels}    {{}}]}}\n"
    );
    assert_eq!(lint("a.yaml", &text, "concise"), Some(1));
}

#[test]
#[ignore = "ci"]
fn signs_of_templates_without_an_end() {
    for sign in ["${a", "%{ if ", "[[ .a", "<% ", "__A", "%%", "{ __A", "\\"] {
        let many = sign.repeat(60_000);
        let text = serde_json::to_string(&many).unwrap();
        let rules = format!("groups: [{{name: g, rules: [{{record: a, expr: {text}}}]}}]\n");
        let board = format!(
            "{{\"panels\": [{{\"targets\": [{{\"expr\": {text}}}]}}], \"x\": \"$${{a}}\"}}"
        );
        assert!(lint("a.yaml", &rules, "concise").is_some(), "{sign}");
        assert!(lint("a.json", &board, "concise").is_some(), "{sign}");
    }
}
