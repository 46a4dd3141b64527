//! The rules of a new project, as `slosmith init` writes its spec, in outages that look alike. The series are written by hand, as Prometheus
//! would have scraped them; the generated unit tests are not asked.

use libtest_mimic::Trial;
use slosmith::catalog::Embedded;
use slosmith::starter::{Other, Project, files};
use slosmith::target::OutFile;
use slosmith::template::Templates;

use crate::bundled;
use crate::promtool::{check_files, test_rules};
use crate::trial::{Needs, in_ci, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let others = Embedded::all().iter();
    let others = others.filter(|product| Other::has_starter(product.name));
    let others = others.enumerate().map(|(i, product)| {
        let name = format!("first_rules::{}", product.name);
        let passes = || first_rules_pass(product);
        // Files for each server have the same parts: a plain run has those of one.
        match i {
            0 => trial(name, Needs::Promtool, passes),
            _ => in_ci(name, Needs::Promtool, passes),
        }
    });
    let others: Vec<_> = others.collect();
    assert!(others.len() >= 7);
    let mut all = trials! {
        "first_rules",
        Promtool:
            trial a_model_on_a_new_server_is_missed,
            trial a_model_that_was_removed_is_not_missed,
            trial servers_that_crash_again_and_again_alert,
            trial servers_that_load_a_model_do_not_alert,
            trial a_long_queue_is_seen_through_dips_and_gaps,
            trial a_replica_with_other_buckets_is_not_measured,
            trial a_bucket_that_ends_is_no_bad_event,
            trial a_bucket_that_no_replica_has_is_one_ticket,
            trial statuses_count_with_and_without_groups;
    };
    all.extend(others);
    all
}

/// What a new project builds.
fn built() -> Vec<OutFile> {
    of(None)
}

fn of(other: Option<Other>) -> Vec<OutFile> {
    let project = Project {
        name: "chat".to_owned(),
        owner: "inference".to_owned(),
        vllm: ">=0.33, <0.34".parse().expect("a range"),
        server: None,
        other,
        names: None,
        role: None,
        pipeline: None,
    };
    let files = files(&project, &Templates::load(None).expect("templates")).expect("files");
    let spec = files.iter().find(|file| file.path == "specs/chat.yaml");
    bundled::build(&spec.expect("a spec").text, None)
}

/// The first files for another server: their rules pass their unit tests, which have all alerts.
fn first_rules_pass(product: &'static Embedded) {
    let catalog = product.catalog();
    let newest = catalog.range_of(&catalog.select_newest().releases);
    let other = Other {
        key: product.name,
        title: &product.identity.title,
        range: newest.expect("a range"),
        models: vec!["m".to_owned()],
    };
    let folder = tempfile::tempdir().expect("a folder");
    let files = of(Some(other));
    bundled::write(folder.path(), &files);
    let tests = files
        .iter()
        .filter(|file| file.path.starts_with("prometheus/tests/"));
    let mut tested = String::new();
    for file in tests {
        test_rules(&folder.path().join(&file.path));
        tested.push_str(&file.text);
    }
    let alerts = files.iter().flat_map(|file| file.text.lines());
    for alert in alerts.filter_map(|line| line.trim_start().strip_prefix("- alert: ")) {
        let names = [
            format!("alertname: {alert}\n"),
            format!("count(ALERTS{{alertname=\"{alert}\""),
        ];
        let fires = names.iter().any(|name| tested.contains(name));
        assert!(fires, "{}: {alert}", product.name);
    }
}

/// Values of series, and of expressions at a time.
type Checks<'a> = [(&'a str, &'a str, Option<f64>)];

fn play(rules: &[&str], series: &[(String, &str)], checks: &Checks<'_>) {
    let series: Vec<_> = series.iter().map(|(name, v)| (name.as_str(), *v)).collect();
    check_files(&built(), rules, "1m", &series, checks);
}

fn up(instance: &str) -> String {
    format!("up{{job=\"vllm\", instance=\"{instance}\"}}")
}

