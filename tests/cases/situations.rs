//! Generated rules in situations that every server knows: an idle night, a restart, the first error, no data. The
//! series are written by hand, as Prometheus would have scraped them; the generated unit tests are not asked.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Trial;
use slosmith::promql::ast::{MatchOp, Selector};
use slosmith::promql::{parse, visit};
use slosmith::target::OutFile;

use crate::bundled;
use crate::promtool::{check, check_files};
use crate::trial::{Needs, in_ci, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = trials! {
        "situations",
        Promtool:
            trial latency_rises_after_an_idle_hour,
            in_ci a_request_in_an_idle_queue_is_not_unusual,
            trial a_morning_of_two_requests_correlates_nothing,
            trial cost_and_headroom_are_right_while_engines_come_and_go,
            trial the_first_outage_is_seen_until_it_ends,
            in_ci a_hung_engine_pages_and_its_look_alikes_do_not,
            in_ci ordinary_nights_stay_silent_and_their_faults_alert,
            in_ci an_outage_outlives_the_memory_of_its_groups;
        Nothing:
            trial alerts_say_what_is_measured_and_nothing_odd;
    };
    all.extend(
        ["fleet", "mangaassist", "vllm-production", "vllm-serving"].map(|spec| {
            let name = format!("situations::an_idle_night_records_no_nan::{spec}");
            let plain = if spec == "mangaassist" { trial } else { in_ci };
            plain(name, Needs::Promtool, move || {
                an_idle_night_records_no_nan(spec)
            })
        }),
    );
    all
}

/// 2.50 an hour for each of 8 GPUs. Of eight replicas with 1,000 tokens and a request per second each, one is down from 2 h on, and all
/// are idle from 4 h on. Beside them a server with two engines that restarts, one that is scaled to zero after an hour, and a busy one.
fn cost_and_headroom_are_right_while_engines_come_and_go() {
    let mut series = Vec::new();
    let mut serve = |labels: &str, tokens: &str, requests: &str, running: &str| {
        let labels = format!("job=\"vllm\", cluster=\"c\", {labels}");
        series.push((
            format!("vllm:num_requests_running{{{labels}}}"),
            running.to_owned(),
        ));
        series.push((
            format!("vllm:generation_tokens_total{{{labels}}}"),
            tokens.to_owned(),
        ));
        let name = "vllm:time_to_first_token_seconds_count";
        series.push((format!("{name}{{{labels}}}"), requests.to_owned()));
    };
    for replica in 0..7 {
        let labels = format!("model_name=\"m\", instance=\"{replica}\", engine=\"0\"");
        serve(
            &labels,
            "0+60000x240 14400000+0x120",
            "0+60x240 14400+0x120",
            "5+0x240 0+0x120",
        );
    }
    serve(
        "model_name=\"m\", instance=\"7\", engine=\"0\"",
        "0+60000x119 _x240",
        "0+60x119 _x240",
        "5+0x119 _x240",
    );
    for engine in 0..2 {
        let labels = format!("model_name=\"ranks\", instance=\"r\", engine=\"{engine}\"");
        serve(
            &labels,
            "0+30000x90 0+30000x200",
            "0+30x90 0+30x200",
            "1+0x300",
        );
    }
    serve(
        "model_name=\"gone\", instance=\"g\", engine=\"0\"",
        "0+60000x60 _x300",
        "0+60x60 _x300",
        "1+0x60 stale _x300",
    );
    serve(
        "model_name=\"busy\", instance=\"b\", engine=\"0\"",
        "0+60000x300",
        "0+108x300",
        "9+0x300",
    );
    let mut up = |instance: &str, values: &str| {
        let name = format!("up{{job=\"vllm\", cluster=\"c\", instance=\"{instance}\"}}");
        series.push((name, values.to_owned()));
    };
    for instance in ["0", "1", "2", "3", "4", "5", "6", "r", "b"] {
        up(instance, "1+0x360");
    }
    up("7", "1+0x119 0+0x240");
    up("g", "1+0x60 stale _x300");
    let series: Vec<_> = series
        .iter()
        .map(|(s, v)| (s.as_str(), v.as_str()))
        .collect();
    let of = |name: &str, model: &str| format!("signal:{name}:last{{model_name=\"{model}\"}}");
    let checks = [
        (of("output_per_gpu", "m"), "110m", Some(125.0)),
        (of("output_cost", "m"), "110m", Some(5.5556)),
        (of("headroom", "m"), "110m", Some(2.0)),
        // The replica that is down costs for another hour; the others work as before.
        (of("output_per_gpu", "m"), "178m", Some(125.0)),
        (of("output_cost", "m"), "179m", Some(6.3492)),
        (of("output_cost", "m"), "240m", Some(5.5556)),
        (of("headroom", "m"), "178m", Some(2.0)),
        // Idle: no tokens to divide by.
        (of("output_per_gpu", "m"), "310m", Some(0.0)),
        (of("output_cost", "m"), "310m", None),
        (of("headroom", "m"), "310m", None),
        // Two engines are twice the GPUs of one server. A restart is no jump.
        (of("output_per_gpu", "ranks"), "85m", Some(62.5)),
        (of("output_cost", "ranks"), "85m", Some(11.1111)),
        (of("headroom", "ranks"), "85m", Some(2.0)),
        (of("headroom", "ranks"), "100m", Some(2.0)),
        // Scaled to zero: half of the hour was paid, and half served.
        (of("output_cost", "gone"), "92m", Some(5.848)),
        (of("output_per_gpu", "gone"), "90m", None),
        (of("output_cost", "gone"), "125m", None),
        (of("headroom", "busy"), "60m", Some(1.1111)),
        (
            "count(ALERTS{alertname=\"HeadroomLow\", alertstate=\"firing\", model_name=\"busy\"})"
                .into(),
            "60m",
            Some(1.0),
        ),
        (
            "count(ALERTS{alertname=\"HeadroomLow\", model_name!=\"busy\"})".into(),
            "310m",
            None,
        ),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(e, at, v)| (e.as_str(), *at, *v))
        .collect();
    check(
        "vllm-production",
        None,
        &["alerts", "records"],
        &series,
        &checks,
    );
}

