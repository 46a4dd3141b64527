//! One alert, one text: the rule, the runbook, the panel, the mark of the alarm's graph and the preview use the same
//! words for a condition.

use slosmith::plan::Plan;
use slosmith::target::{Target, preview};
use slosmith::template::Templates;

use crate::bundled;

const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: svc, owner: team}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {evaluation_interval: 30s, selector: {job: gateway}, scrape_labels: [cluster], group_by: [cluster]}
cloudwatch: {region: us-east-1, namespace: Svc, via: agent}
signals:
  requests: {kind: counter, unit: requests, title: requests, has_labels: [zone], prometheus: {metric: requests_total}}
  depth: {kind: gauge, unit: requests, across: sum, title: queue depth, prometheus: {metric: depth}}
  limit: {kind: gauge, unit: requests, across: sum, prometheus: {metric: limit}}
  share: {title: share, ratio: {of: depth, over: limit}}
  failed: {kind: counter, unit: requests, prometheus: {metric: failed_total}}
  errors: {title: errors, ratio: {of: failed, over: requests}}
  health: {kind: gauge, unit: bool, across: min, title: Engine health, prometheus: {metric: engine_up}}
  ready: {kind: gauge, unit: bool, across: min, title: cache ready, prometheus: {metric: cache_ready}}
  wait:
    kind: histogram
    unit: seconds
    title: wait
    prometheus: {metric: wait_seconds, buckets: [100ms, 500ms, 1s, 2s, 5s, 10s]}
    cloudwatch: {metric: Wait, unit: Milliseconds, dimension_sets: [[], [Cluster]]}
alerts:
  Told: {severity: warning, when: WHEN, for: HOLD}
"#;

/// All generated texts, with their paths.
fn texts(when: &str, hold: &str) -> Vec<(String, String)> {
    let spec = SPEC.replace("WHEN", when);
    let spec = match hold {
        "" => spec.replace(", for: HOLD", ""),
        hold => spec.replace("HOLD", hold),
    };
    let plan = bundled::plan(&spec);
    let mut files = rendered(&plan);
    let templates = Templates::load(None).expect("templates");
    let page = preview::page(&plan, &templates).expect("a page");
    files.push((
        page.path,
        page.text
            .replace("&#x2f;", "/")
            .replace("&gt;", ">")
            .replace("&lt;", "<"),
    ));
    files
}

fn rendered(plan: &Plan) -> Vec<(String, String)> {
    let targets = [
        Target::Prometheus,
        Target::Grafana,
        Target::CloudWatch,
        Target::Runbook,
    ];
    let files = targets.into_iter();
    let files = files.flat_map(|target| bundled::rendered(plan, target).files);
    files.map(|file| (file.path, file.text)).collect()
}

#[track_caller]
fn says(files: &[(String, String)], path: &str, words: &str) {
    let file = files.iter().find(|(p, _)| p.ends_with(path));
    let (_, text) = file.unwrap_or_else(|| panic!("no {path}"));
    assert!(text.contains(words), "no `{words}` in {path}:\n{text}");
}

#[test]
fn every_output_words_a_condition_alike() {
    for (when, hold, subject, bound) in [
        ("{signal: depth, above: 0}", "", "queue depth", "> 0"),
        (
            "{signal: depth, at_least: 1}",
            "1m",
            "queue depth",
            ">= 1 for 1m",
        ),
        (
            "{signal: wait, stat: p95, above: 1500ms}",
            "90s",
            "p95 wait",
            "> 1500ms for 1m30s",
        ),
        (
            "{signal: requests, below: 90/min}",
            "10m",
            "requests",
            "< 90/min for 10m",
        ),
        (
            "{signal: depth, above: {times: 2, of: {offset: 7d}}}",
            "10m",
            "queue depth",
            "> 2 × the value 7 days ago, for 10m",
        ),
        (
            "{signal: depth, below: {times: 1, of: {offset: 1d}}}",
            "",
            "queue depth",
            "< the value 1 day ago",
        ),
        (
            "{signal: depth, above: {times: 1.5, of: {avg_over: 1d}}}",
            "5m",
            "queue depth",
            "> 1.5 × the 1d mean, for 5m",
        ),
        (
            "{signal: depth, outside: {sigma: 3, window: 2h, side: high}}",
            "5m",
            "queue depth",
            "> 2h mean + 3 standard deviations, for 5m",
        ),
    ] {
        let files = texts(when, hold);
        let whole = format!("{subject} {bound}");
        let (threshold, duration) = match hold {
            "" => (bound, String::new()),
            _ => {
                let (threshold, hold) = bound.rsplit_once(" for ").expect("a duration");
                (
                    threshold.trim_end_matches(','),
                    format!(" Duration: at least {hold}."),
                )
            }
        };
        says(
            &files,
            "prometheusrule.yaml",
            &format!(" Threshold: {threshold}"),
        );
        says(&files, "prometheusrule.yaml", &format!(".{duration}"));
        says(
            &files,
            "runbooks/README.md",
            &format!("- Fires if {whole}\n"),
        );
        says(
            &files,
            "grafana/dashboards/overview.json",
            &format!("Alert Told (warning): {whole}.\""),
        );
        let (condition, _) = whole.split_once(" for ").unwrap_or((&whole, ""));
        says(&files, "svc.html", condition.trim_end_matches(','));
    }
}