fn running(model: &str, instance: &str) -> String {
    format!(
        "vllm:num_requests_running{{job=\"vllm\", model_name=\"{model}\", instance=\"{instance}\", engine=\"0\"}}"
    )
}

/// The number of firing alerts of a name.
fn firing(alert: &str) -> String {
    format!("count(ALERTS{{alertname=\"{alert}\", alertstate=\"firing\"}})")
}

/// The first tokens of a model.
fn served(model: &str, instance: &str) -> String {
    let name = "vllm:time_to_first_token_seconds_count";
    format!("{name}{{job=\"vllm\", model_name=\"{model}\", instance=\"{instance}\", engine=\"0\"}}")
}

const LOST: &str = "count(ALERTS{alertname=\"VLLMModelLost\", alertstate=\"firing\"";

/// The only server of a model is replaced, and its successor does not start; another model is served.
fn a_model_on_a_new_server_is_missed() {
    let of = |model: &str| format!("{LOST}, model_name=\"{model}\"}})");
    play(
        &["alerts", "records"],
        &[
            (running("a", "old"), "1+0x10 stale"),
            (served("a", "old"), "0+60x10 stale"),
            (up("old"), "1+0x10 stale"),
            (up("new"), "_x11 0+0x480"),
            (running("b", "b"), "1+0x500"),
            (up("b"), "1+0x500"),
        ],
        &[
            (&of("a"), "20m", None),
            (&of("a"), "22m", Some(1.0)),
            (&of("a"), "360m", Some(1.0)),
            (&of("a"), "375m", None),
            (&of("b"), "360m", None),
            (&firing("VLLMServerDown"), "60m", Some(1.0)),
            (&firing("VLLMNoServerStaysUp"), "360m", None),
        ],
    );
    // Without any model: one page, and the next one after an hour.
    play(
        &["alerts", "records"],
        &[
            (running("a", "a"), "1+0x10 stale _x300 1+0x20"),
            (served("a", "a"), "0+60x10 stale _x300 0+60x20"),
            (up("a"), "1+0x10 0+0x300 1+0x20"),
        ],
        &[
            (&firing("VLLMModelLost"), "22m", Some(1.0)),
            (&firing("VLLMModelLost"), "310m", Some(1.0)),
            (&firing("VLLMModelLost"), "313m", None),
            (&firing("VLLMNoServerStaysUp"), "60m", None),
            (&firing("VLLMNoServerStaysUp"), "75m", Some(1.0)),
        ],
    );
    // An idle one, and one that never came up: the other page.
    for idle in ["0+0x10 stale", "_x10"] {
        play(
            &["alerts", "records"],
            &[
                (running("a", "a"), idle),
                (served("a", "a"), idle),
                (up("a"), "1+0x10 0+0x100"),
            ],
            &[
                (&firing("VLLMModelLost"), "90m", None),
                (&firing("VLLMNoServerStaysUp"), "36m", Some(1.0)),
                (&firing("VLLMNoServerStaysUp"), "90m", Some(1.0)),
            ],
        );
    }
}

/// One model is retired with its server, another one makes room on a server that stays; servers restart later, and one fails.
fn a_model_that_was_removed_is_not_missed() {
    let lost = format!("{LOST}}})");
    play(
        &["alerts", "records"],
        &[
            (running("retired", "r"), "1+0x10 0+0x4 stale"),
            (served("retired", "r"), "0+60x10 600+0x4 stale"),
            (up("r"), "1+0x14 stale"),
            (running("old", "a"), "1+0x10 0+0x4 stale"),
            (served("old", "a"), "0+60x10 600+0x4 stale"),
            (
                running("next", "a"),
                "_x15 1+0x96 stale _x8 1+0x280 stale _x19 1+0x50",
            ),
            (
                served("next", "a"),
                "_x15 0+60x96 stale _x8 0+60x280 stale _x19 0+60x50",
            ),
            (up("a"), "1+0x111 0+0x8 1+0x280 0+0x19 1+0x50"),
            (running("next", "b"), "1+0x500"),
            (served("next", "b"), "0+60x500"),
            (up("b"), "1+0x500"),
            (up("c"), "1+0x200 0+0x300"),
        ],
        &[
            (&lost, "60m", None),
            (&lost, "120m", None),
            (&lost, "300m", None),
            (&lost, "420m", None),
        ],
    );
}