/// Hours without anybody waiting make any queue unusual; one request in it, or ten, are no reason to wake somebody.
fn a_request_in_an_idle_queue_is_not_unusual() {
    let waiting = "vllm:num_requests_waiting{job=\"vllm\", cluster=\"c\", model_name=\"m\"}";
    let firing = "ALERTS{alertname=\"QueueDepthUnusual\", alertstate=\"firing\"}";
    check(
        "vllm-production",
        None,
        &["alert-queue-depth-unusual"],
        &[(waiting, "0+0x150 1+0x20 10+0x20 11+0x20")],
        &[
            (firing, "170m", None),
            (firing, "190m", None),
            (firing, "200m", Some(1.0)),
        ],
    );
}

const TTFT: &str =
    "vllm:time_to_first_token_seconds_bucket{job=\"vllm\", cluster=\"c\", model_name=\"m\"";
const CACHE: &str = "vllm:kv_cache_usage_perc{job=\"vllm\", cluster=\"c\", model_name=\"m\"}";

/// One bucket of the time to first token.
fn bucket(le: &str) -> String {
    format!("{TTFT}, le=\"{le}\"}}")
}

/// An hour of answers below 40 ms, an hour without any, then all of them slow.
fn latency_rises_after_an_idle_hour() {
    let (fast, all) = ("0+60x60 3600+0x90", "0+60x60 3600+0x60 3660+60x30");
    let firing = "ALERTS{alertname=\"TTFTUnusual\", alertstate=\"firing\"}";
    check(
        "vllm-production",
        None,
        &["alert-ttft-unusual"],
        &[
            (&bucket("0.04"), fast),
            (&bucket("80"), all),
            (&bucket("+Inf"), all),
        ],
        &[
            (firing, "121m", None),
            (firing, "127m", Some(1.0)),
            (firing, "135m", Some(1.0)),
        ],
    );
}

