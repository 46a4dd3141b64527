//! The command line, at the pace that AWS allows.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::server::Server;
use crate::project::{Project, Ran};

const SECRET: &str = "wJalrXUtnFEMI";

/// A service with one alarm, and a dashboard.
pub(super) const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: chat, owner: ml}
runtime: {vllm: ">=0.20, <0.34"}
links: {runbooks: "https://git.example/runbooks", grafana: "https://grafana.example"}
cloudwatch:
  region: us-east-1
  namespace: Chat
  actions: {critical: ["arn:aws:sns:us-east-1:123456789012:chat"]}
alerts:
  QueueOverflow:
    severity: critical
    summary: The queue overflows
    when: {signal: vllm.requests_waiting, above: 80}
    for: 2m
"#;

pub(super) struct Scene {
    pub(super) project: Project,
    pub(super) server: Server,
}

impl Scene {
    pub(super) fn new() -> Self {
        let project = Project::empty();
        project.write("specs/chat.yaml", SPEC);
        Self {
            project,
            server: Server::start(),
        }
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        self.run_at(&self.server.url(), args)
    }

    fn run_at(&self, url: &str, args: &[&str]) -> Ran {
        let done = Command::new(env!("CARGO_BIN_EXE_slosmith"))
            .arg("cloudwatch")
            .args(args)
            .args(["--endpoint-url", url])
            .current_dir(self.project.path(""))
            .env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .env("AWS_SESSION_TOKEN", SECRET)
            .env("HOME", self.project.path(""))
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let (out, err) = (text(done.stdout), text(done.stderr));
        assert!(!out.contains(SECRET) && !err.contains(SECRET), "{out}{err}");
        Ran {
            code: done.status.code(),
            out,
            err,
        }
    }

    pub(super) fn plan(&self, args: &[&str]) -> Value {
        let args: Vec<_> = ["plan", "--format", "json"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let ran = self.run(&args);
        serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err))
    }

    /// Another threshold in the spec.
    fn edit(&self) {
        self.project
            .edit("specs/chat.yaml", "above: 80", "above: 90");
    }
}

#[test]
fn a_plan_is_applied_and_nothing_is_left() {
    let scene = Scene::new();
    let plan = scene.run(&["plan"]).exits(1);
    assert!(
        plan.out
            .contains("  + metric alarm chat-queue-overflow will be created"),
        "{}",
        plan.out
    );
    assert!(
        scene
            .server
            .called()
            .iter()
            .all(|name| !name.starts_with("Put"))
    );
    scene
        .run(&["apply"])
        .exits(2)
        .says("Pass `--yes` to apply without confirmation");
    assert!(scene.server.store().alarms.is_empty());
    scene.run(&["apply", "--yes"]).exits(0);
    let plan = scene.run(&["plan"]).exits(0);
    assert!(
        plan.out.starts_with("No changes.\nRegion us-east-1; "),
        "{}",
        plan.out
    );

    scene.edit();
    let plan = scene.plan(&[]);
    let changes = plan["changes"].as_array().expect("changes");
    let alarm = changes
        .iter()
        .find(|change| change["space"] == "alarm")
        .expect("an alarm");
    let fields = alarm["fields"].as_array().expect("fields");
    let paths: Vec<_> = fields.iter().map(|field| &field["path"]).collect();
    assert_eq!(paths, ["AlarmDescription", "Threshold"]);
    assert_eq!(
        fields[1],
        json!({"path": "Threshold", "old": 80, "new": 90})
    );
    assert_eq!(alarm["edited"], false);
    let text = scene.run(&["plan"]).exits(1).out;
    assert!(text.contains("      Threshold: 80 → 90\n"), "{text}");
    scene.run(&["apply", "--yes"]).exits(0);
    assert_eq!(
        scene.server.store().alarms["chat-queue-overflow"].fields["Threshold"],
        90.0
    );
    scene.run(&["plan"]).exits(0);
}

