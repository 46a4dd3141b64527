//! Servers other than vLLM: their signals against their pages, and the first project of each.

use slosmith::catalog::{Catalog, Embedded, MetricType, Shape};
use slosmith::library;
use slosmith::spec::{FamilyKind, Signal};

use crate::project::Project;

/// What the newest release shows of a family, in any profile.
fn newest(catalog: &'static Catalog, family: &str) -> Shape {
    let releases = catalog.releases().iter().rev();
    let found = catalog.family(family);
    let family = found.unwrap_or_else(|| panic!("{family} is recorded"));
    let shapes = releases.flat_map(|release| {
        let profiles = release.profiles();
        profiles.filter_map(|profile| family.in_profile(release, profile))
    });
    let mut shapes: Vec<_> = shapes.cloned().collect();
    // Pages from source have no boundaries.
    let is_full = |shape: &Shape| shape.kind != MetricType::Histogram || shape.buckets.len() > 1;
    let full = shapes.iter().position(is_full).unwrap_or(0);
    shapes.swap_remove(full)
}

fn seconds(text: &str) -> f64 {
    match text.strip_suffix("ms") {
        Some(number) => format!("{number}e-3").parse().expect("a number"),
        None => text.trim_end_matches('s').parse().expect("a number"),
    }
}

/// The boundaries of a signal, in the unit of its metric.
fn boundaries(signal: &Signal) -> Vec<f64> {
    let binding = &signal.prometheus.as_ref().expect("a binding").value;
    let all = binding.buckets.iter().flatten();
    let scale = signal.scale.as_ref();
    let is_ms = scale.is_some_and(|scale| scale.value.to_string() == "1ms");
    let scale = if is_ms { 1_000.0 } else { 1.0 };
    all.map(|bound| seconds(&bound.value.to_string()) * scale)
        .collect()
}

#[test]
fn signals_are_what_the_newest_page_shows() {
    let mut count = 0;
    for (product, name) in library::of_others() {
        let signal = library::signal(&name).expect("a signal");
        if signal.base.is_some() {
            // A part of another one.
            assert!(!library::families(&name).is_empty(), "{name}");
            continue;
        }
        let [family] = library::families(&name)[..] else {
            panic!("{name}: one family");
        };
        let catalog = product.catalog();
        if catalog.family(family).is_none() {
            // The sum of a histogram counts.
            let is_part = catalog.series_of(family).is_some();
            let is_counter = signal.kind.as_ref().expect("a kind").value == FamilyKind::Counter;
            assert!(is_part && is_counter, "{name}: {family}");
            continue;
        }
        let shape = newest(catalog, family);
        let kind = match signal.kind.as_ref().expect("a kind").value {
            FamilyKind::Counter => MetricType::Counter,
            FamilyKind::Gauge => MetricType::Gauge,
            FamilyKind::Histogram => MetricType::Histogram,
        };
        assert_eq!(shape.kind, kind, "{name}");
        for label in signal.has_labels.iter().flatten() {
            assert!(shape.labels.contains(&label.value), "{name}: {label}");
        }
        let recorded = shape.buckets.iter().filter(|bound| *bound != "+Inf");
        let recorded: Vec<f64> = recorded
            .map(|bound| bound.parse().expect("a number"))
            .collect();
        assert_eq!(boundaries(signal), recorded, "{name}");
        assert!(
            signal.title.is_some() && signal.description.is_some(),
            "{name}"
        );
        count += 1;
    }
    assert!(count > 25, "{count} signals");
}