/// Two points lie on a line: their coefficient is 1, and means nothing.
fn a_morning_of_two_requests_correlates_nothing() {
    let (fast, all) = ("0+0x61 60+0x20", "0+0x61 60 120+0x20");
    check(
        "vllm-production",
        None,
        &["alerts"],
        &[
            (CACHE, "0.1+0x60 0.6 0.7 0.8 0.9+0x20"),
            (&bucket("0.04"), fast),
            (&bucket("80"), all),
            (&bucket("+Inf"), all),
        ],
        &[(
            "ALERTS{alertname=\"KVCachePressureDrivesTTFT\"}",
            "65m",
            None,
        )],
    );
}

/// Every series that the rules read is there, and nothing happens.
fn an_idle_night_records_no_nan(spec: &str) {
    let files = bundled::folder(spec);
    let rules: Vec<_> = files
        .iter()
        .filter(|f| f.path.starts_with("prometheus/rules/"))
        .collect();
    let mut idle = BTreeSet::new();
    for file in &rules {
        idle.extend(selectors(file).iter().filter_map(series));
    }
    let series: Vec<_> = idle.iter().map(|s| (s.as_str(), "3+0x75")).collect();
    assert!(series.len() > 3, "{spec}: {series:?}");
    let names: Vec<_> = rules.iter().map(|f| stem(&f.path)).collect();
    let nan = |kind: &str| {
        let sum = format!("sum({{__name__=~\"{kind}:.+\"}})");
        format!("({sum} unless {sum} >= -Inf)")
    };
    let checks: Vec<_> = ["1m", "30m", "70m"]
        .into_iter()
        .flat_map(|at| ["signal", "alert:baseline", "slo"].map(|kind| (nan(kind), at)))
        .collect();
    let checks: Vec<_> = checks
        .iter()
        .map(|(e, at)| (e.as_str(), *at, None))
        .collect();
    check_files(&files, &names, "1m", &series, &checks);
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_end_matches(".yaml")
}

/// Everything that the rules of a file select.
fn selectors(file: &OutFile) -> Vec<Selector> {
    let yaml: serde_json::Value =
        slosmith::yaml::read(slosmith::source::FileId(0), &file.text).expect("rules");
    let mut found = Vec::new();
    for rule in yaml["groups"][0]["rules"].as_array().expect("rules") {
        let expr = parse(rule["expr"].as_str().expect("expr")).expect("valid");
        found.extend(visit::selectors(&expr).into_iter().cloned());
    }
    found
}

/// One series that a selector finds, unless rules record it.
fn series(selector: &Selector) -> Option<String> {
    let name = &selector.metric.as_ref()?.text;
    if ["slo:", "signal:", "alert:"]
        .iter()
        .any(|ours| name.starts_with(ours))
    {
        return None;
    }
    let mut labels = BTreeMap::from([("cluster", "c"), ("model_name", "m")]);
    for matcher in &selector.matchers {
        let value = match matcher.op {
            MatchOp::Equal => matcher.value.value.as_str(),
            MatchOp::Match if matcher.label.text == "status" => "500",
            _ => continue,
        };
        labels.insert(&matcher.label.text, value);
    }
    if name.ends_with("_bucket") {
        labels.entry("le").or_insert("+Inf");
    }
    let labels: Vec<_> = labels.iter().map(|(k, v)| format!("{k}=\"{v}\"")).collect();
    Some(format!("{name}{{{}}}", labels.join(", ")))
}

const GONE: &str = "ALERTS{alertname=\"VLLMModelLost\", alertstate=\"firing\"";

fn running(model: &str, pod: &str) -> String {
    format!(
        "vllm:num_requests_running{{job=\"vllm\", cluster=\"c\", model_name=\"{model}\", pod=\"{pod}\"}}"
    )
}