/// The only server is up for a minute of five; one of eight servers is down.
fn servers_that_crash_again_and_again_alert() {
    let loops = "1+0x20 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1+0x60";
    let [all, one] = ["VLLMNoServerStaysUp", "VLLMServerDown"].map(firing);
    let served = format!("1+0x20 {}1+0x60", "stale _x3 1 ".repeat(11));
    play(
        &["alerts"],
        &[(up("only"), loops), (running("a", "only"), &served)],
        &[
            (&all, "40m", None),
            (&all, "46m", Some(1.0)),
            (&all, "75m", Some(1.0)),
            (&one, "50m", None),
            (&one, "62m", Some(1.0)),
            (&all, "100m", None),
            (&one, "100m", None),
            (&firing("VLLMModelLost"), "75m", None),
        ],
    );
    let names = ["1", "2", "3", "4", "5", "6", "7"].map(up);
    let mut eight: Vec<_> = names.into_iter().map(|up| (up, "1+0x100")).collect();
    eight.push((up("8"), "1+0x20 0+0x80"));
    play(
        &["alerts"],
        &eight,
        &[
            (&one, "50m", None),
            (&one, "62m", Some(1.0)),
            (&all, "90m", None),
        ],
    );
}

/// A rollout of two servers, one after the other, and the only server of another hour: each loads its model for 12 minutes.
fn servers_that_load_a_model_do_not_alert() {
    let any = "count(ALERTS{alertstate=\"firing\", alertname=~\"VLLM.+\"})";
    let times = ["22m", "34m", "40m", "50m", "65m", "80m"];
    let silent: Vec<_> = times.iter().map(|at| (any, *at, None)).collect();
    play(
        &["alerts"],
        &[
            (running("a", "1"), "1+0x20 stale"),
            (up("1"), "1+0x20 stale"),
            (running("a", "2"), "1+0x34 stale"),
            (up("2"), "1+0x34 stale"),
            (running("a", "3"), "_x32 1+0x60"),
            (up("3"), "_x20 0+0x11 1+0x60"),
            (running("a", "4"), "_x46 1+0x60"),
            (up("4"), "_x34 0+0x11 1+0x60"),
        ],
        &silent,
    );
    let page = "count(ALERTS{alertstate=\"firing\", alertname=\"VLLMNoServerStaysUp\"})";
    let silent: Vec<_> = times.iter().map(|at| (page, *at, None)).collect();
    play(
        &["alerts"],
        &[
            (up("old"), "1+0x20 stale"),
            (up("new"), "_x20 0+0x11 1+0x60"),
        ],
        &silent,
    );
}

/// 55 requests wait; every ninth minute a few less, and in every seventh the scrape fails.
fn a_long_queue_is_seen_through_dips_and_gaps() {
    let waiting =
        "vllm:num_requests_waiting{job=\"vllm\", model_name=\"a\", instance=\"i\", engine=\"0\"}";
    let queue = firing("VLLMQueueLong");
    for values in [
        "0+0x20 55+0x8 45 55+0x8 45 55+0x8 45 55+0x8 45",
        "0+0x20 55+0x5 stale 55+0x5 stale 55+0x5 stale 55+0x5 stale 55+0x5",
    ] {
        play(
            &["alerts"],
            &[(waiting.to_owned(), values)],
            &[
                (&queue, "25m", None),
                (&queue, "32m", Some(1.0)),
                (&queue, "50m", Some(1.0)),
            ],
        );
    }
    let short = "0+0x20 90+0x2 0+0x30";
    let silent = ["23m", "25m", "27m", "30m"].map(|at| (queue.as_str(), at, None));
    play(&["alerts"], &[(waiting.to_owned(), short)], &silent);
}