#[test]
fn a_page_of_a_server_becomes_a_project() {
    for (key, page) in [
        ("sglang", "0.3.6/default"),
        ("sglang", "0.5.23/default"),
        ("litellm", "1.55.0/default"),
        ("litellm", "1.106.0/default"),
        ("dynamo", "1.6.1/frontend"),
        ("tgi", "0.3.0/default"),
        ("llama-cpp", "2258/default"),
        ("triton", "20.3/default"),
        ("ray-serve", "2.60.0/default"),
        ("kserve", "0.21.0/default"),
    ] {
        let project = Project::empty();
        let page = format!("{}/catalog/{key}/{page}.prom", env!("CARGO_MANIFEST_DIR"));
        let steps: [&[&str]; 4] = [
            &["init", "--name", "chat", "--ci", "none", "--metrics", &page],
            &["build"],
            &["build", "--check"],
            &["lint", "."],
        ];
        for step in steps {
            let ran = project.run(step);
            let said = format!("{}{}", ran.out, ran.err);
            assert_eq!(ran.code, Some(0), "{key} {step:?}: {said}");
            assert!(
                !said.to_lowercase().contains("vllm"),
                "{key} {step:?}: {said}"
            );
            assert!(!said.contains("warning"), "{key} {step:?}: {said}");
        }
        let title = &Embedded::find(key).expect("recorded").identity.title;
        let config = project.read("slosmith.toml");
        assert!(
            config.contains(&format!("[products]\n{key} = ")),
            "{title}: {config}"
        );
        assert!(
            !project
                .read("specs/chat.yaml")
                .to_lowercase()
                .contains("vllm")
        );
    }
}

#[test]
fn signals_of_servers_that_are_meant() {
    for (written, meant) in [
        ("sglang.ttft", "sglang.time_to_first_token"),
        ("sglang.requests_waitng", "sglang.requests_waiting"),
        ("sglng.time_to_first_token", "sglang.time_to_first_token"),
        (
            "sglang:time_to_first_token_seconds",
            "sglang.time_to_first_token",
        ),
        ("litellm.request_latncy", "litellm.request_latency"),
        ("vllm.ttft", "vllm.time_to_first_token"),
    ] {
        assert_eq!(library::meant(written).as_deref(), Some(meant), "{written}");
    }
}