#[test]
fn what_is_not_ours_is_never_overwritten_unasked() {
    let scene = Scene::new();
    let theirs = json!({
        "Namespace": "N", "MetricName": "theirs", "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1,
        "Threshold": 5, "ComparisonOperator": "GreaterThanThreshold"
    });
    scene
        .server
        .store()
        .put_foreign("chat-queue-overflow", theirs);
    let before = scene.server.store().clone();
    scene.run(&["plan"]).exits(1);
    let problem = &scene.plan(&[])["problems"][0];
    assert_eq!(
        problem["message"],
        "the metric alarm `chat-queue-overflow` exists and was not created by slosmith"
    );
    scene
        .run(&["apply", "--yes"])
        .exits(2)
        .says("nothing was changed: fix 1 error first (see above)");
    assert_eq!(*scene.server.store(), before);
    scene.run(&["apply", "--yes", "--adopt"]).exits(0);
    assert_eq!(
        scene.server.store().alarms["chat-queue-overflow"].fields["Threshold"],
        80.0
    );
    scene.run(&["plan"]).exits(0);
}

#[test]
fn a_saved_plan_is_applied_as_it_is_or_not_at_all() {
    let scene = Scene::new();
    scene.run(&["plan", "--out", "plan.json"]).exits(1);
    scene
        .run(&["apply", "plan.json", "--yes", "--prune"])
        .exits(2)
        .says("cannot be used with a saved plan");
    // The spec changes, the plan does not.
    scene.edit();
    scene.run(&["apply", "plan.json", "--yes"]).exits(0);
    assert_eq!(
        scene.server.store().alarms["chat-queue-overflow"].fields["Threshold"],
        80.0
    );
    // Somebody edits an alarm between plan and apply.
    scene.run(&["plan", "--out", "plan.json"]).exits(1);
    let edit = |value: f64| {
        let mut store = scene.server.store();
        let alarm = store
            .alarms
            .get_mut("chat-queue-overflow")
            .expect("applied");
        alarm.fields["Threshold"] = json!(value);
    };
    edit(70.0);
    let before = scene.server.store().clone();
    scene.run(&["apply", "plan.json", "--yes"]).exits(2).says(
        "the account has changed since the plan was made: alarm `chat-queue-overflow`; run `slosmith cloudwatch plan` again",
    );
    assert_eq!(*scene.server.store(), before);
    let plan = scene.plan(&[]);
    assert_eq!(plan["changes"][0]["edited"], true, "{plan:#}");
    for text in ["{", "[]", "{\"version\": 7}"] {
        scene.project.write("bad.json", text);
        scene
            .run(&["apply", "bad.json", "--yes"])
            .exits(2)
            .says("plan");
    }
}

#[test]
fn a_composite_alarm_with_a_missing_part_is_never_sent() {
    let scene = Scene::new();
    let both = "  Both:
    severity: critical
    when: {all: [{signal: vllm.requests_waiting, above: 5}, {signal: vllm.kv_cache_usage, above: 95%}]}
    for: 2m
";
    scene
        .project
        .write("specs/chat.yaml", &format!("{SPEC}{both}"));
    scene.run(&["plan", "--out", "plan.json"]).exits(1);
    let plan = scene.project.read("plan.json");
    let mut plan: Value = serde_json::from_str(&plan).expect("JSON");
    let is_part = |entry: &Value| entry["name"] == "chat-both-part-1";
    for list in ["objects", "changes"] {
        let list = plan[list].as_array_mut().expect("a list");
        let all = list.len();
        list.retain(|entry| !is_part(entry));
        assert_eq!(list.len(), all - 1, "{list:?}");
    }
    scene.project.write("plan.json", &plan.to_string());
    scene
        .run(&["apply", "plan.json", "--yes"])
        .exits(2)
        .says("the composite alarm `chat-both` refers to `chat-both-part-1`, which does not exist");
    assert!(scene.server.store().alarms.is_empty());
}

#[test]
fn picture_of_a_plan() {
    let scene = Scene::new();
    let idle = "  Idle:
    severity: critical
    when: {signal: vllm.requests_running, below: 1}
    for: 30m
";
    scene
        .project
        .write("specs/chat.yaml", &format!("{SPEC}{idle}"));
    scene.run(&["apply", "--yes"]).exits(0);
    let full = "  CacheFull:
    severity: critical
    when: {signal: vllm.kv_cache_usage, above: 95%}
    for: 5m
";
    scene
        .project
        .write("specs/chat.yaml", &format!("{SPEC}{full}"));
    scene.edit();
    let ran = scene
        .run(&["plan", "--prune", "--color", "always"])
        .exits(1);
    crate::pictures::check(
        "plan",
        "slosmith cloudwatch plan --prune",
        &(ran.out + &ran.err),
    );
}

