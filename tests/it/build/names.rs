//! Names of a store in all outputs, and the relabelling that writes them.

use crate::project::Project;

/// A service with vLLM's metrics, those of another server with a colon, and its own.
const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: chat, owner: team}
runtime: {vllm: ">=0.9, <0.34"}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
kubernetes: {namespace: monitoring}
prometheus:
  selector: {job: vllm}
  group_by: [model_name]
  jobs:
    vllm: {kubernetes: {pods: {app: vllm}, port: http}}
cloudwatch: {region: us-east-1, namespace: Chat, via: VIA}
signals:
  ttft: {use: vllm.time_to_first_token}
  cache: {use: vllm.kv_cache_usage}
  hits: {ratio: {of: vllm.prefix_cache_hits, over: vllm.prefix_cache_queries}}
  raw: {kind: gauge, unit: requests, prometheus: {promql: "sum by (model_name) (vllm:num_requests_waiting)"}}
  plugin: {kind: gauge, unit: requests, across: sum, has_labels: [model_name], prometheus: {metric: vllm_plugin_queue, job: vllm}}
  running: {kind: gauge, unit: requests, across: sum, has_labels: [model_name], prometheus: {metric: "sglang:num_running_reqs", job: sglang}}
slos:
  ttft: {objective: 99%, period: 28d, sli: {latency: {signal: ttft, at_most: 500ms}}}
  waiting: {objective: 99%, period: 28d, group_by: [], sli: {promql: {bad: "sum(rate(vllm:num_preemptions_total[$window]))", total: "sum(rate(vllm:request_success_total[$window]))"}}}
alerts:
  Full: {severity: warning, when: {all: [{signal: cache, above: 95%}, {signal: hits, below: 10%}]}, for: 5m, runbook: full}
  Absent: {severity: warning, when: {signal: vllm.requests_running, absent: true}, for: 5m}
  Raw: {severity: warning, when: {signal: raw, above: 5}}
  Plugin: {severity: warning, when: {signal: plugin, above: 5}}
  Running: {severity: warning, when: {signal: running, above: 5}}
dashboards:
  main:
    rows: [{title: All, panels: [{title: Cache, signal: cache}, {title: Own, promql: "vllm:num_requests_running"}]}]
runbooks:
  full: {title: Full, steps: [{id: cache, title: Is it full?, when: {signal: cache, above: 95%}, cause: Load}], fixes: {}}
"#;

fn project(via: &str) -> Project {
    let project = Project::empty();
    let spec = SPEC.replace("VIA", via);
    project.write("specs/chat.yaml", &spec);
    project
}

/// Lines of all generated files with a text, without those of relabelling.
fn lines(project: &Project, text: &str) -> Vec<String> {
    let files = project.files("generated/chat").into_iter();
    let files = files.map(|file| project.read(&format!("generated/chat/{file}")));
    let all: Vec<_> = files
        .flat_map(|file| file.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let guard = |line: &&String| {
        ["regex:", "replacement:", "replace_pattern(", "metric.name"]
            .iter()
            .any(|word| line.contains(word))
    };
    all.iter()
        .filter(|line| line.contains(text) && !guard(line))
        .cloned()
        .collect()
}

#[test]
fn scraping_stores_the_served_names() {
    let project = project("otlp");
    project.run(&["build", "--validate"]).exits(0);
    let scrape = project.read("generated/chat/prometheus/scrape.yaml");
    for (from, to) in [
        ("vllm_(.+)", "vllm:$1"),
        ("vllm:(plugin_queue)", "vllm_$1"),
        ("sglang_(.+)", "sglang:$1"),
    ] {
        let guard = format!(
            "        regex: {from}\n        target_label: \"__name__\"\n        replacement: {to}\n"
        );
        assert!(scrape.contains(&guard), "{guard}{scrape}");
    }
    let monitor = project.read("generated/chat/prometheus/monitors/vllm.podmonitor.yaml");
    assert!(monitor.contains("replacement: vllm:$1"), "{monitor}");
    let collector = project.read("generated/chat/cloudwatch/otel-collector.yaml");
    for text in [
        "processors: [transform/names, batch]",
        r#"- replace_pattern(metric.name, "^vllm_", "vllm:")"#,
        r#"- set(metric.name, "vllm_plugin_queue") where metric.name == "vllm:plugin_queue""#,
        "vllm_kv_cache_usage_perc|",
    ] {
        assert!(collector.contains(text), "{text}: {collector}");
    }
    let agent = self::project("agent");
    agent.run(&["build", "--validate"]).exits(0);
    let agent = agent.read("generated/chat/cloudwatch/agent-prometheus.yaml");
    assert!(agent.contains("replacement: vllm:$1"), "{agent}");
}

/// Every rule, unit test, panel, alarm and runbook has the names of the store; nothing has the served ones.
#[test]
fn all_outputs_use_the_names_of_the_store() {
    for (via, prefix) in [("otlp", "vllm_"), ("agent", "ray_vllm:")] {
        let project = project(via);
        project.run(&["build"]).exits(0);
        let before = lines(&project, "vllm:").len();
        let names = format!("vllm: {{names: \"{prefix}\", kubernetes");
        project.edit("specs/chat.yaml", "vllm: {kubernetes", &names);
        project.edit(
            "specs/chat.yaml",
            "(model_name) (",
            &format!("(model_name) ({prefix}num_requests_running or "),
        );
        project.run(&["build", "--validate"]).exits(0);
        let left = lines(&project, "vllm:");
        let left: Vec<_> = left.iter().filter(|line| !line.contains(prefix)).collect();
        assert!(left.is_empty(), "{left:#?}");
        let stored = lines(&project, prefix).len();
        assert!(stored >= before, "{stored} lines, {before} before");
        assert!(!lines(&project, "sglang:num_running_reqs").is_empty());
        project
            .run(&[
                "lint",
                "generated/chat/prometheus",
                "generated/chat/grafana",
                "specs",
                "--fail-on",
                "warning",
            ])
            .exits(0);
    }
}

#[test]
fn lint_knows_the_names_of_the_store_from_specs() {
    let project = project("agent");
    project.edit(
        "specs/chat.yaml",
        "vllm: {kubernetes",
        "vllm: {names: vllm_, kubernetes",
    );
    let rules = "groups: [{name: g, rules: [{record: a:b:c, expr: NAME}]}]\n";
    project.write(
        "own.yaml",
        &rules.replace("NAME", "vllm_num_requests_waiting"),
    );
    project
        .run(&["lint", "own.yaml", "specs", "--fail-on", "info"])
        .exits(0);
    project.write(
        "own.yaml",
        &rules.replace("NAME", "vllm:num_requests_waiting"),
    );
    let ran = project
        .run(&["lint", "own.yaml", "specs", "--fail-on", "warning"])
        .exits(1);
    assert!(
        ran.out.contains("your store has the prefix `vllm_`"),
        "{}",
        ran.out
    );
}

/// A metric of the spec may end in `_created`: only the creation times of counters and histograms are dropped, by name.
#[test]
fn creation_times_are_dropped_and_metrics_of_the_spec_are_not() {
    let project = Project::empty();
    let spec = r#"
apiVersion: slosmith/v1
service: {name: shop, owner: team}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {external_labels: [region, prometheus_replica]}
signals:
  last: {kind: gauge, unit: seconds, across: max, prometheus: {metric: batch_last_created, job: batch}}
  failed: {use: orders, where: {code: "500"}}
  orders: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: orders_total, job: batch}}