#[test]
fn a_server_without_a_first_spec_says_so() {
    let project = Project::empty();
    let ran = project.run(&[
        "init",
        "--name",
        "chat",
        "--ci",
        "none",
        "--product",
        "dcgm",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("no first spec for dcgm-exporter"),
        "{}",
        ran.err
    );
}

#[test]
fn drift_compares_the_only_server_of_a_project() {
    let project = Project::empty();
    project.write("slosmith.toml", "[products]\nsglang = \"0.4.3\"\n");
    project.write(
        "rules.yaml",
        "groups: [{name: a, rules: [{record: r, expr: \"sum(rate(sglang:time_per_output_token_seconds_bucket[5m]))\"}]}]",
    );
    let ran = project.run(&["drift", "--from", "0.4.3", "--to", "0.5.1", "rules.yaml"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("SGLang 0.4.3 → 0.5.1"), "{}", ran.out);
}

#[test]
fn commands_look_up_the_only_server_of_a_project() {
    let project = Project::empty();
    let out = |args: &[&str]| project.run(args).exits(0).out;
    assert!(out(&["signals"]).contains("vllm.requests_waiting"));
    project.write("slosmith.toml", "[products]\nsglang = \"0.4.3\"\n");
    let signals = out(&["signals"]);
    assert!(
        signals.contains("sglang.") && !signals.contains("vllm."),
        "{signals}"
    );
    let one = out(&["signals", "time_to_first_token"]);
    assert!(one.contains("sglang:time_to_first_token_seconds"), "{one}");
    let vllm = out(&["signals", "--product", "vllm"]);
    assert!(vllm.contains("vllm."), "{vllm}");
    assert!(out(&["signals", "--vllm", "0.33.0"]).contains("vllm."));
    assert!(out(&["catalog", "list", "--release", "0.5.23"]).contains("sglang:"));
    assert!(out(&["catalog", "diff", "0.4.3", "0.5.1"]).contains("SGLang 0.4.3"));
    project.write(
        "slosmith.toml",
        "[products]\nsglang = \"0.4.3\"\nlitellm = \"1.80.0\"\n",
    );
    assert!(out(&["signals"]).contains("vllm."));
}

#[test]
fn the_preview_shows_the_metrics_of_every_server() {
    let project = Project::empty();
    let spec = "apiVersion: slosmith/v1\nservice: {name: chat, owner: sre}\nruntime: {sglang: '0.5.23'}\nalerts:\n  Queue:\n    severity: warning\n    when: {signal: sglang.requests_waiting, above: 5}\n    for: 5m\n    summary: Requests wait\n    runbook: https://git.example/r\n";
    project.write("specs/chat.yaml", spec);
    project.run(&["preview"]).exits(0);
    let page = project.read("preview/chat.html");
    assert!(
        page.contains("Each column is a release of SGLang"),
        "{page}"
    );
    assert!(page.contains("sglang:num_queue_reqs") && !page.contains("vLLM"));
}

#[test]
fn releases_of_a_server_are_set_in_the_configuration() {
    let project = Project::empty();
    project.write("rules.yaml", "groups: [{name: a, rules: [{record: r, expr: \"sum(sglang:num_retracted_requests_total)\"}]}]");
    project.write("slosmith.toml", "[products]\nsglang = \"0.5.2\"\n");
    let ran = project.run(&["lint", "--format", "concise", "."]);
    assert!(ran.out.contains("no data on SGLang 0.5.2"), "{}", ran.out);
    let newer = project.run(&[
        "lint",
        "--format",
        "concise",
        "--product",
        "sglang=0.5.23",
        ".",
    ]);
    assert!(!newer.out.contains("no data"), "{}", newer.out);
    project.write(
        "slosmith.toml",
        "vllm = \"0.33.0\"\n[products]\nvllm = \"0.32.0\"\n",
    );
    let ran = project.run(&["lint", "."]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("set twice"), "{}", ran.err);
    project.write("slosmith.toml", "[products]\nsglan = \"0.5.2\"\n");
    let ran = project.run(&["lint", "."]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean `sglang`?"), "{}", ran.err);
}

#[test]
fn a_spec_needs_releases_that_have_its_signals() {
    let project = Project::empty();
    let spec = "apiVersion: slosmith/v1\nservice: {name: chat, owner: sre}\nalerts:\n  Retracts:\n    severity: warning\n    when: {signal: sglang.preemptions, stat: rate, above: 1/s}\n    for: 5m\n    summary: Requests are retracted\n    runbook: https://git.example/r\n";
    project.write("specs/chat.yaml", spec);
    project.write("slosmith.toml", "[products]\nsglang = \"0.5.2\"\n");
    let ran = project.run(&["build"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let wanted = "`sglang:num_retracted_requests_total` does not exist on SGLang 0.5.2";
    assert!(ran.err.contains(wanted), "{}", ran.err);
}

#[test]
fn drift_of_a_server() {
    let project = Project::empty();
    project.write("rules.yaml", "groups: [{name: a, rules: [{record: r, expr: \"sum(sglang:num_prefill_prealloc_queue_reqs)\"}]}]");
    let ran = project.run(&[
        "drift",
        "--product",
        "sglang",
        "--from",
        "0.5.10",
        "--to",
        "0.5.23",
        "rules.yaml",
    ]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.starts_with("1 of 1 query breaks"), "{}", ran.out);
    assert!(
        ran.out.contains("sglang:num_prefill_bootstrap_queue_reqs"),
        "{}",
        ran.out
    );
}

#[test]
fn a_service_of_the_project_is_a_product_too() {
    let project = Project::empty();
    let page = |total: &str| {
        format!("# TYPE gateway_{total} counter\ngateway_{total}{{code=\"200\"}} 0\n")
    };
    let provenance = |version: &str| {
        let page = "{\"tier\": \"server\", \"engine\": \"\", \"page\": \"whole\"}";
        format!("{{\"version\": \"{version}\", \"profiles\": {{\"default\": {page}}}}}")
    };
    for (version, total) in [
        ("1.0.0", "requests_total"),
        ("2.0.0", "http_requests_total"),
    ] {
        project.write(
            &format!("metrics/gateway/{version}/default.prom"),
            &page(total),
        );
        project.write(
            &format!("metrics/gateway/{version}/provenance.json"),
            &provenance(version),
        );
    }
    project.write(
        "metrics/gateway/product.yaml",
        "title: Gateway\nprefixes: [gateway_]\n",
    );
    let renamed = "changes:\n  - family: gateway_requests_total\n    kind: rename\n    replaced_by: {family: gateway_http_requests_total}\n    removed: 2.0.0\n    note: the same counter\n";
    project.write("metrics/gateway/lineage.yaml", renamed);
    project.write("slosmith.toml", "catalogs = [\"metrics/gateway\"]\n");
    project.write("rules.yaml", "groups: [{name: a, rules: [{record: r, expr: \"sum(rate(gateway_requests_total[5m]))\"}, {record: s, expr: \"sum(gateway_conections)\"}]}]");
    let ran = project.run(&["lint", "rules.yaml"]);
    for wanted in [
        "`gateway_requests_total` was removed in 2.0.0: no data on Gateway 2.0.0",
        "replace `gateway_requests_total` with `gateway_http_requests_total`",
        "`gateway_conections` exists in no Gateway release",
    ] {
        assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
    }
    let old = project.run(&[
        "lint",
        "--product",
        "gateway=1.0.0",
        "--format",
        "concise",
        "rules.yaml",
    ]);
    assert!(!old.out.contains("gateway_requests_total"), "{}", old.out);
}

/// One line of the spec says which engine the service runs.
#[test]
fn a_spec_moves_between_engines_by_one_line() {
    const SPEC: &str = "\
apiVersion: slosmith/v1
service: {name: chat}
runtime: {vllm: \">=0.20, <0.34\"}
links: {runbooks: \"https://git.example/runbooks\"}
prometheus: {selector: {env: prod}, group_by: [model_name]}
signals:
  cache: {use: llm.kv_cache_usage}
slos:
  ttft: {objective: 99%, period: 28d, min_events: 20, sli: {latency: {signal: llm.time_to_first_token, at_most: 1s}}}
alerts:
  Full: {summary: The KV cache is full., when: {signal: cache, above: 95%}, for: 10m, severity: ticket}
  Queue: {summary: Requests wait., when: {signal: llm.requests_waiting, above: 20}, for: 10m, severity: ticket}
";
    let queries = [
        (
            SPEC.to_owned(),
            "vllm:kv_cache_usage_perc{env=\"prod\"}",
            "vllm:num_requests_waiting{env=\"prod\"}",
            "vLLM >=0.20, <0.34 (",
        ),
        (
            SPEC.replace("vllm: \">=0.20, <0.34\"", "sglang: \">=0.5.12\""),
            "sglang:token_usage{env=\"prod\"}",
            "sglang:num_queue_reqs{env=\"prod\", priority=\"\"}",
            "SGLang >=0.5.12 (",
        ),
        (
            SPEC.replace(
                "vllm: \">=0.20, <0.34\"",
                "vllm: \">=0.20, <0.34\", litellm: \">=1.80\"",
            ),
            "vllm:kv_cache_usage_perc{env=\"prod\"}",
            "vllm:num_requests_waiting{env=\"prod\"}",
            "LiteLLM >=1.80 (",
        ),
    ];
    for (spec, cache, waiting, servers) in queries {
        let project = Project::empty();
        project.write("specs/chat.yaml", &spec);
        let built = project.run(&["build"]).exits(0);
        assert!(!built.err.contains("warning"), "{}", built.err);
        assert!(built.err.contains(servers), "{}", built.err);
        let rules = project.read("generated/chat/prometheus/rules/alerts.yaml");
        assert!(rules.contains(cache) && rules.contains(waiting), "{rules}");
    }
}

/// Two specs of the same servers alert two owners; those of another engine are other servers.
#[test]
fn specs_that_select_the_same_servers() {
    let spec = |name: &str, runtime: &str, selector: &str| {
        format!(
            "\
apiVersion: slosmith/v1
service: {{name: {name}}}
runtime: {{{runtime}}}
links: {{runbooks: \"https://git.example/runbooks\"}}
prometheus: {{selector: {{{selector}}}, group_by: []}}
slos:
  ttft: {{objective: 99%, period: 28d, min_events: 20, sli: {{latency: {{signal: llm.time_to_first_token, at_most: 1s}}}}}}
"
        )
    };
    let sglang = "sglang: \">=0.5.12\"";
    let vllm = "vllm: \">=0.20, <0.34\"";
    for (first, second, selector, is_shared) in [
        (sglang, sglang, "job: chat", true),
        (sglang, vllm, "job: chat", false),
        (vllm, vllm, "job: chat, model_name: llama", true),
        (sglang, sglang, "job: chat, model_name: llama", true),
    ] {
        let project = Project::empty();
        project.write("specs/a.yaml", &spec("a", first, selector));
        project.write("specs/b.yaml", &spec("b", second, selector));
        let built = project.run(&["build"]).exits(0);
        assert_eq!(
            built.err.contains("shared-servers"),
            is_shared,
            "{}",
            built.err
        );
        // `up` has the labels of targets alone.
        let files = project.files("generated/a/prometheus/rules").into_iter();
        let rules = files.map(|file| project.read(&format!("generated/a/prometheus/rules/{file}")));
        let rules: String = rules.collect();
        assert!(rules.contains("up{job=\"chat\"}"), "{rules}");
    }
}

#[test]
fn the_signals_of_any_engine_are_documented() {
    let page = std::fs::read_to_string("docs/servers.md").expect("the page");
    let names = library::of_engines().map(|name| format!("`{name}`"));
    let list = names.collect::<Vec<_>>().join(", ");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&list), "the list is now {list}");
}

/// A project runs a release that is newer than the recordings: it adds its own.
#[test]
fn a_newer_release_is_recorded_in_the_project() {
    let project = Project::empty();
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/catalog/sglang/0.5.23/default.prom"
    );
    let page = std::fs::read_to_string(folder).expect("the page");
    let page = page.replace("num_running_reqs", "num_active_reqs");
    project.write("page.prom", &page);
    let record = |out: &str| {
        let what = ["catalog", "record", "page.prom", "--product", "sglang"];
        project.run(&[&what[..], &["--version", "0.6.0", "--out", out]].concat())
    };
    let ran = record("metrics/ours");
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("must be named `sglang`"), "{}", ran.err);
    record("metrics/sglang").exits(0);
    project.write("slosmith.toml", "catalogs = [\"metrics/sglang\"]\n");
    project.write(
        "rules.yaml",
        "groups: [{name: a, rules: [{record: r, expr: 'sum(sglang:num_active_reqs) + sum(sglang:num_running_reqs) + sum(sglang:queue_time_s_sum)'}]}]",
    );
    let ran = project.run(&["lint", "--format", "concise", "rules.yaml"]);
    // A page shows what was used; a rename is known.
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    let wanted = "`sglang:queue_time_s_sum` was removed in 0.5.3: no data on SGLang 0.6.0";
    assert!(ran.out.contains(wanted), "{}", ran.out);
    project.write(
        "specs/chat.yaml",
        "apiVersion: slosmith/v1\nservice: {name: chat, owner: sre}\nruntime: {sglang: \">=0.6\"}\nlinks: {runbooks: https://git.example/r}\nalerts:\n  Waiting: {severity: warning, when: {signal: llm.requests_waiting, above: 80}, for: 2m, summary: Requests wait}\n",
    );
    let ran = project.run(&["build"]).exits(0);
    assert!(ran.err.contains("SGLang >=0.6 (0.6.0)"), "{}", ran.err);
    let list = project.run(&["catalog", "list", "--product", "sglang"]);
    assert!(list.exits(0).out.contains("37 releases of SGLang"));
}

/// A label that some of the releases in use lack selects nothing there.
#[test]
fn a_label_of_newer_releases() {
    let project = Project::empty();
    let spec = |range: &str, value: &str| {
        format!(
            "apiVersion: slosmith/v1\nservice: {{name: chat, owner: sre}}\nruntime: {{sglang: \"{range}\"}}\nlinks: {{runbooks: https://git.example/r}}\nalerts:\n  Slow: {{severity: warning, when: {{signal: llm.time_to_first_token, stat: p95, window: 5m, above: 2s, where: {{is_streaming: {value}}}}}, for: 2m, summary: Answers wait}}\n"
        )
    };
    for (range, value, warned) in [
        (">=0.5.11", "'true'", true),
        (">=0.5.17", "'true'", false),
        // Also series without the label.
        (">=0.5.11", "{not: 'false'}", false),
    ] {
        project.write("specs/chat.yaml", &spec(range, value));
        let ran = project.run(&["build"]).exits(0);
        let warning =
            "has no label `is_streaming` on SGLang 0.5.11–0.5.16: nothing is selected there";
        assert_eq!(
            ran.err.contains(warning),
            warned,
            "{range} {value}: {}",
            ran.err
        );
    }
}

/// All labels that a server's page shows can be used, also the ranks of SGLang's schedulers.
#[test]
fn labels_of_a_recorded_page() {
    let project = Project::empty();
    let spec = "apiVersion: slosmith/v1\nservice: {name: chat, owner: sre}\nruntime: {sglang: \">=0.5.9\"}\nlinks: {runbooks: https://git.example/r}\nalerts:\n  Waits: {severity: warning, when: {signal: sglang.requests_waiting, by: [tp_rank], above: 10}, for: 2m, summary: Requests wait}\n";
    project.write("specs/chat.yaml", spec);
    project.run(&["build"]).exits(0);
    let rules = project.read("generated/chat/prometheus/rules/alerts.yaml");
    assert!(rules.contains("by (tp_rank)"), "{rules}");
}

/// An optional signal of a metric that a release in use lacks is left out, whichever server has it and however it is written.
#[test]
fn an_optional_signal_of_a_missing_metric_is_left_out() {
    let project = Project::empty();
    for (range, binding) in [
        ("vllm: \">=0.20\"", "metric: \"vllm:num_requests_swapped\""),
        (
            "vllm: \">=0.20\"",
            "promql: \"sum(vllm:num_requests_swapped)\"",
        ),
        (
            "sglang: \"==0.5.2\"",
            "metric: \"sglang:num_retracted_requests_total\"",
        ),
        (
            "sglang: \"==0.5.2\"",
            "promql: \"max(sglang:num_retracted_requests_total)\"",
        ),
    ] {
        let across = if binding.starts_with("metric") {
            ", across: sum"
        } else {
            ""
        };
        let spec = |optional: bool| {
            format!(
                "apiVersion: slosmith/v1\nservice: {{name: chat, owner: sre}}\nruntime: {{{range}}}\nsignals:\n  old: {{title: Old, kind: gauge, unit: requests{across}, optional: {optional}, prometheus: {{{binding}}}}}\ndashboards:\n  main: {{title: Main, rows: [{{title: Row, panels: [{{signal: old}}]}}]}}\n"
            )
        };
        project.write("specs/chat.yaml", &spec(true));
        let ran = project.run(&["build"]).exits(0);
        assert!(ran.err.contains("exists only"), "{binding}: {}", ran.err);
        project.write("specs/chat.yaml", &spec(false));
        let ran = project.run(&["build"]);
        let missing = "set `optional: true` to leave the signal out where the metric is missing";
        assert!(
            !binding.contains("vllm") || ran.err.contains(missing),
            "{binding}: {}",
            ran.err
        );
    }
}

/// `llm.` before a name shows the signal of each engine that has it.
#[test]
fn a_signal_of_any_engine_is_shown() {
    let project = Project::empty();
    let ran = project.run(&["signals", "llm.requests_waiting"]).exits(0);
    for name in ["vllm", "sglang", "tgi", "llama-cpp"] {
        let heading = format!("{name}.requests_waiting  Waiting requests");
        assert!(ran.out.contains(&heading), "{name}: {}", ran.out);
    }
    let ran = project.run(&["signals", "llm.requests_waitin"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("did you mean `llm.requests_waiting`?"),
        "{}",
        ran.err
    );
}

/// A family that became a histogram, or a summary, has other series on the other side.
#[test]
fn series_follow_the_type_of_their_family() {
    let project = Project::empty();
    let rule =
        |expr: &str| format!("groups: [{{name: a, rules: [{{record: r, expr: '{expr}'}}]}}]");
    for (series, product, finding) in [
        (
            "sglang:kv_transfer_latency_ms_count",
            "sglang=0.5.2",
            "future-metric] `sglang:kv_transfer_latency_ms_count` was added in 0.5.",
        ),
        ("sglang:kv_transfer_latency_ms_count", "sglang=0.5.23", ""),
        ("tgi_request_skipped_tokens_count", "tgi=3.3.7", ""),
        (
            "tgi_request_skipped_tokens_bucket{le=\"+Inf\"}",
            "tgi=3.3.7",
            "removed-metric] `tgi_request_skipped_tokens_bucket` was removed",
        ),
        (
            "tgi_request_skipped_tokens_bucket{le=\"+Inf\"}",
            "tgi=2.2.0",
            "",
        ),
    ] {
        project.write("rules.yaml", &rule(&format!("sum(rate({series}[5m]))")));
        let ran = project.run(&[
            "lint",
            "--format",
            "concise",
            "--product",
            product,
            "rules.yaml",
        ]);
        let found = ran.out.contains("-metric]");
        assert_eq!(
            found,
            !finding.is_empty(),
            "{series} {product}: {}",
            ran.out
        );
        assert!(ran.out.contains(finding), "{series} {product}: {}", ran.out);
        assert!(!ran.out.contains("was added in 0.5.2:"), "{}", ran.out);
    }
}