#[test]
fn parts_are_told_together_only_where_both_must_hold() {
    let parts = "[{signal: depth, above: 5}, {signal: wait, stat: p95, above: 1500ms}]";
    let all = texts(&format!("{{all: {parts}}}"), "5m");
    says(
        &all,
        "prometheusrule.yaml",
        "Conditions (all for 5m): queue depth > 5; p95 wait > 1500ms.",
    );
    says(
        &all,
        "runbooks/README.md",
        "- Fires if all of these hold for 5m: queue depth > 5; p95 wait > 1500ms\n",
    );
    says(
        &all,
        "grafana/dashboards/overview.json",
        "One of several conditions of alert Told (warning): queue depth > 5 for 5m.",
    );
    let any = texts(&format!("{{any: {parts}}}"), "5m");
    says(
        &any,
        "prometheusrule.yaml",
        "Conditions (any for 5m): queue depth > 5; p95 wait > 1500ms.",
    );
    says(
        &any,
        "grafana/dashboards/overview.json",
        "queue depth > 5 for 5m.\"",
    );
}

#[test]
fn parts_that_differ_in_their_selection_name_it() {
    let part = |zone: &str| format!("{{signal: requests, where: {{zone: {zone}}}, below: 90/min}}");
    let all = texts(&format!("{{all: [{}, {}]}}", part("a"), part("b")), "5m");
    says(
        &all,
        "prometheusrule.yaml",
        "Conditions (all for 5m): requests (zone a) < 90/min; requests (zone b) < 90/min.",
    );
}

#[test]
fn parts_that_can_never_be_equal_are_joined_without_what_they_select() {
    let part = |zone: &str| {
        format!("{{signal: requests, by: [zone], where: {{zone: {zone}}}, below: 90/min}}")
    };
    let parts = [part("a"), part("b"), "{signal: depth, above: 5}".to_owned()];
    let all = texts(
        &format!("{{all: [{}], on: [cluster]}}", parts.join(", ")),
        "",
    );
    for zone in ["a", "b"] {
        says(&all, "prometheusrule.yaml", &format!("zone=\"{zone}\""));
    }
    let (_, rules) = all
        .iter()
        .find(|(path, _)| path.ends_with("prometheusrule.yaml"))
        .expect("rules");
    assert_eq!(rules.matches("and on (cluster)").count(), 2, "{rules}");
}

#[test]
fn parts_of_parts_are_in_parentheses() {
    let both = "{all: [{signal: depth, above: 5}, {signal: wait, stat: p95, above: 1s}]}";
    let any = texts(
        &format!("{{any: [{{signal: errors, above: 5%}}, {both}]}}"),
        "",
    );
    says(
        &any,
        "prometheusrule.yaml",
        "Conditions (any): errors > 5%; (all of these hold: queue depth > 5; p95 wait > 1s).",
    );
    // The value may be another part's.
    let nested = "{all: [{any: [{signal: errors, above: 5%}, {signal: wait, stat: p95, above: 1s}]}, {signal: depth, above: 5}]}";
    says(
        &texts(nested, ""),
        "prometheusrule.yaml",
        "Affected: cluster {{ $labels.cluster }}. Conditions (all): (any of these holds: errors > 5%; p95 wait > 1s); queue depth > 5.",
    );
    let unless = texts(
        "{signal: depth, above: 5, unless: {signal: errors, below: 1%}}",
        "5m",
    );
    says(
        &unless,
        "prometheusrule.yaml",
        " Threshold: > 5. Not while errors < 1%. Duration: at least 5m.",
    );
}

