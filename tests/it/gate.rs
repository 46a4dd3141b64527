//! `slosmith gate`: results of vLLM's benchmark and of k6.

use std::process::Command;

use serde_json::{Value, json};

const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/mangaassist.yaml");

fn run(result: &str, more: &[&str]) -> (String, i32) {
    with_pages(SPEC, result, None, more)
}

/// Runs with pages from before and after the test.
fn with_pages(
    spec: &str,
    result: &str,
    pages: Option<(&str, &str)>,
    more: &[&str],
) -> (String, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("result.json");
    std::fs::write(&path, result).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    command.arg("gate").args(["--spec", spec]).args(more);
    if !result.is_empty() {
        command.arg(&path);
    }
    for (option, page) in pages
        .iter()
        .flat_map(|(before, after)| [("before", before), ("after", after)])
    {
        let file = folder.path().join(option);
        std::fs::write(&file, page).expect("written");
        command.arg(format!("--{option}")).arg(file);
    }
    let done = command.output().expect("runs");
    let text = if done.stdout.is_empty() {
        done.stderr
    } else {
        done.stdout
    };
    let text = String::from_utf8(text).expect("text");
    let text = text.replace(&path.display().to_string(), "result.json");
    (text, done.status.code().expect("an exit code"))
}

/// What `vllm bench serve --save-result` writes, as far as it matters.
fn vllm(median_ttft: f64, p99_e2e: f64, failed: u32) -> String {
    json!({
        "date": "20261120-120000", "backend": "openai-chat", "model_id": "m", "num_prompts": 1000,
        "request_rate": 10.0, "max_concurrency": 20, "duration": 100.0, "completed": 1000 - failed, "failed": failed,
        "request_throughput": 9.9, "output_throughput": 1800.5, "total_token_throughput": 4000.0,
        "mean_ttft_ms": median_ttft + 20.0, "median_ttft_ms": median_ttft, "p99_ttft_ms": 900.0,
        "mean_e2el_ms": 900.0, "median_e2el_ms": 800.0, "p99_e2el_ms": p99_e2e,
        "mean_tpot_ms": 20.0, "p99_tpot_ms": 40.0, "mean_itl_ms": 20.0, "p99_itl_ms": 60.0
    })
    .to_string()
}

const GIVEN: [&str; 2] = ["--given", "oom_events=0"];