/// The scrape of a pod.
fn up(pod: &str) -> String {
    format!("up{{job=\"vllm\", cluster=\"c\", pod=\"{pod}\"}}")
}

/// The first tokens of a pod.
fn served(model: &str, pod: &str) -> String {
    running(model, pod).replace("num_requests_running", "time_to_first_token_seconds_count")
}

/// Two models, one on two replicas; three minutes after the first start a model and a replica of the other fail. Where all pods are
/// up, a third model is scaled to zero.
fn the_first_outage_is_seen_until_it_ends() {
    let lost = "1+0x3 stale _x300 1+0x20";
    let load = "0+60x3 stale _x300 0+60x20";
    let fails = "1+0x3 0+0x300 1+0x20";
    let of = |model: &str| format!("{GONE}, model_name=\"{model}\"}}");
    check(
        "vllm-serving",
        None,
        &["alerts", "records"],
        &[
            (&running("a", "a-0"), lost),
            (&running("b", "b-0"), lost),
            (&running("b", "b-1"), "1+0x330"),
            (&served("a", "a-0"), load),
            (&served("b", "b-0"), load),
            (&served("b", "b-1"), "0+60x330"),
            (&up("a-0"), fails),
            (&up("b-0"), fails),
            (&up("b-1"), "1+0x330"),
        ],
        &[
            (&of("a"), "13m", None),
            (&of("a"), "15m", Some(1.0)),
            (&of("a"), "303m", Some(1.0)),
            (&of("a"), "306m", None),
            (&of("b"), "300m", None),
        ],
    );
    check(
        "vllm-serving",
        None,
        &["alerts", "records"],
        &[
            (&running("b", "b-0"), "1+0x330"),
            (&running("z", "z-0"), "1+0x3 0+0x4 stale"),
            (&served("z", "z-0"), "0+60x3 180+0x4 stale"),
            (&up("b-0"), "1+0x330"),
            (&up("z-0"), "1+0x7 stale"),
        ],
        &[(&of("z"), "19m", None), (&of("z"), "300m", None)],
    );
}

/// Every engine's running and waiting requests and its steps over an hour, and the alerts that fire then.
fn a_hung_engine_pages_and_its_look_alikes_do_not() {
    let (idle, busy, still) = ("0+0x60", "0+60x60", "7+0x60");
    let engines = [
        // One of two ranks of a server hangs after ten minutes; the other goes on.
        ("hung-0", "0", ["3+0x60", "0+0x60", busy], [None, None]),
        (
            "hung-0",
            "1",
            ["3+0x60", "0+0x60", "0+60x10 600+0x50"],
            [Some(1.0), None],
        ),
        // The scheduler admits nothing.
        (
            "stuck-0",
            "0",
            [idle, "0+0x10 4+0x50", still],
            [None, Some(1.0)],
        ),
        ("idle-0", "0", [idle, idle, still], [None, None]),
        (
            "drained-0",
            "0",
            ["5 4 3 2 1 0+0x55", idle, "0+60x5 300+0x55"],
            [None, None],
        ),
        (
            "overloaded-0",
            "0",
            ["8+0x60", "90+0x60", busy],
            [None, None],
        ),
        (
            "starts-0",
            "0",
            ["_x20 0 2+0x39", "_x20 3+0x2 0+0x38", "_x20 0 0+60x39"],
            [None, None],
        ),
        (
            "restarts-0",
            "0",
            ["4+0x20 _x5 0 4+0x33", idle, "0+60x20 _x5 0+60x34"],
            [None, None],
        ),
    ];
    for spec in ["fleet", "mangaassist", "vllm-production", "vllm-serving"] {
        let mut series = Vec::new();
        let mut checks = Vec::new();
        for (pod, engine, [running, waiting, steps], firing) in engines {
            let labels = format!(
                "{{job=\"vllm\", cluster=\"c\", namespace=\"n\", model_name=\"m\", pod=\"{pod}\", engine=\"{engine}\"}}"
            );
            series.push((format!("vllm:num_requests_running{labels}"), running));
            series.push((format!("vllm:num_requests_waiting{labels}"), waiting));
            series.push((format!("vllm:iteration_tokens_total_count{labels}"), steps));
            for (alert, expected) in ["EngineStalled", "EngineQueueStuck"]
                .into_iter()
                .zip(firing)
            {
                let of = format!(
                    "sum(ALERTS{{alertname=\"{alert}\", alertstate=\"firing\", pod=\"{pod}\", engine=\"{engine}\"}})"
                );
                checks.push((of.clone(), "9m", None));
                checks.extend(["15m", "23m", "29m", "55m"].map(|at| (of.clone(), at, expected)));
            }
        }
        let series: Vec<_> = series
            .iter()
            .map(|(name, values)| (name.as_str(), *values))
            .collect();
        let checks: Vec<_> = checks
            .iter()
            .map(|(of, at, value)| (of.as_str(), *at, *value))
            .collect();
        check(spec, None, &["alerts"], &series, &checks);
    }
}

