//! Wrong specs beside those of `tests/fixtures/wrong`: nothing that is there changes, and nothing panics.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::build;

mod doubts;
mod mutated;

fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(root)
        .into_iter()
        .map(|e| e.expect("entry"));
    files
        .filter(|e| e.file_type().is_file())
        .map(|e| (e.path().to_owned(), std::fs::read(e.path()).expect("bytes")))
        .collect()
}

#[test]
fn a_failed_build_changes_nothing_that_is_there() {
    let temp = tempfile::tempdir().expect("a folder");
    let (specs, out) = (temp.path().join("specs"), temp.path().join("generated"));
    std::fs::create_dir(&specs).expect("a folder");
    let good = "apiVersion: slosmith/v1\nservice: {name: shop}\n";
    std::fs::write(specs.join("shop.yaml"), good).expect("a spec");
    assert_eq!(build(temp.path(), "specs", &out).status.code(), Some(0));
    let before = tree(&out);
    assert!(!before.is_empty());
    // The good spec is gone, so that its folder would be stale, and a wrong one is beside a right one.
    std::fs::rename(specs.join("shop.yaml"), specs.join("old.txt")).expect("renamed");
    std::fs::write(specs.join("a.yaml"), good.replace("shop", "a")).expect("a spec");
    std::fs::write(specs.join("b.yaml"), good.replace("shop", "b c")).expect("a spec");
    assert_eq!(build(temp.path(), "specs", &out).status.code(), Some(2));
    assert_eq!(tree(&out), before);
}