#[test]
fn a_good_result_passes() {
    let (text, code) = run(&vllm(150.0, 1800.0, 0), &GIVEN);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("pass: 5 passed\n"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn between_the_bounds_it_is_degraded() {
    let result = vllm(250.0, 1800.0, 0);
    let (text, code) = run(&result, &GIVEN);
    assert!(
        text.starts_with("degraded: 1 degraded, 4 passed\n"),
        "{text}"
    );
    assert!(
        text.ends_with(": 250ms, 50ms above 200ms\n") && code == 0,
        "{text}"
    );
    let (_, code) = run(&result, &[&GIVEN[..], &["--fail-on", "degraded"]].concat());
    assert_eq!(code, 1);
}

#[test]
fn each_bound_can_fail() {
    for (result, more, missed) in [
        (
            vllm(301.0, 1800.0, 0),
            vec!["--given", "oom_events=0"],
            "1ms above 300ms",
        ),
        (
            vllm(150.0, 3001.0, 0),
            vec!["--given", "oom_events=0"],
            "1ms above 3s",
        ),
        (
            vllm(150.0, 1800.0, 6),
            vec!["--given", "oom_events=0"],
            "percentage points above 0.5%",
        ),
        (
            vllm(150.0, 1800.0, 0),
            vec!["--given", "oom_events=1"],
            "1, 1 above 0",
        ),
        (
            vllm(150.0, 1800.0, 0),
            vec![
                "--given",
                "oom_events=0",
                "--given",
                "prefix-cache-hit-rate=49%",
                "--scenario",
                "cache-validation",
            ],
            "49%, 1 percentage point below 50%",
        ),
    ] {
        let (text, code) = run(&result, &more);
        let last = text.lines().last().expect("a line");
        assert!(code == 1 && text.starts_with("fail: "), "{more:?}: {text}");
        assert!(
            last.starts_with("fail: ") && last.ends_with(missed),
            "{more:?}: {text}"
        );
    }
}

#[test]
fn what_is_not_measured_is_no_pass() {
    let (text, code) = run(&vllm(150.0, 1800.0, 0), &[]);
    assert!(text.contains("pass the value with `--given`"), "{text}");
    assert!(
        text.starts_with("no verdict: 1 not measured, 4 passed\n"),
        "{text}"
    );
    assert_eq!(code, 1);
}

/// What k6 writes; in either form of a summary.
fn k6(nested: bool, iterations: u32, dropped: u32) -> String {
    let wrap = |values: Value| match nested {
        true => json!({"values": values}),
        false => values,
    };
    json!({"metrics": {
        // What a script of another tool may say of the first token; it is the headers' time.
        "ttft": wrap(json!({"avg": 16.0, "med": 15.0, "p(50)": 15.0, "p(95)": 30.0, "p(99)": 40.0})),
        "http_req_waiting": wrap(json!({"avg": 16.0, "p(50)": 15.0})),
        "e2e": wrap(json!({"avg": 900.0, "med": 800.0, "p(99)": 1800.0})),
        "failed": wrap(json!({"passes": 0, "fails": iterations, "value": 0.0, "rate": 0.0})),
        "iterations": wrap(json!({"count": iterations, "rate": 10.0})),
        "answers": wrap(json!({"count": iterations, "rate": 10.0})),
        "dropped_iterations": wrap(json!({"count": dropped, "rate": 0.0})),
    }})
    .to_string()
}

/// Both forms of a summary say the same, and neither says when the first token came.
#[test]
fn k6_is_read_in_both_forms() {
    let more = ["--given", "oom_events=0", "--scenario", "baseline"];
    let (first, code) = run(&k6(false, 3_000, 0), &more);
    assert_eq!(code, 1, "{first}");
    assert!(
        first.contains("k6 does not measure single tokens"),
        "{first}"
    );
    assert_eq!(run(&k6(true, 3_000, 0), &more), (first, 1));
}

/// A page: cumulative counts of its buckets.
fn page(started: u32, model: &str, counts: [u32; 4]) -> String {
    use std::fmt::Write;

    let mut text =
        format!("# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {started}\n");
    for family in ["time_to_first_token", "e2e_request_latency"] {
        writeln!(text, "# TYPE vllm:{family}_seconds histogram").expect("written");
        for (le, count) in ["0.1", "0.25", "0.5", "+Inf"].iter().zip(counts) {
            writeln!(
                text,
                "vllm:{family}_seconds_bucket{{model_name=\"{model}\",le=\"{le}\"}} {count}"
            )
            .expect("written");
        }
        let all = counts[3];
        let sum = f64::from(all) * 0.12;
        writeln!(
            text,
            "vllm:{family}_seconds_sum{{model_name=\"{model}\"}} {sum}\nvllm:{family}_seconds_count{{model_name=\"{model}\"}} {all}"
        )
        .expect("written");
    }
    text
}

const NONE: [u32; 4] = [0, 0, 0, 0];
const BASELINE: [&str; 4] = ["--given", "oom_events=0", "--scenario", "baseline"];

#[test]
fn pages_say_when_first_tokens_came() {
    // A thousand older requests must not count.
    let before = page(7, "m", [0, 0, 1_000, 1_000]);
    for (after, value, verdict, code) in [
        ([2_900, 3_000, 4_000, 4_000], "51.72ms", "pass", 0),
        // 175 ms is an estimate; the bucket reaches beyond the 200 ms that pass.
        ([0, 3_000, 4_000, 4_000], "175ms", "degraded", 0),
        ([0, 0, 4_000, 4_000], "375ms", "fail", 1),
    ] {
        let after = page(7, "m", after);
        let pages = Some((before.as_str(), after.as_str()));
        let (text, found) = with_pages(SPEC, &k6(false, 3_000, 0), pages, &BASELINE);
        let line = text.lines().nth(2).expect("a line");
        assert!(line.starts_with(verdict) && line.contains(value), "{text}");
        assert!(line.ends_with("by server metrics"), "{text}");
        assert_eq!(found, code, "{text}");
    }
}

/// Between pages that do not hold the test nothing is measured, and nothing passes.
#[test]
fn pages_that_do_not_hold_the_test_are_no_pass() {
    let all = [3_000, 3_000, 3_000, 3_000];
    let before = page(7, "m", NONE);
    let nothing = "# TYPE up gauge\nup 1\n";
    for (before, after, wanted) in [
        (&before, page(8, "m", all), "the process start time changed"),
        (
            &page(7, "m", [5, 5, 5, 5_000]),
            page(7, "m", all),
            "are swapped: `vllm:e2e_request_latency_seconds_count` fell from 5000 to 3000",
        ),
        (
            &before,
            page(7, "other", all),
            "come from different servers: `--after` has no series {model_name=\"m\"}",
        ),
        (
            &before,
            page(7, "m", [300, 300, 300, 300]),
            "the server counted 300 requests, the load generator 3000",
        ),
        (&before, before.clone(), "the server counted 0 requests"),
        (
            &before,
            nothing.to_owned(),
            "`vllm:e2e_request_latency_seconds` is not in the `/metrics` output after the test",
        ),
        (
            &nothing.to_owned(),
            page(7, "m", all),
            "`vllm:e2e_request_latency_seconds` is not in the `/metrics` output before the test",
        ),
    ] {
        let pages = Some((before.as_str(), after.as_str()));
        let (text, code) = with_pages(SPEC, &k6(false, 3_000, 0), pages, &BASELINE);
        assert!(text.contains(wanted) && code == 1, "{wanted}: {text}");
    }
    let pages = Some((before.as_str(), before.as_str()));
    let (text, code) = with_pages(SPEC, "", pages, &[]);
    assert!(
        text.contains("no request was counted during the test"),
        "{text}"
    );
    assert_eq!(code, 1);
}

#[test]
fn load_that_was_not_put_is_no_pass() {
    let good = page(7, "m", [3_000, 3_000, 3_000, 3_000]);
    let before = page(7, "m", NONE);
    let pages = Some((before.as_str(), good.as_str()));
    let (text, code) = with_pages(SPEC, &k6(false, 3_000, 0), pages, &BASELINE);
    assert_eq!((text.starts_with("pass: "), code), (true, 0), "{text}");

    let (text, code) = with_pages(SPEC, &k6(false, 3_000, 1), pages, &BASELINE);
    assert!(
        text.contains("dropped iterations: 1 ") && code == 1,
        "{text}"
    );
    let few = page(7, "m", [1_000, 1_000, 1_000, 1_000]);
    let peak = ["--given", "oom_events=0", "--scenario", "peak"];
    let result = k6(false, 1_000, 29_000);
    let (text, code) = with_pages(SPEC, &result, Some((&before, &few)), &peak);
    assert!(
        text.contains("dropped iterations: 29000 ") && code == 1,
        "{text}"
    );
    let (text, code) = with_pages(SPEC, &k6(false, 1_000, 0), Some((&before, &few)), &peak);
    assert!(text.contains("the test ended early") && code == 1, "{text}");
}

/// Every recorded release under test has the families, under one of their names, and so do pages of the newest.
#[test]
fn recorded_pages_hold_what_is_measured() {
    for version in ["0.20.2", "0.27.1", "0.33.0"] {
        let path = format!(
            "{}/catalog/vllm/{version}/default.prom",
            env!("CARGO_MANIFEST_DIR")
        );
        let after = std::fs::read_to_string(path).expect("a page");
        let before: String = after
            .lines()
            .map(|line| match line.rsplit_once(' ') {
                Some((series, _)) if series.starts_with("vllm:") => format!("{series} 0\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let pages = Some((before.as_str(), after.as_str()));
        let (text, _) = with_pages(SPEC, "", pages, &["--scenario", "cache-validation"]);
        let measured = text.matches("by server metrics").count();
        assert_eq!(measured, 3, "{version}: {text}");
    }
}

#[test]
fn reports_are_for_programs_too() {
    let result = vllm(250.0, 3500.0, 0);
    let (text, code) = run(&result, &[&GIVEN[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((report["verdict"].as_str(), code), (Some("fail"), 1));
    let (xml, _) = run(&result, &[&GIVEN[..], &["--format", "junit"]].concat());
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let cases = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .count();
    let failures = document
        .descendants()
        .filter(|n| n.has_tag_name("failure"))
        .count();
    assert_eq!((cases, failures), (5, 1), "{xml}");
}

#[test]
fn nonsense_is_refused() {
    for (result, more, wanted) in [
        ("{", vec![], "not JSON"),
        (
            "{\"a\": 1}",
            vec![],
            "result.json:1:1: not a result of `vllm bench",
        ),
        ("[]", vec![], "result.json:1:1: not a result of `vllm bench"),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--scenario", "peek"],
            "did you mean `peak`",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom=0"],
            "unknown measure",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom_events=many"],
            "must be a number",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom_events=nan"],
            "must be a number",
        ),
    ] {
        let (text, code) = run(result, &more);
        assert!(code == 2 && text.contains(wanted), "{text}");
    }
}