/// While no model has series, the last ones are remembered; without any target none ever was known.
fn an_outage_outlives_the_memory_of_its_groups() {
    let files = bundled::folder("vllm-serving");
    let missing = "sum(ALERTS{alertname=\"VLLMServersMissing\", alertstate=\"firing\", severity=\"warning\"})";
    let outage = |series: &[(&str, &str)], checks: &[(&str, &str, Option<f64>)]| {
        check_files(&files, &["alerts", "records"], "1m", series, checks);
    };
    let firing = format!("{GONE}, model_name=\"a\"}}");
    let down =
        "sum(ALERTS{alertname=\"VLLMNoServerStaysUp\", alertstate=\"firing\", cluster=\"c\"})";
    outage(
        &[
            (&running("a", "a-0"), "1+0x20 stale"),
            (&served("a", "a-0"), "0+60x20 stale"),
            (&up("a-0"), "1+0x20 0+0x4800"),
        ],
        &[
            (&firing, "60m", Some(1.0)),
            (down, "60m", None),
            // The next page takes over, long before this one ends.
            (down, "90m", Some(1.0)),
            (&firing, "370m", Some(1.0)),
            (down, "370m", Some(1.0)),
            (&firing, "7h", None),
            (down, "7h", Some(1.0)),
            (down, "80h", Some(1.0)),
            (missing, "80h", None),
        ],
    );
    outage(&[], &[(missing, "60m", Some(1.0))]);
}