/// Half of all requests fail.
fn statuses_count_with_and_without_groups() {
    for [ok, failed] in [["2xx", "5xx"], ["200", "500"]] {
        let of = |status: &str| {
            format!(
                "http_requests_total{{job=\"vllm\", instance=\"i\", method=\"POST\", handler=\"/v1/completions\", status=\"{status}\"}}"
            )
        };
        let ratio = "slo:error_ratio:rate{slo=\"availability\", window=\"5m\"}";
        play(
            &["slo-availability"],
            &[(of(ok), "0+60x30"), (of(failed), "0+60x30")],
            &[(ratio, "20m", Some(0.5))],
        );
    }
}

/// A series of the time to first token.
fn ttft(part: &str, instance: &str, le: &str) -> String {
    format!(
        "vllm:time_to_first_token_seconds_{part}{{job=\"vllm\", model_name=\"a\", instance=\"{instance}\"{le}}}"
    )
}

/// One of two replicas has other buckets, as a canary may: none of its answers is bad, and a ticket tells it.
fn a_replica_with_other_buckets_is_not_measured() {
    let pages = firing("TimeToFirstTokenErrorBudgetBurn");
    let tickets = "count(ALERTS{alertname=\"SLONotMeasured\", alertstate=\"firing\", slo=\"time-to-first-token\"})";
    let ratio = |window: &str| {
        format!("sum(slo:error_ratio:rate{{slo=\"time-to-first-token\", window=\"{window}\"}})")
    };
    play(
        &["slo-time-to-first-token", "alerts"],
        &[
            (up("old"), "1+0x200"),
            (up("canary"), "1+0x200"),
            (ttft("count", "old", ""), "0+100x200"),
            (ttft("bucket", "old", ", le=\"2.5\""), "0+100x200"),
            (ttft("count", "canary", ""), "0+100x200"),
            (ttft("bucket", "canary", ", le=\"3.0\""), "0+100x200"),
        ],
        &[
            (&ratio("5m"), "30m", Some(0.0)),
            (&ratio("1h"), "120m", Some(0.0)),
            (&ratio("6h"), "120m", Some(0.0)),
            (&pages, "120m", None),
            (tickets, "25m", None),
            (tickets, "40m", Some(1.0)),
        ],
    );
}

/// After a quiet hour, the bucket is dropped at one replica, and another one restarts with other buckets, under the same instance.
fn a_bucket_that_ends_is_no_bad_event() {
    let burns = firing("TimeToFirstTokenErrorBudgetBurn");
    let ratio = "sum(slo:error_ratio:rate{slo=\"time-to-first-token\", window=\"5m\"})";
    let silent = ["62m", "63m", "64m", "66m", "69m", "80m", "150m"];
    let mut checks: Vec<_> = silent.iter().map(|at| (&*burns, *at, None)).collect();
    // Then nothing is measured.
    checks.extend([(ratio, "61m", Some(0.0)), (ratio, "63m", None)]);
    play(
        &["slo-time-to-first-token", "alerts"],
        &[
            (up("one"), "1+0x200"),
            (up("two"), "1+0x200"),
            (ttft("count", "one", ""), "1000+0x60 1100+100x140"),
            (
                ttft("bucket", "one", ", le=\"2.5\""),
                "1000+0x60 1100 stale",
            ),
            (ttft("count", "two", ""), "1000+0x60 100+100x140"),
            (ttft("bucket", "two", ", le=\"2.5\""), "1000+0x60 stale"),
        ],
        &checks,
    );
}

/// One ticket, for the whole SLO.
fn a_bucket_that_no_replica_has_is_one_ticket() {
    let tickets = "count(ALERTS{alertname=\"SLONotMeasured\", alertstate=\"firing\", slo=\"time-to-first-token\"})";
    play(
        &["slo-time-to-first-token", "alerts"],
        &[
            (up("one"), "1+0x200"),
            (ttft("count", "one", ""), "0+100x200"),
            (ttft("bucket", "one", ", le=\"3.0\""), "0+100x200"),
        ],
        &[(tickets, "25m", None), (tickets, "60m", Some(1.0))],
    );
}