#[test]
fn a_signal_of_0_and_1_has_a_state_and_no_threshold() {
    let files = texts("{signal: health, below: 1}", "1m");
    let cluster = "{{ with $labels.cluster }} (cluster {{ . }}){{ end }}";
    says(
        &files,
        "prometheusrule.yaml",
        &format!("Engine health: down{cluster}. Duration: at least 1m."),
    );
    says(
        &files,
        "runbooks/README.md",
        "- Fires if engine health = down for 1m\n",
    );
    let files = texts("{signal: ready, at_most: 0}", "");
    says(
        &files,
        "prometheusrule.yaml",
        &format!("Cache ready: false{cluster}."),
    );
}

#[test]
fn a_small_value_has_no_prefix() {
    let files = texts("{signal: requests, below: 10/min}", "");
    says(
        &files,
        "prometheusrule.yaml",
        "Requests: {{ $value | printf \"%.4g\" }}/min",
    );
}

#[test]
fn a_line_shows_its_bound_as_it_was_written() {
    let files = texts("{signal: wait, stat: p95, above: 1500ms}", "1m");
    says(
        &files,
        "cloudwatch/dashboards/overview.json",
        "alert Told 1500ms",
    );
    says(&files, "svc.html", "> 1500ms");
}

#[test]
fn a_runbook_says_over_which_time_a_query_looks() {
    for (when, title) in [
        ("{signal: depth, above: 5}", "Queue depth:"),
        (
            "{signal: depth, stat: avg, window: 15m, above: 5}",
            "Mean queue depth, over 15m:",
        ),
        (
            "{signal: requests, stat: increase, window: 10m, above: 5}",
            "Requests in the last 10m:",
        ),
        ("{signal: share, above: 50%}", "Share:"),
        ("{signal: errors, above: 5%}", "Errors, over 5m:"),
    ] {
        says(
            &texts(when, ""),
            "runbooks/README.md",
            &format!("\n{title}\n"),
        );
    }
}

/// A history belongs to its expression, wherever this stands in the condition.
#[test]
fn a_changed_signal_begins_a_history_of_its_own() {
    let keys = |signals: [&str; 2]| {
        let part = |signal: &str| {
            format!("{{signal: {signal}, above: {{times: 2, of: {{avg_over: 6h}}}}}}")
        };
        let when = format!("{{all: [{}]}}", signals.map(part).join(", "));
        let files = texts(&when, "");
        let rules = files.iter().find(|(path, _)| path.contains("rules/alert-"));
        let (_, rules) = rules.expect("a file of its own");
        let records = rules.split("- record: alert:baseline:value").skip(1);
        let keys = records.map(|record| {
            let (_, key) = record.split_once("part: ").expect("a key");
            let key = key
                .lines()
                .next()
                .expect("a line")
                .trim_matches('"')
                .to_owned();
            // The alert reads what is recorded.
            assert!(rules.contains(&format!("part=\"{key}\"")), "{rules}");
            key
        });
        keys.collect::<std::collections::BTreeSet<_>>()
    };
    let both = keys(["depth", "limit"]);
    assert_eq!(both.len(), 2);
    assert_eq!(both, keys(["limit", "depth"]));
    let changed = keys(["depth", "share"]);
    assert_eq!(
        both.intersection(&changed).count(),
        1,
        "depth keeps its own"
    );
    // One expression is recorded once.
    assert_eq!(keys(["depth", "depth"]).len(), 1);
}

/// An `any` whose parts have different labels is joined on those that all of them have: no other label set would match.
#[test]
fn an_unless_holds_back_each_part_of_an_uneven_any() {
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  queue: {kind: gauge, unit: count, across: max, has_labels: [node], prometheus: {metric: shop_queue, job: shop}}
  idle: {kind: gauge, unit: ratio, across: max, prometheus: {metric: shop_idle, job: shop}}
alerts:
  Trouble:
    severity: critical
    when:
      any: [{signal: queue, by: [node], above: 9}, {signal: queue, above: 90}]
      unless: {signal: idle, above: 90%}
    summary: The queue is long
";
    let files = crate::bundled::outputs(&[spec]).expect("the spec builds");
    let rules = &files["prometheus/rules/alerts.yaml"];
    assert!(rules.contains("unless on (cluster)"), "{rules}");
}
