//! `slosmith drift`.

use super::rules;
use crate::project::Project;

fn project() -> Project {
    let project = Project::new();
    let text = rules(&[
        "vllm:num_requests_waiting > 80",
        "vllm:gpu_cache_usage_perc > 0.9",
        "vllm:num_requests_waiting_by_reason > 9",
        "vllm:nothing > 1",
        "sum by (model_name) (rate(vllm:request_success_total[5m])) < 1",
    ]);
    project.write("rules.yaml", &text);
    project
}

#[test]
fn statuses_are_shown_with_the_fix() {
    let project = project();
    let args = ["drift", "--from", "0.10.2", "--to", "0.33.0", "rules.yaml"];
    let text = project.run(&args).exits(1).out;
    insta::assert_snapshot!("drift-text", text);
    let markdown = project
        .run(&[&args[..], &["--format", "markdown"]].concat())
        .exits(1)
        .out;
    insta::assert_snapshot!("drift-markdown", markdown);
    let json = project
        .run(&[&args[..], &["--format", "json"]].concat())
        .exits(1)
        .out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let items = json["items"].as_array().expect("items").iter();
    let fates: Vec<_> = items
        .map(|item| item["fate"].as_str().expect("words"))
        .collect();
    assert_eq!(
        fates,
        [
            "works",
            "dies",
            "revived",
            "dead before and after",
            "changes meaning"
        ]
    );
}

#[test]
fn only_what_a_change_is_about_changes_meaning() {
    let project = project();
    let queries = [
        "sum(rate(vllm:iteration_tokens_total_count[5m])) > 1",
        "sum(rate(vllm:request_success_total{finished_reason=\"stop\"}[5m])) > 1",
        "sum(rate(vllm:request_success_total{finished_reason=~\"stop|error\"}[5m])) > 1",
        "vllm:kv_offload_load_size_count > 1",
    ];
    project.write("rules.yaml", &rules(&queries));
    let board = r#"{"title": "b", "schemaVersion": 36, "panels": [{"type": "stat", "title": "t", "targets": [
        {"expr": "vllm:num_requests_waiting"}, {"expr": "vllm:gpu_cache_usage_perc"}]}]}"#;
    project.write("board.json", board);
    let args = [
        "drift",
        "--from",
        "0.10.2",
        "--to",
        "0.33.0",
        "rules.yaml",
        "board.json",
        "--format",
        "json",
    ];
    let json: serde_json::Value = serde_json::from_str(&project.run(&args).out).expect("JSON");
    let items = json["items"].as_array().expect("items");
    let fate = |what: &str| {
        let item = items
            .iter()
            .find(|item| item["what"].as_str().is_some_and(|w| w.contains(what)));
        item.map(|item| item["fate"].as_str().expect("words"))
    };
    assert_eq!(fate("A0"), Some("works"));
    assert_eq!(fate("A1"), Some("works"));
    assert_eq!(fate("A2"), Some("changes meaning"));
    assert_eq!(fate("A3"), Some("dead before and after"));
    let panel = items
        .iter()
        .find(|item| item["what"].as_str().is_some_and(|w| w.contains("panel")));
    assert_eq!(
        panel.expect("a panel")["reasons"][0],
        "1 of 2 queries return no data"
    );
}

#[test]
fn without_harm_all_is_well() {
    let project = project();
    project.write("fine.yaml", &rules(&["vllm:num_requests_waiting > 80"]));
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.33.0", "fine.yaml"])
        .exits(0);
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.33.0"])
        .exits(0);
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.99.0"])
        .exits(2)
        .says("not recorded");
}

/// The fates of one rule for each query, and the reasons.
fn fates(product: &str, [from, to]: [&str; 2], queries: &[&str]) -> Vec<(String, String)> {
    let project = Project::new();
    project.write("rules.yaml", &rules(queries));
    let args = [
        "drift",
        "--product",
        product,
        "--from",
        from,
        "--to",
        to,
        "rules.yaml",
        "--format",
        "json",
    ];
    let json: serde_json::Value = serde_json::from_str(&project.run(&args).out).expect("JSON");
    let items = json["items"].as_array().expect("items").iter();
    let text = |value: &serde_json::Value| value.as_str().expect("words").to_owned();
    let reasons = |item: &serde_json::Value| {
        let all = item["reasons"].as_array().expect("a list").iter();
        all.map(text).collect::<Vec<_>>().join("; ")
    };
    items
        .map(|item| (text(&item["fate"]), reasons(item)))
        .collect()
}