#[test]
fn what_a_spec_no_longer_wants_goes_on_request() {
    let scene = Scene::new();
    scene.run(&["apply", "--yes"]).exits(0);
    scene
        .project
        .edit("specs/chat.yaml", "QueueOverflow", "QueueTooLong");
    let plan = scene.run(&["plan"]).exits(1);
    assert!(
        plan.out
            .contains("`--prune` deletes them:\n    alarm `chat-queue-overflow`"),
        "{}",
        plan.out
    );
    scene.run(&["apply", "--yes"]).exits(0);
    assert!(
        scene
            .server
            .store()
            .alarms
            .contains_key("chat-queue-overflow")
    );
    scene.run(&["apply", "--yes", "--prune"]).exits(0);
    assert!(
        !scene
            .server
            .store()
            .alarms
            .contains_key("chat-queue-overflow")
    );
    scene.run(&["plan", "--prune"]).exits(0);
}

#[test]
fn a_wrong_account_and_missing_credentials_are_told() {
    let scene = Scene::new();
    scene.run(&["apply", "--yes"]).exits(0);
    scene.project.edit(
        "specs/chat.yaml",
        "region: us-east-1",
        "region: us-east-1\n  account: \"999999999999\"",
    );
    scene.run(&["plan"]).exits(2).says(
        "the AWS credentials belong to account 123456789012, but the specs are for account 999999999999",
    );
    let none = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(["cloudwatch", "plan"])
        .current_dir(scene.project.path(""))
        .env_clear()
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("HOME", scene.project.path(""))
        .output()
        .expect("the binary runs");
    let err = String::from_utf8(none.stderr).expect("text");
    assert_eq!(none.status.code(), Some(2));
    assert!(err.contains("error: no AWS credentials"), "{err}");
    let nowhere = scene.run_at("http://127.0.0.1:1", &["plan"]);
    nowhere.exits(2).says("Connection refused");
}

#[test]
fn the_proxy_of_the_environment_and_a_profile_are_used() {
    let scene = Scene::new();
    let credentials = format!("[work]\naws_access_key_id = A\naws_secret_access_key = {SECRET}\n");
    scene.project.write("credentials", &credentials);
    let plan = |profile: &str| {
        let ran = Command::new(env!("CARGO_BIN_EXE_slosmith"))
            .args([
                "cloudwatch",
                "plan",
                "--profile",
                profile,
                "--endpoint-url",
                "http://cloudwatch.invalid",
            ])
            .current_dir(scene.project.path(""))
            .env_clear()
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env(
                "AWS_SHARED_CREDENTIALS_FILE",
                scene.project.path("credentials"),
            )
            .env("HTTP_PROXY", scene.server.url())
            .output();
        ran.expect("the binary runs").status.code()
    };
    assert_eq!(plan("work"), Some(1));
    assert!(scene.server.called().contains(&"DescribeAlarms".to_owned()));
    assert_eq!(plan("play"), Some(2));
    assert!(scene.server.called().is_empty());
}

#[test]
fn what_is_pulled_can_be_linted() {
    let scene = Scene::new();
    scene.run(&["apply", "--yes"]).exits(0);
    let wrong = json!({
        "Namespace": "N", "MetricName": "theirs", "Statistic": "Sum", "Period": 45, "EvaluationPeriods": 1,
        "Threshold": 5, "ComparisonOperator": "GreaterThanThreshold"
    });
    scene.server.store().put_foreign("theirs", wrong);
    scene
        .run(&["pull", "--region", "us-east-1", "--out", "live"])
        .exits(0)
        .says("live: 2 files");
    let lint = scene
        .project
        .run(&["lint", "live", "--format", "concise"])
        .exits(1);
    assert!(
        lint.out.contains("live/alarms.json") && lint.out.contains("45"),
        "{}",
        lint.out
    );
    assert!(scene.project.has("live/dashboards/chat-overview.json"));
    scene.server.store().alarms.remove("theirs");
    scene
        .run(&["pull", "--region", "us-east-1", "--out", "live"])
        .exits(0);
    scene
        .project
        .run(&["lint", "live", "--format", "concise"])
        .exits(0);
    scene
        .run(&["pull", "--region", "nowhere", "--out", "live"])
        .exits(2)
        .says("not an AWS region");
}