slos:
  orders: {objective: 99%, period: 28d, sli: {ratio: {total: orders, bad: failed}}}
alerts:
  Old: {severity: warning, when: {signal: last, above: 5s}}
"#;
    project.write("specs/shop.yaml", spec);
    project.run(&["build", "--validate"]).exits(0);
    let scrape = project.read("generated/shop/prometheus/scrape.yaml");
    assert!(
        scrape.contains("regex: orders_created\n        action: drop"),
        "{scrape}"
    );
    // No signal names the service's own job.
    assert_eq!(scrape.matches("job_name").count(), 1, "{scrape}");
    // A page of one region leaves the tickets of others alone; those of a pair of servers are the same.
    let inhibition = project.read("generated/shop/prometheus/alertmanager.yaml");
    let equal = "equal:\n      - slo\n      - region\n";
    assert!(inhibition.ends_with(equal), "{inhibition}");
    // Started replicas are those of a job that is scraped.
    let overview = project.read("generated/shop/grafana/dashboards/overview.json");
    assert!(
        overview.contains(r#"process_start_time_seconds{job=\"batch\"#),
        "{overview}"
    );
    // Rules that read no histogram need none of its series.
    let classic =
        "- target_label: \"__always_scrape_classic_histograms__\"\n        replacement: \"true\"";
    assert!(!scrape.contains(classic), "{scrape}");
    let histogram = "signals:\n  last: {kind: histogram, unit: seconds, prometheus: {metric: run_seconds, job: batch, buckets: [1s, 9s]}}";
    let read = spec.replace(
        "  Old: {severity: warning, when: {signal: last,",
        "  Old: {severity: warning, when: {signal: last, stat: p50,",
    );
    let read = read.replace("signals:\n  last: {kind: gauge, unit: seconds, across: max, prometheus: {metric: batch_last_created, job: batch}}", histogram);
    project.write("specs/shop.yaml", &read);
    project.run(&["build"]).exits(0);
    let scrape = project.read("generated/shop/prometheus/scrape.yaml");
    assert!(scrape.contains(classic), "{scrape}");
    let slow = "\n  Slow: {severity: warning, when: {promql: 'sum(rate(run_seconds_bucket{job=\"batch\", le=\"9\"}[5m])) > 5'}, summary: Slow}\n";
    project.write("specs/shop.yaml", &format!("{}{slow}", spec.trim_end()));
    project.run(&["build"]).exits(0);
    let scrape = project.read("generated/shop/prometheus/scrape.yaml");
    assert!(scrape.contains(classic), "{scrape}");
    // PromQL of the spec reads the own job.
    let down =
        "\n  Down: {severity: warning, when: {promql: 'up{job=\"shop\"} == 0'}, summary: Down}\n";
    project.write("specs/shop.yaml", &format!("{}{down}", spec.trim_end()));
    project.run(&["build"]).exits(0);
    let scrape = project.read("generated/shop/prometheus/scrape.yaml");
    assert_eq!(scrape.matches("job_name").count(), 2, "{scrape}");
}