#[test]
fn a_query_that_selects_a_label_returns_data_where_the_metric_has_it() {
    let sglang = fates(
        "sglang",
        ["0.4.4", "0.5.23"],
        &[
            "sglang:num_queue_reqs{pp_rank=\"0\"} > 3",
            "max by (model_name) (sglang:num_queue_reqs{num_prefill_ranks=\"3\"}) > 3",
            "sum(rate(sglang:prompt_tokens_histogram_bucket{moe_ep_rank=~\".+\"}[5m])) > 3",
            // Deployments may add it, or the scrape.
            "sum(sglang:num_queue_reqs{cluster=\"a\", pod=\"b\"}) > 3",
            "sum(sglang:num_queue_reqs{pp_rank!=\"1\"}) > 3",
            "sum by (moe_ep_rank) (sglang:num_queue_reqs) > 3",
        ],
    );
    let on_old = "`sglang:num_queue_reqs` has no label `pp_rank` on SGLang 0.4.4";
    let never = "`sglang:num_queue_reqs` has no label `num_prefill_ranks` on SGLang 0.5.23";
    let on_new =
        "`sglang:prompt_tokens_histogram_bucket` has no label `moe_ep_rank` on SGLang 0.5.23";
    let grouped = "`sglang:num_queue_reqs` gains the label `moe_ep_rank`: the query groups by it";
    let expected = [
        ("revived", on_old),
        ("dead before and after", never),
        ("dead before and after", on_new),
        ("works", ""),
        ("works", ""),
        ("changes meaning", grouped),
    ];
    let expected = expected.map(|(fate, why)| (fate.to_owned(), why.to_owned()));
    assert_eq!(sglang, expected);
    let back = fates(
        "sglang",
        ["0.5.23", "0.4.4"],
        &["sglang:num_queue_reqs{pp_rank=\"0\"} > 3"],
    );
    assert_eq!(back, [("dies".to_owned(), on_old.to_owned())]);
    let vllm = fates(
        "vllm",
        ["0.7.0", "0.33.0"],
        &["vllm:num_requests_waiting{engine=\"0\"} > 3"],
    );
    let old = "`vllm:num_requests_waiting` has no label `engine` on vLLM 0.7.0";
    assert_eq!(vllm, [("revived".to_owned(), old.to_owned())]);
}

#[test]
fn changed_labels_and_buckets_of_every_server_are_listed() {
    for (product, from, to, line) in [
        ("sglang", "0.4.3", "0.4.4", "labels +engine_type"),
        ("sglang", "0.5.1", "0.5.2", "buckets +"),
        ("litellm", "1.55.0", "1.60.0", "labels +requested_model"),
        ("ray-serve", "2.10.0", "2.11.0", "labels +actor_id +handle"),
        ("triton", "24.6.0", "24.7.0", "labels +reason"),
        ("dynamo", "1.3.1", "1.6.1", "buckets +"),
    ] {
        let project = Project::new();
        let args = ["drift", "--product", product, "--from", from, "--to", to];
        let out = project.run(&args).exits(0).out;
        assert!(
            out.contains("\nchanged\n") && out.contains(line),
            "{line}\n{out}"
        );
    }
    let project = Project::new();
    // Pages from source show no boundaries.
    let args = "drift --product litellm --from 1.79.0 --to 1.80.0";
    let out = project
        .run(&args.split(' ').collect::<Vec<_>>())
        .exits(0)
        .out;
    assert!(!out.contains("buckets"), "{out}");
}

#[test]
fn other_buckets_change_quantiles_of_every_server() {
    let query = "histogram_quantile(0.9, sum by (le) (rate(sglang:e2e_request_latency_seconds_bucket[5m]))) > 3";
    let [(fate, why)] = &fates("sglang", ["0.5.1", "0.5.2"], &[query])[..] else {
        panic!("one rule");
    };
    assert_eq!(fate, "changes meaning");
    assert!(why.contains("changes its buckets"), "{why}");
}