/// A metric with its dimensions, as ListMetrics has it.
fn metric(namespace: &str, name: &str, dimensions: &[(&str, &str)]) -> Value {
    let dimensions: Vec<_> = dimensions
        .iter()
        .map(|(name, value)| json!({"Name": name, "Value": value}))
        .collect();
    json!({"Namespace": namespace, "MetricName": name, "Dimensions": dimensions})
}

#[test]
fn alarms_are_compared_with_the_metrics_that_are_there() {
    let scene = Scene::new();
    scene.server.store().metrics = vec![
        (metric("Shop", "Latency", &[("Cluster", "west")]), true),
        (metric("Shop", "Latency", &[("Cluster", "east")]), false),
        (metric("Shop", "Errors", &[]), true),
        (metric("Other", "Errors", &[]), true),
    ];
    let list = [
        "list-metrics",
        "--region",
        "us-east-1",
        "--namespace",
        "Shop",
    ];
    let list = [&list[..], &["--out", "listed/metrics.json"]].concat();
    scene
        .run(&list)
        .exits(0)
        .says("listed/metrics.json: 3 metrics");
    let listing: Value =
        serde_json::from_str(&scene.project.read("listed/metrics.json")).expect("JSON");
    assert_eq!(listing["Metrics"][2]["RecentlyActive"], "PT3H");
    assert_eq!(listing["Metrics"][1].get("RecentlyActive"), None);

    let alarm = |number: usize, namespace: &str, name: &str, dimensions: &[(&str, &str)]| {
        let mut alarm = metric(namespace, name, dimensions);
        let rest = json!({
            "AlarmName": format!("alarm-{number}"), "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1,
            "Threshold": 5, "ComparisonOperator": "GreaterThanThreshold"
        });
        let fields = alarm.as_object_mut().expect("fields");
        fields.extend(rest.as_object().expect("fields").clone());
        alarm
    };
    let alarms = json!([
        alarm(0, "Shop", "Latency", &[("Cluster", "west")]),
        alarm(1, "Shop", "Latncy", &[("Cluster", "west")]),
        alarm(2, "Shop", "Latency", &[("Cluster", "north")]),
        alarm(3, "Shop", "Latency", &[]),
        alarm(4, "Elsewhere", "Latency", &[]),
        alarm(5, "Shop", "Latency", &[("Cluster", "${var.cluster}")]),
    ]);
    scene.project.write("alarms.json", &alarms.to_string());
    let row = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let board = json!({"widgets": [{
        "type": "metric", "x": 0, "y": 0, "width": 6, "height": 6,
        "properties": {"region": "us-east-1", "title": "Shop", "metrics": [
            row(r#"["Shop", "Latency", "Cluster", "west", {"period": 60}]"#),
            row(r#"["...", "east"]"#),
            row(r#"[".", ".", ".", "south"]"#),
            row(r#"["Shop", "Gone"]"#),
        ]}
    }]});
    scene.project.write("board.json", &board.to_string());
    let lint = ["lint", "alarms.json", "board.json", "listed"];
    let lint = [&lint[..], &["--format", "concise", "--fail-on", "warning"]].concat();
    let out = scene.project.run(&lint).exits(1).out;
    let day = listing["Date"].as_str().expect("a day");
    let told: Vec<_> = out
        .lines()
        .filter_map(|line| line.split_once("] "))
        .map(|(_, message)| message.replace(day, "TODAY"))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    `Latncy` had no value in `Shop` in the two weeks before TODAY
    CloudWatch has no `Latency` with [Cluster=north]
    CloudWatch has no `Latency` without dimensions
    CloudWatch has no `Latency` with [Cluster=south]
    `Gone` had no value in `Shop` in the two weeks before TODAY
    ");
}

#[test]
fn foreign_text_steers_no_terminal() {
    let scene = Scene::new();
    scene.run(&["apply", "--yes"]).exits(0);
    let mut store = scene.server.store();
    let alarm = store
        .alarms
        .get_mut("chat-queue-overflow")
        .expect("applied");
    alarm.fields["AlarmDescription"] = json!("\u{1b}[31m\n::error::x");
    alarm
        .tags
        .insert("\u{1b}]0;t".to_owned(), "\u{7}".to_owned());
    drop(store);
    let out = scene.run(&["plan"]).exits(1).out;
    assert!(
        !out.contains(['\u{1b}', '\u{7}']) && !out.contains("\n::"),
        "{out}"
    );
}

#[cfg(unix)]
#[test]
#[ignore = "ci"]
fn an_interrupted_run_says_what_is_left_and_a_killed_one_is_continued() {
    let scene = Scene::new();
    let alerts = (0..12).map(|n| {
        format!("  Alert{n}:\n    severity: critical\n    when: {{signal: vllm.requests_waiting, above: {}}}\n    for: 2m\n", 50 + n)
    });
    let spec = format!("{SPEC}{}", alerts.collect::<String>());
    scene.project.write("specs/chat.yaml", &spec);
    for signal in ["-KILL", "-INT"] {
        let child = Command::new(env!("CARGO_BIN_EXE_slosmith"))
            .args([
                "cloudwatch",
                "apply",
                "--yes",
                "--endpoint-url",
                &scene.server.url(),
            ])
            .current_dir(scene.project.path(""))
            .env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let before = scene.server.store().alarms.len();
        while scene.server.store().alarms.len() < before + 3 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.expect("kill runs").success());
        let ended = child.wait_with_output().expect("it ends");
        let err = String::from_utf8(ended.stderr).expect("text");
        if signal == "-INT" {
            assert_eq!(ended.status.code(), Some(2), "{err}");
            assert!(err.contains("Not done:\n  put alarm `chat-"), "{err}");
            assert!(
                err.contains("run the command again to make the remaining changes"),
                "{err}"
            );
        }
    }
    assert!(scene.server.store().alarms.len() < 13);
    scene.run(&["apply", "--yes"]).exits(0);
    assert_eq!(scene.server.store().alarms.len(), 13);
    scene.run(&["plan"]).exits(0);
}

/// An empty account holds nothing that tells its number.
#[test]
fn an_empty_account_is_asked_for_its_number_before_anything_is_written() {
    let scene = Scene::new();
    scene
        .project
        .edit("specs/chat.yaml", "123456789012", "999999999999");
    let ran = scene.run(&["apply", "--yes"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let why = "the AWS credentials belong to account 123456789012, but the specs are for account 999999999999";
    assert!(ran.err.contains(why), "{}", ran.err);
    let called = scene.server.called();
    assert!(
        called.contains(&"GetCallerIdentity".to_owned()),
        "{called:?}"
    );
    assert!(
        called.iter().all(|call| !call.starts_with("Put")),
        "{called:?}"
    );
}

/// A spec without a number may go to any account; a plan of it goes to the account that it was made from.
#[test]
fn a_saved_plan_is_for_the_account_that_it_was_made_from() {
    let scene = Scene::new();
    let actions = "  actions: {critical: [\"arn:aws:sns:us-east-1:123456789012:chat\"]}\n";
    scene.project.edit("specs/chat.yaml", actions, "");
    scene.run(&["plan", "--out", "plan.json"]).exits(1);
    let plan = scene.project.read("plan.json");
    assert!(plan.contains("\"account\": \"123456789012\""), "{plan}");
    scene
        .project
        .edit("plan.json", "\"123456789012\"", "\"999999999999\"");
    let ran = scene.run(&["apply", "plan.json", "--yes"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("for account 999999999999"), "{}", ran.err);
    assert!(scene.server.store().alarms.is_empty());
}

/// AWS takes actions of the alarm's own region only.
#[test]
fn an_action_of_another_region_stops_a_build_and_an_apply() {
    let scene = Scene::new();
    let ran = scene.run(&["plan", "--region", "us-west-2"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let why = "the action is in us-east-1, and the alarm in us-west-2";
    assert!(ran.err.contains(why), "{}", ran.err);
    assert!(scene.server.called().is_empty());
    scene.project.edit(
        "specs/chat.yaml",
        "region: us-east-1",
        "region: us-gov-west-1",
    );
    let ran = scene.project.run(&["build"]);
    assert!(
        ran.err
            .contains("the action is in us-east-1, and the alarm in us-gov-west-1"),
        "{}",
        ran.err
    );
    scene.project.edit(
        "specs/chat.yaml",
        "arn:aws:sns:us-east-1",
        "arn:aws:sns:us-gov-west-1",
    );
    let ran = scene.project.run(&["build"]);
    assert!(
        ran.err
            .contains("ARNs of us-gov-west-1 begin with `arn:aws-us-gov:`"),
        "{}",
        ran.err
    );
}