/// Situations that paged at night for nothing, and beside each of them, on other labels, the fault that they look like.
fn ordinary_nights_stay_silent_and_their_faults_alert() {
    let of = |name: &str, model: &str, pod: usize| {
        format!(
            "{name}{{job=\"vllm\", cluster=\"c\", model_name=\"{model}\", instance=\"{model}-{pod}\", pod=\"{model}-{pod}\"}}"
        )
    };
    let firing = |alert: &str, of: &str| {
        format!("sum(ALERTS{{alertname=\"{alert}\", alertstate=\"firing\", {of}}})")
    };
    let run = |spec: &str,
               rules: &[&str],
               series: &[(String, &str)],
               checks: &[(String, &str, Option<f64>)]| {
        let series: Vec<_> = series.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let checks: Vec<_> = checks
            .iter()
            .map(|(e, at, value)| (e.as_str(), *at, *value))
            .collect();
        check(spec, None, rules, &series, &checks);
    };

    // One healthy replica of 20 with a full cache; one of two that is full and preempts.
    let mut caches = Vec::new();
    for pod in 0..20 {
        let usage = if pod == 7 { "0.97+0x120" } else { "0.3+0x120" };
        caches.push((of("vllm:kv_cache_usage_perc", "healthy", pod), usage));
        caches.push((of("vllm:num_preemptions_total", "healthy", pod), "4+0x120"));
    }
    for (pod, usage, preempted) in [(0, "0.97+0x120", "0+3x120"), (1, "0.3+0x120", "0+0x120")] {
        caches.push((of("vllm:kv_cache_usage_perc", "crowded", pod), usage));
        caches.push((of("vllm:num_preemptions_total", "crowded", pod), preempted));
    }
    let (healthy, crowded) = ("model_name=\"healthy\"", "model_name=\"crowded\"");
    for (spec, rules, alert) in [
        ("vllm-production", ["alerts"], "KVCacheNearFull"),
        (
            "vllm-serving",
            ["slo-cache-room"],
            "CacheRoomErrorBudgetBurn",
        ),
    ] {
        let ticket = firing(alert, &format!("{crowded}, severity=\"warning\""));
        let checks = [
            (format!("sum(ALERTS{{{healthy}}})"), "110m", None),
            (format!("sum({ticket}) > bool 0"), "110m", Some(1.0)),
            (firing(alert, "severity=\"critical\""), "110m", None),
        ];
        run(spec, &rules, &caches, &checks);
    }

    // Three days, scraped every five minutes. Two of four pods load a model for 15 minutes; two of four never come back.
    let (loads, fails, well) = ("1+0x900 0+0x2 1+0x60", "1+0x900 0+0x62", "1+0x963");
    let mut scrapes = Vec::new();
    for (cluster, broken) in [("loads", loads), ("fails", fails)] {
        for (pod, values) in [broken, broken, well, well].into_iter().enumerate() {
            let scrape = format!("up{{job=\"vllm\", cluster=\"{cluster}\", instance=\"{pod}\"}}");
            scrapes.push((scrape, values));
        }
    }
    let scrapes: Vec<_> = scrapes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let burn = |of: &str| firing("ReplicasUpErrorBudgetBurn", of);
    let loads = burn("cluster=\"loads\"");
    let page = burn("severity=\"critical\"");
    let ticket = burn("cluster=\"fails\", severity=\"warning\"") + " > bool 0";
    let mut checks: Vec<_> = ["4505m", "4515m", "4530m", "4600m", "4800m"]
        .map(|at| (&*loads, at, None))
        .into();
    checks.extend([(&*page, "4600m", None), (&*ticket, "4600m", Some(1.0))]);
    let files = bundled::folder("vllm-serving");
    check_files(&files, &["slo-replicas-up"], "5m", &scrapes, &checks);

    // 100 waiting requests on 20 replicas; 90 on one of two.
    let mut queues: Vec<_> = (0..20)
        .map(|pod| (of("vllm:num_requests_waiting", "healthy", pod), "5+0x30"))
        .collect();
    queues.push((of("vllm:num_requests_waiting", "crowded", 0), "90+0x30"));
    queues.push((of("vllm:num_requests_waiting", "crowded", 1), "0+0x30"));
    for (spec, alert) in [
        ("mangaassist", "QueueOverflow"),
        ("vllm-production", "QueueBuildUp"),
    ] {
        let checks = [
            (firing(alert, healthy), "20m", None),
            (firing(alert, crowded), "20m", Some(1.0)),
        ];
        run(spec, &["alerts"], &queues, &checks);
    }
}

/// The summary of a burn-rate alert states a threshold, not a measurement; the correlation is measured.
fn alerts_say_what_is_measured_and_nothing_odd() {
    let mut correlated = 0;
    for spec in ["fleet", "mangaassist", "vllm-production", "vllm-serving"] {
        let files = bundled::folder(spec).into_iter();
        for file in files.filter(|f| f.path.starts_with("prometheus/rules/")) {
            for line in file.text.lines().map(str::trim) {
                let odd = [
                    "times too fast",
                    "has lost",
                    "description: \" ",
                    "description: ' ",
                ];
                assert!(!odd.iter().any(|odd| line.contains(odd)), "{line}");
                if line.starts_with("description: 'Correlation of ") {
                    assert!(line.contains("{{ $value"), "{line}");
                    correlated += 1;
                }
            }
        }
    }
    assert_eq!(correlated, 1);
}