#[test]
fn an_alert_that_no_test_can_be_made_for_is_told_and_built() {
    let temp = tempfile::tempdir().expect("a folder");
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: \"https://r.example\", grafana: \"https://g.example\"}
signals: {all: {kind: counter, unit: requests, prometheus: {metric: all_total}}}
alerts:
  Quick: {severity: warning, when: {signal: all, stat: rate, window: 1m, above: 5/s}}
  Own: {severity: warning, summary: Too many, when: {promql: \"topk(1, all_total) > 5\"}}
";
    std::fs::write(temp.path().join("shop.yaml"), spec).expect("a spec");
    let built = build(temp.path(), "shop.yaml", &temp.path().join("generated"));
    let said = String::from_utf8_lossy(&built.stderr);
    assert_eq!(built.status.code(), Some(0), "{said}");
    for alert in ["Quick", "Own"] {
        assert!(
            said.contains(&format!("no unit test for `{alert}`")),
            "{said}"
        );
    }
}

/// In `a + b` and `a - b` a missing side empties the result: an error counter has no series before the first error.
#[test]
fn a_sum_that_a_missing_side_empties_is_warned_of() {
    let temp = tempfile::tempdir().expect("a folder");
    let spec = |part: &str| {
        let promql = format!("{{bad: \"{part}\", total: \"sum(rate(a[$window]))\"}}");
        format!(
            "apiVersion: slosmith/v1
service: {{name: shop}}
slos:
  shop: {{objective: 99%, period: 28d, sli: {{promql: {promql}}}, burn: none}}
"
        )
    };
    for (part, sign) in [
        ("sum(rate(a[$window])) + sum(rate(b[$window]))", Some("+")),
        ("sum(rate(a[$window])) - sum(rate(b[$window]))", Some("-")),
        (
            "sum(rate(a[$window])) - (sum(rate(b[$window])) or 0 * sum(rate(a[$window])))",
            None,
        ),
        ("2 * sum(rate(a[$window])) + 1", None),
    ] {
        std::fs::write(temp.path().join("shop.yaml"), spec(part)).expect("a spec");
        let built = build(temp.path(), "shop.yaml", &temp.path().join("generated"));
        let said = String::from_utf8_lossy(&built.stderr);
        assert_eq!(built.status.code(), Some(0), "{said}");
        let warned = sign.map(|sign| format!("warning[missing-operand]: `{sign}` returns nothing"));
        match warned {
            Some(words) => assert!(said.contains(&words), "{part}: {said}"),
            None => assert!(!said.contains("missing-operand"), "{part}: {said}"),
        }
    }
}

/// What is likely a mistake, and may be none, is told; the other word for it is not.
#[test]
fn doubts_are_told() {
    let temp = tempfile::tempdir().expect("a folder");
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
signals:
  load: {kind: gauge, unit: ratio, across: sum, prometheus: {metric: node_load_bytes}}
  size: {kind: gauge, unit: bytes, across: sum, prometheus: {metric: node_size_total}}
  done: {kind: counter, unit: requests, prometheus: {metric: jobs_done}}
  all: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: all_total}}
  failed: {use: all, where: {code: {matches: \"5..\"}}}
  fine: {use: all, where: {code: {matches: \"2..\"}}}
slos:
  fine: {objective: 1%, period: 28d, sli: {ratio: {bad: fine, total: all}}, burn: none}
  shop: {objective: 99%, period: 28d, sli: {ratio: {good: failed, total: all}}, burn: none}
  own: {objective: 99%, period: 28d, sli: {promql: {good: 'sum(rate(a_total{code=\"500\"}[$window]))', total: 'sum(rate(a_total[$window]))'}}, burn: none}
";
    let said = |spec: &str| {
        std::fs::write(temp.path().join("shop.yaml"), spec).expect("a spec");
        let built = build(temp.path(), "shop.yaml", &temp.path().join("generated"));
        let said = String::from_utf8_lossy(&[built.stdout, built.stderr].concat()).into_owned();
        assert_eq!(built.status.code(), Some(0), "{said}");
        said
    };
    let doubted = said(spec);
    let surely = spec
        .replace(
            "across: sum, prometheus: {metric: node_load_bytes",
            "across: max, prometheus: {metric: node_load_ratio",
        )
        .replace("node_size_total", "node_size_bytes")
        .replace("bad: fine", "good: fine")
        .replace("objective: 1%", "objective: 90%")
        .replace("jobs_done", "jobs_done_total")
        .replace("good: failed", "bad: failed")
        .replace("good: 'sum", "bad: 'sum");
    let sure = said(&surely);
    for (words, times) in [
        (
            "warning[wrong-unit]: `node_load_bytes` has bytes in its name",
            1,
        ),
        ("warning[wrong-kind]: `node_size_total`", 1),
        ("warning[contradiction]: `across: sum` adds values", 1),
        (
            "warning[objective-out-of-range]: the objective of `fine`",
            1,
        ),
        (
            "warning[contradiction]: `bad` selects successes: `code` is ",
            1,
        ),
        ("`jobs_done` is declared as a counter", 1),
        (
            "warning[contradiction]: `good` selects failures: `code` is ",
            2,
        ),
    ] {
        assert_eq!(doubted.matches(words).count(), times, "{words}: {doubted}");
        assert!(!sure.contains(words), "{words}: {sure}");
    }
}

/// `$selector` is the service's, or that of the job beside it, which declared signals of the job have, too.
#[test]
fn own_promql_follows_the_selector() {
    let temp = tempfile::tempdir().expect("a folder");
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
prometheus: {selector: {job: vllm, env: dev}, jobs: {gateway: {selector: {env: test}}}}
signals:
  all: {kind: counter, unit: requests, prometheus: {metric: all_total, job: gateway}}
slos:
  shop: {objective: 99%, period: 28d, sli: {ratio: {good: good, total: all}}, burn: none}
  own: {objective: 99%, period: 28d, sli: {promql: {bad: 'sum(rate(a_total{$selector}[$window]))', total: 'sum(rate(a_total{$selector, job=\"gateway\"}[$window]))'}}, burn: none}
".replace("  all:", "  good: {kind: counter, unit: requests, prometheus: {metric: good_total, job: gateway}}\n  all:");
    std::fs::write(temp.path().join("shop.yaml"), spec).expect("a spec");
    let out = temp.path().join("generated");
    let built = build(temp.path(), "shop.yaml", &out);
    let said = String::from_utf8_lossy(&built.stderr);
    assert_eq!(built.status.code(), Some(0), "{said}");
    let rules = |slo| {
        let file = out.join(format!("shop/prometheus/rules/slo-{slo}.yaml"));
        std::fs::read_to_string(file).expect("rules")
    };
    let (shop, own) = (rules("shop"), rules("own"));
    for (rules, series) in [
        (&shop, "all_total{env=\"test\", job=\"gateway\"}"),
        (&own, "a_total{env=\"dev\", job=\"vllm\"}"),
        (&own, "a_total{job=\"gateway\", env=\"test\"}"),
    ] {
        assert!(rules.contains(series), "{series}: {rules}");
    }
}

#[test]
fn a_spec_without_alerts_needs_no_links() {
    let temp = tempfile::tempdir().expect("a folder");
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
severities: {more: [info]}
prometheus: {scrape_interval: 10s, evaluation_interval: 20s}
signals:
  all: {kind: counter, unit: requests, prometheus: {metric: all_total}}
  bad: {kind: counter, unit: requests, prometheus: {metric: bad_total}}
slos:
  shop: {objective: 99%, period: 28d, sli: {ratio: {bad: bad, total: all}}, burn: none}
";
    let out = temp.path().join("generated");
    let build = |text: &str| {
        std::fs::write(temp.path().join("shop.yaml"), text).expect("a spec");
        build(temp.path(), "shop.yaml", &out).status.code()
    };
    assert_eq!(build(spec), Some(0));
    assert_eq!(build(&spec.replace("none", "sre-workbook")), Some(2));
    let alert = "links: {runbooks: \"https://r.example\", grafana: \"https://g.example\"}
alerts:
  Busy: {severity: info, when: {signal: all, above: 9/s}, for: 40s}
";
    assert_eq!(build(&(spec.to_owned() + alert)), Some(0));
    let rules = out.join("shop/prometheus/rules/alerts.yaml");
    let rules = std::fs::read_to_string(rules).expect("rules");
    assert!(
        rules.contains("interval: 20s") && rules.contains("for: 40s"),
        "{rules}"
    );
}

/// Builds our general spec for other releases than it asks for.
fn build_for(range: &str) -> (Option<i32>, String) {
    let temp = tempfile::tempdir().expect("a folder");
    let out = temp.path().join("generated");
    let output = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(["build", "specs/vllm-serving.yaml", "--vllm", range, "--out"])
        .arg(&out)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs");
    assert!(!out.exists(), "something was written");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code(), stderr)
}

#[test]
fn a_bad_range_on_the_command_line_blames_the_command_line() {
    let told: Vec<_> = ["newest", ">=1.0", ">=0.20 <0.34", ""]
        .into_iter()
        .map(build_for)
        .map(|(code, stderr)| format!("{code:?} {stderr}"))
        .collect();
    insta::assert_snapshot!(told.join(""));
}

#[test]
fn an_old_release_names_each_missing_signal_at_its_own_line() {
    let (code, stderr) = build_for("==0.5.1");
    assert_eq!(code, Some(2));
    insta::assert_snapshot!(stderr);
}

/// The warnings of a spec that builds.
fn warnings(folder: &Path, spec: &str) -> Vec<String> {
    std::fs::write(folder.join("shop.yaml"), spec).expect("a spec");
    let built = build(folder, "shop.yaml", &folder.join("generated"));
    let said = String::from_utf8_lossy(&built.stderr);
    assert_eq!(built.status.code(), Some(0), "{spec}\n{said}");
    let warnings = said.lines().filter(|line| line.starts_with("warning["));
    warnings.map(str::to_owned).collect()
}

/// A service with requests and a queue.
const HEAD: &str = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: 'https://git.example/runbooks'}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_requests_total, job: shop}}
  queue: {kind: gauge, unit: requests, across: sum, prometheus: {metric: shop_queue, job: shop}}
";

#[test]
fn slos_that_count_new_series_in_two_ways_are_noted() {
    let spec = HEAD.to_owned()
        + "  failed: {use: requests, where: {code: {matches: '5..'}}}
slos:
  month: {objective: 99%, period: 30d, count_new_series: true, sli: {ratio: {bad: failed, total: requests}}}
  week: {objective: 95%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}
";
    let temp = tempfile::tempdir().expect("a folder");
    let noted = |spec: &str| {
        std::fs::write(temp.path().join("shop.yaml"), spec).expect("a spec");
        let built = build(temp.path(), "shop.yaml", &temp.path().join("generated"));
        assert_eq!(built.status.code(), Some(0), "{spec}");
        String::from_utf8_lossy(&built.stderr).contains("`week` does not count the first event")
    };
    assert!(noted(&spec));
    let said = spec.replace(
        "objective: 95%,",
        "objective: 95%, count_new_series: false,",
    );
    assert!(!noted(&said));
}

/// Each of these mistakes once built without a word; its mended spec has no warning.
#[test]
fn mistakes_that_were_silent_are_told() {
    let temp = tempfile::tempdir().expect("a folder");
    let warned = |rest: &str| {
        // A part before `signals:` goes to the head.
        let spec = match rest.split_once("signals:\n") {
            Some((head, signals)) => format!("{HEAD}{signals}{head}"),
            None => format!("{HEAD}{rest}"),
        };
        warnings(temp.path(), &spec)
    };
    for (wrong, right, warning) in [
        (
            "  failed: {use: requests, where: {code: {matches: '5'}}}\n",
            "  failed: {use: requests, where: {code: {matches: '5..'}}}\n",
            "warning[bad-matcher]: `5` matches no HTTP status",
        ),
        (
            "alerts:\n  A: {severity: page, when: {signal: queue, above: 5}}\n  B: {severity: ticket, when: {signal: queue, above: 9}}\n",
            "severities: {page: one, ticket: one}\nalerts:\n  A: {severity: page, when: {signal: queue, above: 5}}\n  B: {severity: ticket, when: {signal: queue, above: 9}}\n",
            "warning[page-before-ticket]: `A` (critical)",
        ),
        (
            "  failed: {use: requests, where: {code: {matches: 5xx}}}\n",
            "  failed: {use: vllm.http_requests, where: {status: {matches: 5xx}}}\nruntime: {vllm: '>=0.20, <0.34'}\n",
            "warning[bad-matcher]: `5xx` matches only this exact value",
        ),
        (
            "  failed: {use: requests, where: {code: {matches: '5*'}}}\n",
            "  failed: {use: requests, where: {code: {matches: '.*'}}}\n",
            "warning[bad-matcher]: `5*` matches series without this label, too",
        ),
        (
            "  bad: {use: vllm.requests_finished, where: {finished_reason: error}}\nruntime: {vllm: '>=0.10, <0.34'}\n",
            "  bad: {use: vllm.requests_finished, where: {finished_reason: error}}\nruntime: {vllm: '>=0.13, <0.34'}\n",
            "warning[unknown-label-value]: the label `finished_reason` of `bad` has no value `error` in vLLM 0.12.0",
        ),
        (
            "prometheus: {selector: {env: prod}}\n",
            "prometheus: {jobs: {shop: {selector: {env: prod}}}}\n",
            "warning[contradiction]: `prometheus.selector` has no effect",
        ),
        (
            "alerts:\n  A: {severity: page, when: {signal: queue, above: 9}}\n  B: {severity: ticket, when: {signal: queue, above: 9}}\n",
            "alerts:\n  A: {severity: page, when: {signal: queue, above: 9}}\n  B: {severity: ticket, when: {signal: queue, above: 5}}\n",
            "warning[duplicate-condition]: `B` has the same condition as `A`",
        ),
        (
            "alerts:\n  A: {severity: page, when: {signal: queue, above: 5}}\n  B: {severity: ticket, when: {signal: queue, above: 9}}\n",
            "alerts:\n  A: {severity: page, when: {signal: queue, above: 5}, for: 9m}\n  B: {severity: ticket, when: {signal: queue, above: 9}}\n",
            "warning[page-before-ticket]: `A` (critical) fires before `B` (warning) on the same value",
        ),
        (
            "  failed: {use: requests, where: {code: '500'}}\nalerts: {A: {severity: page, when: {signal: failed, absent: true}}}\n",
            "alerts: {A: {severity: page, when: {signal: queue, absent: true}}}\n",
            "warning[not-from-start]: `failed` has the label `code`, so it usually has no series",
        ),
        (
            "alerts: {ShopFull: {severity: page, when: {signal: queue, above: 3}}, B: {severity: page, summary: x, when: {promql: 'count(ALERTS{alertname=\"ShopFul\"})', above: 0}}}\n",
            "alerts: {ShopFull: {severity: page, when: {signal: queue, above: 3}}, B: {severity: page, summary: x, when: {promql: 'count(ALERTS{alertname=\"ShopFull\"})', above: 0}}}\n",
            "warning[unknown-name]: the spec has no alert `ShopFul`",
        ),
        (
            "alerts: {A: {severity: page, summary: x, when: {promql: 'sum(rate(shop_requests_total{job=\"shp\"}[5m]))', above: 9}}}\n",
            "alerts: {A: {severity: page, summary: x, when: {promql: 'sum(rate(shop_requests_total{job=\"shop\"}[5m]))', above: 9}}}\n",
            "warning[contradiction]: the query selects the job `shp`",
        ),
        (
            "alerts: {A: {severity: page, summary: x, when: {promql: 'sum(rate(shop_requests_total[5m]))', unit: ratio, above: 5%}}}\n",
            "alerts: {A: {severity: page, summary: x, when: {promql: 'sum(rate(shop_requests_total{code=\"500\"}[5m])) / sum(rate(shop_requests_total[5m]))', unit: ratio, above: 5%}}}\n",
            "warning[wrong-unit]: the rate of `shop_requests_total` is a number of events",
        ),
        (
            "  age: {kind: gauge, unit: seconds, prometheus: {promql: time() - max(shop_export_milliseconds)}}\nalerts: {A: {severity: page, when: {signal: age, above: 5m}}}\n",
            "  age: {kind: gauge, unit: seconds, prometheus: {promql: time() - max(shop_export_milliseconds) / 1000}}\nalerts: {A: {severity: page, when: {signal: age, above: 5m}}}\n",
            "warning[wrong-unit]: `time()` is in seconds, and `shop_export_milliseconds` in milliseconds",
        ),
        (
            "  wait: {kind: histogram, unit: seconds, prometheus: {metric: shop_wait_seconds, job: shop, buckets: [100ms, 500ms, 1s]}}\nalerts: {ShopSlow: {severity: page, when: {signal: wait, stat: p95, below: 500ms}}}\n",
            "  wait: {kind: histogram, unit: seconds, prometheus: {metric: shop_wait_seconds, job: shop, buckets: [100ms, 500ms, 1s]}}\nalerts: {ShopSlow: {severity: page, when: {signal: wait, stat: p95, above: 500ms}}}\n",
            "warning[contradiction]: the alert is called slow",
        ),
        (
            "alerts: {A: {severity: page, when: {signal: queue, absent: true, window: 1d}}}\n",
            "alerts: {A: {severity: page, when: {signal: queue, absent: true}}}\n",
            "warning[contradiction]: `window` has no effect on `absent` without labels",
        ),
        (
            "  failed: {use: requests, where: {code: '500'}}\nalerts: {A: {severity: page, when: {signal: failed, stat: rate, window: 1h, below: 3/s}}}\n",
            "alerts: {A: {severity: page, when: {signal: queue, above: 3}}}\n",
            "warning[not-from-start]: `failed` has the label `code`, so it usually has no series until its first event, also after a restart: `below` does not hold",
        ),
        (
            "  failed: {use: requests, where: {code: '500'}}\nalerts: {A: {severity: page, for: 1m, when: {all: [{signal: queue, above: 3}, {any: [{signal: failed, stat: increase, window: 1h, equals: 0}, {signal: failed, absent: true}]}]}}}\n",
            "  failed: {use: requests, where: {code: '500'}}\nalerts: {A: {severity: page, for: 1m, when: {signal: queue, above: 3, unless: {signal: failed, stat: increase, window: 1h, above: 0}}}}\n",
            "warning[not-from-start]: `failed` has the label `code`, so it usually has no series until its first event, also after a restart: `absent` holds",
        ),
        (
            "  shown: {kind: gauge, unit: count, across: sum, prometheus: {metric: shop_shown, job: shop}}\nprometheus: {group_by: [cluster], scrape_labels: [cluster]}\nalerts: {A: {severity: page, when: {all: [{signal: queue, above: 0}, {signal: shown, absent: true}]}}}\n",
            "  shown: {kind: gauge, unit: count, across: sum, prometheus: {metric: shop_shown, job: shop}}\nprometheus: {group_by: [cluster], scrape_labels: [cluster]}\nalerts: {A: {severity: page, when: {all: [{signal: queue, above: 0}, {signal: shown, absent: true, window: 1d}]}}}\n",
            "warning[unmatched-join]: `absent` in `all` ends 1h after the last series",
        ),
        (
            "  failed: {use: requests, where: {code: {matches: '5..'}}}\nslos: {a: {objective: 99%, period: 30d, group_by: [code], sli: {ratio: {bad: failed, total: requests}}}}\n",
            "  failed: {use: requests, where: {code: {matches: '5..'}}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}}\n",
            "warning[contradiction]: the SLO is grouped by `code`, by which only `failed` selects",
        ),
        (
            "  age: {kind: gauge, unit: seconds, has_labels: [node], prometheus: {promql: time() - shop_time}}\nalerts: {A: {severity: page, when: {signal: age, by: [node], above: 5m}}}\n",
            "  age: {kind: gauge, unit: seconds, prometheus: {promql: time() - max by (node) (shop_time)}}\nalerts: {A: {severity: page, when: {signal: age, by: [node], above: 5m}}}\n",
            "warning[contradiction]: `node` has no effect: the query of `age` keeps all labels of its series",
        ),
        (
            "  ok: {kind: counter, unit: requests, prometheus: {metric: shop_ok_total, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: ok, total: requests}}}}\n",
            "  ok: {kind: counter, unit: requests, prometheus: {metric: shop_ok_total, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {good: ok, total: requests}}}}\n",
            "warning[contradiction]: `bad` counts `ok`, which has the name of successes",
        ),
        (
            "  requests_ok: {use: requests, where: {code: done}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: requests_ok, total: requests}}}}\n",
            "  requests_ok: {use: requests, where: {code: done}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {good: requests_ok, total: requests}}}}\n",
            "warning[contradiction]: `bad` counts `requests_ok`, which has the name of successes",
        ),
        (
            "  waits: {kind: histogram, unit: seconds, prometheus: {metric: shop_wait_seconds, job: shop, buckets: [1s, 2s]}}\nalerts: {A: {severity: page, when: {signal: waits, stat: p5, above: 1s}}}\n",
            "  waits: {kind: histogram, unit: seconds, prometheus: {metric: shop_wait_seconds, job: shop, buckets: [1s, 2s]}}\nalerts: {A: {severity: page, when: {signal: waits, stat: p95, above: 1s}}}\n",
            "warning[contradiction]: `p5` is above `1s` only while 95% of the values are",
        ),
        (
            "  used: {kind: gauge, unit: ratio, across: max, prometheus: {metric: shop_used_ratio, job: shop}}\nalerts: {A: {severity: page, when: {signal: used, above: 0.98%}}}\n",
            "  used: {kind: gauge, unit: ratio, across: max, prometheus: {metric: shop_used_ratio, job: shop}}\nalerts: {A: {severity: page, when: {signal: used, above: 0.98}}}\n",
            "warning[wrong-unit]: `0.98%` of `used` is less than one percent",
        ),
        (
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nalerts: {A: {severity: page, when: {signal: seen, stat: increase, window: 5m, above: 10}, cloudwatch: {statistic: Average}}}\nsignals:\n  seen: {kind: counter, unit: requests, cloudwatch: {metric: Seen}}\n",
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nalerts: {A: {severity: page, when: {signal: seen, stat: increase, window: 5m, above: 10}}}\nsignals:\n  seen: {kind: counter, unit: requests, cloudwatch: {metric: Seen}}\n",
            "warning[contradiction]: `Average` does not count the events of `seen`",
        ),
        (
            "slos:\n  card: {objective: 99%, period: 30d, where: {code: card}, sli: {time: {signal: line, below: 5}}}\n  cash: {objective: 99%, period: 30d, where: {code: card}, sli: {time: {signal: line, below: 9}}}\nsignals:\n  line: {kind: gauge, unit: requests, across: sum, has_labels: [code], prometheus: {metric: shop_line, job: shop}}\n",
            "slos:\n  card: {objective: 99%, period: 30d, where: {code: card}, sli: {time: {signal: line, below: 5}}}\n  cash: {objective: 99%, period: 30d, where: {code: cash}, sli: {time: {signal: line, below: 9}}}\nsignals:\n  line: {kind: gauge, unit: requests, across: sum, has_labels: [code], prometheus: {metric: shop_line, job: shop}}\n",
            "warning[contradiction]: `cash` selects `card`, as `card` does",
        ),
        (
            "  card_paid: {use: requests, where: {code: card}}\n  cash_paid: {use: requests, where: {code: card}}\n",
            "  card_paid: {use: requests, where: {code: card}}\n  paid_by_card: {use: requests, where: {code: card}}\n",
            "warning[contradiction]: `cash_paid` selects `card`, as `card_paid` does",
        ),
        (
            "alerts:\n  CardsFail: {severity: page, when: {signal: requests, where: {code: cards}, stat: rate, above: 5/min}}\n  CashFails: {severity: page, when: {signal: requests, where: {code: cards}, stat: rate, above: 9/min}}\n",
            "alerts:\n  CardsFail: {severity: page, when: {signal: requests, where: {code: cards}, stat: rate, above: 5/min}}\n  CardsFailOften: {severity: page, when: {signal: requests, where: {code: cards}, stat: rate, above: 9/min}}\n",
            "warning[contradiction]: `CashFails` selects `cards`, as `CardsFail` does",
        ),
        (
            "  temperature: {kind: gauge, unit: celsius, across: max, prometheus: {metric: shop_celsius, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {time: {signal: temperature, above: 85 °C}}}}\n",
            "  temperature: {kind: gauge, unit: celsius, across: max, prometheus: {metric: shop_celsius, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {time: {signal: temperature, below: 85 °C}}}}\n",
            "warning[contradiction]: the SLO counts time with a high `temperature` as good",
        ),
        (
            "  free: {kind: gauge, unit: ratio, across: min, prometheus: {metric: shop_free_ratio, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {time: {signal: free, below: 10%}}}}\n",
            "  free: {kind: gauge, unit: ratio, across: min, prometheus: {metric: shop_free_ratio, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {time: {signal: free, above: 10%}}}}\n",
            "warning[contradiction]: the SLO counts time with a low `free` as good",
        ),
        (
            "  done: {use: requests, where: {code: ok}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: done, total: requests}}}}\n",
            "  done: {use: requests, where: {code: ok}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {good: done, total: requests}}}}\n",
            "warning[contradiction]: `bad` selects successes: `code` is `ok`",
        ),
        (
            "  crashes: {kind: counter, unit: requests, prometheus: {metric: shop_crashes_total, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: requests, total: crashes}}}}\n",
            "  crashes: {kind: counter, unit: requests, prometheus: {metric: shop_crashes_total, job: shop}}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: crashes, total: requests}}}}\n",
            "warning[contradiction]: `total` counts `crashes`, which has the name of failures",
        ),
        (
            "  failed: {use: requests, where: {code: {matches: '5..'}}}\nslos:\n  a: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}\n  b: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}\n",
            "  failed: {use: requests, where: {code: {matches: '5..'}}}\nslos:\n  a: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}\n  b: {objective: 95%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}\n",
            "warning[contradiction]: `b` counts the same events as `a`, with the same objective and period",
        ),
        (
            "  memory: {kind: gauge, unit: bytes, scale: 1GiB, across: sum, prometheus: {metric: DCGM_FI_DEV_FB_FREE, job: dcgm}}\n",
            "  memory: {kind: gauge, unit: bytes, scale: 1MiB, across: sum, prometheus: {metric: DCGM_FI_DEV_FB_FREE, job: dcgm}}\n",
            "warning[wrong-unit]: a value of 1 of `DCGM_FI_DEV_FB_FREE` is 1MiB, not 1GiB",
        ),
        (
            "  loads: {use: vllm.http_requests, where: {handler: /v1/load_lora_adaptor}}\nruntime: {vllm: '>=0.20, <0.34'}\n",
            "  loads: {use: vllm.http_requests, where: {handler: /v1/load_lora_adapter}}\nruntime: {vllm: '>=0.20, <0.34'}\n",
            "warning[unknown-label-value]: the label `handler` of `http_requests_total` has no value `/v1/load_lora_adaptor` in vLLM",
        ),
        (
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nalerts: {A: {severity: page, when: {signal: level, above: 10}, cloudwatch: {statistic: SampleCount}}}\nsignals:\n  level: {kind: gauge, unit: count, across: max, cloudwatch: {metric: Level}}\n",
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nalerts: {A: {severity: page, when: {signal: level, above: 10}, cloudwatch: {statistic: Minimum}}}\nsignals:\n  level: {kind: gauge, unit: count, across: max, cloudwatch: {metric: Level}}\n",
            "warning[contradiction]: `SampleCount` counts the samples of `level`",
        ),
        (
            "  lag: {kind: gauge, unit: seconds, across: max, prometheus: {metric: shop_lag_seconds, job: shop}}\nalerts: {A: {severity: page, when: {signal: lag, above: 15000m}}}\n",
            "  lag: {kind: gauge, unit: seconds, across: max, prometheus: {metric: shop_lag_seconds, job: shop}}\nalerts: {A: {severity: page, when: {signal: lag, above: 150m}}}\n",
            "warning[wrong-unit]: `15000m` is 10d10h",
        ),
        (
            "  age: {kind: gauge, unit: seconds, prometheus: {promql: 'max(shop_last_success_timestamp_seconds) - time()'}}\n",
            "  age: {kind: gauge, unit: seconds, prometheus: {promql: 'time() - max(shop_last_success_timestamp_seconds)'}}\n",
            "warning[contradiction]: the time of a past event less `time()` is negative",
        ),
        (
            "alerts: {A: {severity: page, summary: S, when: {promql: '(1 - max(slo:error_ratio:rate{service=\"a\", slo=\"x\", window=\"1h\"})) * (1 - max(slo:error_ratio:rate{service=\"b\", slo=\"x\", window=\"1h\"}))', unit: ratio, below: 99%}}}\n",
            "alerts: {A: {severity: page, summary: S, when: {promql: '(1 - (max(slo:error_ratio:rate{service=\"a\", slo=\"x\", window=\"1h\"}) or vector(0))) * (1 - (max(slo:error_ratio:rate{service=\"b\", slo=\"x\", window=\"1h\"}) or vector(0)))', unit: ratio, below: 99%}}}\n",
            "warning[missing-operand]: the result is missing while one side has no traffic",
        ),
        (
            "alerts: {A: {severity: page, summary: S, when: {promql: 'slo:error_budget_remaining:ratio{service=\"a\", slo=\"x\"}', unit: ratio, below: 1%}}}\n",
            "alerts: {A: {severity: page, summary: S, when: {promql: 'max(slo:error_budget_remaining:ratio{service=\"a\", slo=\"x\"})', unit: ratio, below: 1%}}}\n",
            "warning[reserved-label]: the alert has the label `slo` of the series",
        ),
        (
            "  dropped: {kind: counter, unit: requests, prometheus: {metric: shop_dropped_total, job: shop}}\n  share: {ratio: {of: requests, over: dropped}}\n",
            "  dropped: {kind: counter, unit: requests, prometheus: {metric: shop_dropped_total, job: shop}}\n  share: {ratio: {of: dropped, over: requests}}\n",
            "warning[contradiction]: `over` counts `dropped`, which has the name of failures",
        ),
        (
            "  ready: {kind: gauge, unit: bool, across: avg, has_labels: [status], prometheus: {metric: kube_node_status_condition, job: ksm}}\n  up: {use: ready, where: {status: 'True'}}\n",
            "  ready: {kind: gauge, unit: bool, across: avg, has_labels: [status], prometheus: {metric: kube_node_status_condition, job: ksm}}\n  up: {use: ready, where: {status: 'true'}}\n",
            "warning[unknown-label-value]: the label `status` of `kube_node_status_condition` has no value `True`",
        ),
        (
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: calls}}}}\nsignals:\n  failed: {kind: counter, unit: requests, cloudwatch: {metric: Errors, namespace: AWS/Lambda}}\n  calls: {kind: counter, unit: requests, cloudwatch: {metric: RequestCount, namespace: AWS/ApplicationELB, dimensions: {LoadBalancer: app/shop/1}}}\n",
            "cloudwatch: {region: eu-west-1, namespace: Shop}\nslos: {a: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: calls}}}}\nsignals:\n  failed: {kind: counter, unit: requests, cloudwatch: {metric: Errors, namespace: AWS/Lambda}}\n  calls: {kind: counter, unit: requests, cloudwatch: {metric: Invocations, namespace: AWS/Lambda}}\n",
            "warning[contradiction]: `bad` counts events of `AWS/Lambda`, and `total` events of `AWS/ApplicationELB`",
        ),
        (
            "  power: {kind: gauge, unit: count, across: sum, prometheus: {metric: DCGM_FI_DEV_POWER_USGE, job: dcgm}}\n",
            "  power: {kind: gauge, unit: count, across: sum, prometheus: {metric: DCGM_FI_DEV_POWER_USAGE, job: dcgm}}\n",
            "warning[unknown-metric]: dcgm-exporter 4.8.2 has no metric `DCGM_FI_DEV_POWER_USGE`",
        ),
        (
            "alerts: {A: {severity: page, summary: Lag, when: {promql: 'sum(kafka_consumer_group_lag)', above: 5}}}\n",
            "alerts: {A: {severity: page, summary: Lag, when: {promql: 'sum(kafka_consumergroup_lag)', above: 5}}}\n",
            "warning[unknown-metric]: kafka_exporter has no metric `kafka_consumer_group_lag`",
        ),
    ] {
        let found = warned(wrong);
        assert!(
            found.len() == 1 && found[0].starts_with(warning),
            "{found:?}"
        );
        assert_eq!(warned(right), Vec::<String>::new(), "{right}");
    }
    let exits = "  exits: {kind: counter, unit: count, has_labels: [exit_code], prometheus: {metric: exits_total, job: shop}}\n  crashes: {use: exits, where: {exit_code: {matches: '1|2'}}}\n";
    assert_eq!(warned(exits), Vec::<String>::new());
}
