//! What CloudWatch gets of a spec: alarms, dashboards, delivery, and the report on parity.
//!
//! `tools/cloudwatch-check` shows that the other forms say the same as `alarms.json`.

use serde_json::{Value, json};
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::target::{OutFile, Target};

use crate::bundled::text as read;

fn build(text: &str, target: Target) -> Vec<OutFile> {
    crate::bundled::build_for(text, None, target)
}

/// What CloudWatch gets of a spec in `tests/fixtures/cloudwatch`.
fn fixture(name: &str) -> Vec<OutFile> {
    let spec = read(&format!("tests/fixtures/cloudwatch/{name}.yaml"));
    build(&spec, Target::CloudWatch)
}

fn text<'f>(files: &'f [OutFile], path: &str) -> &'f str {
    let file = files.iter().find(|file| file.path == path);
    &file.unwrap_or_else(|| panic!("no {path}")).text
}

fn json(files: &[OutFile], path: &str) -> Value {
    serde_json::from_str(text(files, path)).expect("JSON")
}

fn alarm(files: &[OutFile], name: &str) -> Value {
    let alarms = json(files, "cloudwatch/alarms.json");
    let mut all = alarms.as_array().expect("a list").iter();
    let found = all.find(|alarm| alarm["AlarmName"] == name);
    found.unwrap_or_else(|| panic!("no alarm {name}")).clone()
}

/// The four alarms of the guide's own code, parameter by parameter.
#[test]
fn the_alarms_of_the_guide_are_there() {
    let files = build(&read("specs/mangaassist.yaml"), Target::CloudWatch);
    let topic = |name: &str| {
        json!([format!(
            "arn:aws:sns:us-east-1:123456789012:mangaassist-{name}"
        )])
    };
    let above = "GreaterThanThreshold";
    let wanted = [
        json!({
            "AlarmName": "mangaassist-vllm-queue-overflow", "MetricName": "vllm:num_requests_waiting",
            "Statistic": "Maximum", "Period": 60, "EvaluationPeriods": 2, "Threshold": 80,
            "ComparisonOperator": above, "AlarmActions": topic("critical"),
        }),
        json!({
            "AlarmName": "mangaassist-vllm-oom-detected", "MetricName": "OOMCaught",
            "Statistic": "Sum", "Period": 300, "EvaluationPeriods": 1, "Threshold": 0,
            "ComparisonOperator": above, "AlarmActions": topic("critical"),
        }),
        json!({
            "AlarmName": "mangaassist-vllm-high-ttft", "MetricName": "TTFTMs",
            "ExtendedStatistic": "p95", "Period": 300, "EvaluationPeriods": 1, "Threshold": 500,
            "ComparisonOperator": above, "AlarmActions": topic("warning"),
        }),
        json!({
            "AlarmName": "mangaassist-vllm-prefix-cache-degradation", "MetricName": "PrefixCacheHit",
            "Statistic": "Average", "Period": 900, "EvaluationPeriods": 1, "Threshold": 0.5,
            "ComparisonOperator": "LessThanThreshold", "AlarmActions": topic("warning"),
        }),
    ];
    for wanted in wanted {
        let found = alarm(&files, wanted["AlarmName"].as_str().expect("a name"));
        for (key, value) in wanted.as_object().expect("an object") {
            assert_eq!(&found[key], value, "{key} of {found}");
        }
        assert_eq!(found["Namespace"], "MangaAssist/Inference");
        assert_eq!(found["TreatMissingData"], "notBreaching");
        assert_eq!(found["Dimensions"], Value::Null);
    }
}

/// Every alert is there, or the report says why not.
#[test]
fn nothing_is_left_out_without_a_word() {
    let spec = read("specs/mangaassist.yaml");
    let files = build(&spec, Target::CloudWatch);
    let document = slosmith::spec::read(FileId(0), &spec).expect("valid spec");
    let parity = json(&files, "parity.json");
    let entries = parity["entries"].as_array().expect("a list");
    for alert in document.spec.alerts.keys() {
        let entry = entries.iter().find(|e| e["name"] == alert.value.as_str());
        let entry = entry.unwrap_or_else(|| panic!("{alert} is not in the report"));
        match entry["cloudwatch"]["grade"].as_str() {
            Some("absent") => assert!(entry["cloudwatch"]["notes"][0]["text"].is_string()),
            _ => {
                let made = entry["resources"].as_array().expect("alarms");
                assert!(!made.is_empty(), "{alert}");
                for name in made {
                    alarm(&files, name.as_str().expect("a name"));
                }
            }
        }
    }
}

#[test]
fn fixtures_are_as_they_were() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/cloudwatch");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for name in ["agent", "otlp", "names"] {
            let files = fixture(name);
            for (what, path) in [
                ("alarms", "cloudwatch/alarms.json"),
                ("board", "cloudwatch/dashboards/main.json"),
                ("parity", "parity.md"),
            ] {
                insta::assert_snapshot!(format!("{name}-{what}"), text(&files, path));
            }
        }
    });
}

/// What must hold for two minutes holds in three samples of a minute; for ten, in the windows that end in them.
#[test]
fn a_condition_is_held_by_every_value_of_its_time() {
    let files = fixture("parity");
    for (name, period, points) in [
        ("parity-down", 60, 3),
        ("parity-full", 60, 6),
        ("parity-slow", 300, 3),
        ("parity-slow-cut", 1200, 1),
        ("parity-slow-once", 300, 1),
        ("parity-gone", 60, 6),
    ] {
        let alarm = alarm(&files, name);
        assert_eq!(alarm["Period"], period, "{name}");
        assert_eq!(alarm["EvaluationPeriods"], points, "{name}");
        assert_eq!(alarm["DatapointsToAlarm"], points, "{name}");
    }
}

/// The agent brings a sample of each replica a minute: its sum is the total that Prometheus compares.
#[test]
fn replicas_are_added_up() {
    let files = fixture("parity");
    let total = alarm(&files, "parity-queue");
    assert_eq!(
        (&total["Statistic"], &total["Threshold"]),
        (&json!("Sum"), &json!(9))
    );
    let scrape = text(&files, "cloudwatch/agent-prometheus.yaml");
    assert!(!scrape.contains("scrape_interval: 15s"), "{scrape}");
    assert!(scrape.contains("scrape_interval: 1m"), "{scrape}");
}

/// A gauge that each listed process publishes for itself is added up, or its mean is taken, as Prometheus does.
#[test]
fn listed_processes_are_added_up() {
    let spec = read("tests/fixtures/cloudwatch/parity.yaml");
    let spec = spec.replace("{adapter_id: [base, tuned]}", "{Hostname: [a, b, c]}");
    let each = |metric: &str| format!("{{metric: {metric}, dimension_sets: [[], [Hostname]]}}");
    let spec = spec.replace("{metric: GpuTotal}", &each("GpuTotal"));
    let files = build(
        &spec.replace("{metric: GpuMean}", &each("GpuMean")),
        Target::CloudWatch,
    );
    for (name, expression, statistic) in [
        ("total-high", "SUM([m1, m2, m3])", "Maximum"),
        ("total-low", "SUM([m1, m2, m3])", "Minimum"),
        ("mean-high", "AVG([m1, m2, m3])", "Maximum"),
    ] {
        let alarm = alarm(&files, &format!("parity-published-{name}"));
        let [a, _, _, sum] = alarm["Metrics"].as_array().expect("metrics").as_slice() else {
            panic!("{alarm}");
        };
        assert_eq!(sum["Expression"], expression, "{name}");
        let (stat, dimensions) = (
            &a["MetricStat"]["Stat"],
            &a["MetricStat"]["Metric"]["Dimensions"],
        );
        assert_eq!(*stat, statistic, "{name}");
        assert_eq!(
            *dimensions,
            json!([{"Name": "Hostname", "Value": "a"}]),
            "{name}"
        );
    }
    let report = text(&files, "parity.md");
    let row = report
        .lines()
        .find(|line| line.starts_with("| PublishedTotalHigh |"));
    let row = row.expect("a row");
    assert!(
        row.contains(
            "| stronger: CloudWatch uses the sum of the Maximum of each listed `Hostname`"
        ),
        "{row}"
    );
}

/// An alarm with a point a minute on a metric with one value a day never has enough points.
#[test]
fn a_period_is_as_long_as_the_time_between_two_values() {
    let spec = |alert: &str| {
        format!(
            "
apiVersion: slosmith/v1
service: {{name: disk, owner: disk}}
links: {{runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}}
cloudwatch: {{region: us-east-1, namespace: Disk}}
signals:
  size: {{kind: gauge, unit: bytes, across: max, cloudwatch: {{namespace: AWS/S3, metric: BucketSizeBytes, dimensions: {{BucketName: models, StorageType: StandardStorage}}}}}}
  cpu: {{kind: gauge, unit: ratio, across: max, cloudwatch: {{namespace: AWS/EC2, metric: CPUUtilization, unit: Percent, dimensions: {{InstanceId: i-0123456789abcdef0}}}}}}
alerts:
  {alert}
"
        )
    };
    for (alert, period, points) in [
        (
            "{severity: warning, when: {signal: size, above: 5TB}, for: 5m}",
            86_400,
            1,
        ),
        (
            "{severity: warning, when: {signal: size, above: 5TB}, for: 2d}",
            86_400,
            3,
        ),
        (
            "{severity: warning, when: {signal: size, absent: true}, for: 1d}",
            86_400,
            2,
        ),
        (
            "{severity: warning, when: {signal: cpu, above: 90%}, for: 10m}",
            300,
            3,
        ),
        (
            "{severity: warning, when: {signal: cpu, above: 90%}, for: 10m, cloudwatch: {period: 1m, evaluate: 10}}",
            60,
            10,
        ),
    ] {
        let files = build(&spec(&format!("Full: {alert}")), Target::CloudWatch);
        let alarm = self::alarm(&files, "disk-full");
        assert_eq!(
            (&alarm["Period"], &alarm["EvaluationPeriods"]),
            (&json!(period), &json!(points)),
            "{alert}"
        );
    }
}

/// In China, ARNs and the addresses of services are others in every form.
#[test]
fn every_form_names_the_partition_of_its_region() {
    let spec = read("tests/fixtures/cloudwatch/otlp.yaml");
    let spec = spec
        .replace("us-west-2", "cn-north-1")
        .replace("panels:\n", "panels:\n          - {kind: alerts}\n")
        .replace("arn:aws:", "arn:aws-cn:");
    let files = build(&spec, Target::CloudWatch);
    for form in ["dashboards/main.json", "main.tf.json", "template.json"] {
        let form = text(&files, &format!("cloudwatch/{form}"));
        assert!(form.contains("arn:aws-cn:cloudwatch:"), "{form}");
        assert!(!form.contains("arn:aws:"), "{form}");
    }
    let collector = text(&files, "cloudwatch/otel-collector.yaml");
    let address = "https://monitoring.cn-north-1.amazonaws.com.cn/v1/metrics";
    assert!(collector.contains(address), "{collector}");
}

/// Each known adapter has an alarm of its own; that on a metric without the dimension has none, and says what it lost.
#[test]
fn known_groups_have_alarms_of_their_own() {
    let files = fixture("parity");
    for adapter in ["base", "tuned"] {
        let own = alarm(&files, &format!("parity-adapter-slow-{adapter}"));
        assert_eq!(
            own["Dimensions"],
            json!([{"Name": "AdapterId", "Value": adapter}])
        );
        assert_eq!(own["ActionsEnabled"], true);
    }
    let all = alarm(&files, "parity-adapter-waits");
    let told = all["AlarmDescription"].as_str().expect("text");
    let lost = "Differs from Prometheus: this alarm may fire later, or not at all. One alarm for all values of \
        adapter_id together, but Prometheus alerts for each value.";
    assert!(told.contains(lost), "{told}");
}

/// A dashboard of CloudWatch has a limited number of widgets; the last ones are left out, and the report says so.
#[test]
fn a_dashboard_shows_what_fits() {
    let alerts = (0..493).map(|n| {
        format!("  Queue{n}: {{severity: critical, when: {{signal: vllm.requests_waiting, above: {n}.5}}, for: 2m}}\n")
    });
    let text = format!(
        "apiVersion: slosmith/v1
service: {{name: many, owner: tests}}
runtime: {{vllm: \">=0.20, <0.34\"}}
links: {{runbooks: \"https://runbooks.example\", grafana: \"https://grafana.example\"}}
cloudwatch:
  region: us-east-1
  namespace: Many
  actions: {{critical: [\"arn:aws:sns:us-east-1:123456789012:many\"]}}
alerts:
{}",
        alerts.collect::<String>()
    );
    let files = build(&text, Target::CloudWatch);
    let board = json(&files, "cloudwatch/dashboards/overview.json");
    let widgets = board["widgets"].as_array().expect("a list").len();
    assert!((490..=500).contains(&widgets), "{widgets}");
    let report = self::text(&files, "parity.md");
    assert!(
        report.contains("a dashboard has at most 500 widgets"),
        "{report}"
    );
}

/// A maintenance window mutes whoever notifies somebody, in all forms.
#[test]
fn maintenance_mutes_what_notifies() {
    let files = fixture("parity");
    let rules = json(&files, "cloudwatch/mute-rules.json");
    let rule = &rules[0];
    assert_eq!(rule["Name"], "parity-patches");
    let schedule = json!({"Expression": "cron(0 2 * * SUN)", "Duration": "PT2H30M", "Timezone": "Europe/Berlin"});
    assert_eq!(rule["Rule"]["Schedule"], schedule);
    let alarms = json(&files, "cloudwatch/alarms.json");
    let notify = alarms.as_array().expect("a list").iter();
    let notify = notify.filter(|alarm| alarm["ActionsEnabled"] == true);
    let notify: Vec<_> = notify.map(|alarm| alarm["AlarmName"].clone()).collect();
    assert_eq!(rule["MuteTargets"]["AlarmNames"], json!(notify));
    let template = json(&files, "cloudwatch/template.json");
    let resource = &template["Resources"]["PatchesMuteRule"];
    assert_eq!(&resource["Properties"], rule);
    let module = json(&files, "cloudwatch/main.tf.json");
    let resource = &module["resource"]["aws_cloudwatch_alarm_mute_rule"]["parity_patches"];
    assert_eq!(resource["rule"]["schedule"]["duration"], "PT2H30M");
    assert_eq!(
        module["terraform"]["required_providers"]["aws"]["version"],
        ">= 6.45"
    );
    assert_eq!(
        module["resource"]["aws_cloudwatch_log_group"]["agent"]["retention_in_days"],
        7
    );
}

/// A window, a zone or a name that AWS refuses is refused where it is written.
#[test]
fn what_aws_refuses_is_refused_at_its_place() {
    let spec = read("tests/fixtures/cloudwatch/parity.yaml");
    for (from, to, message) in [
        (
            "cron(0 2 * * SUN)",
            "cron(0 25 * * SUN)",
            "`25` is not a valid hour: use `*`, a number from 0 to 23",
        ),
        (
            "duration: 2h30m",
            "duration: 16d",
            "alarms cannot be muted for 16d",
        ),
        (
            "Europe/Berlin",
            "Europe Berlin",
            "`Europe Berlin` is not the name of a time zone",
        ),
        (
            "Europe/Berlin",
            "Europe/Berln",
            "`Europe/Berln` is not the name of a time zone",
        ),
        (
            "metric: TtftMs",
            "metric: TtftÜs",
            "CloudWatch names must be ASCII; `TtftÜs` contains `Ü`",
        ),
        (
            "adapter_id: [base, tuned]",
            "adapter: [base]",
            "no signal has the label `adapter`",
        ),
        (
            "adapter_id: [base, tuned]",
            "adapter_id: [base, base]",
            "`base` appears twice",
        ),
        (
            "cron(0 2 * * SUN)",
            "cron(0 2 30 FEB *)",
            "no month of `FEB` has a day `30`",
        ),
        (
            "arn:aws:sns:eu-central-1:123456789012:page",
            "arn:aws:automate:eu-central-1:ec2:stop",
            "the alarm `parity-answers-burn-1h` cannot use this action: a composite alarm cannot have an EC2 action",
        ),
        (
            "adapter_id: [base, tuned]",
            "adapter_id: [\"b\\te\"]",
            "`b\te` is not a valid dimension value",
        ),
    ] {
        let text = spec.replacen(from, to, 1);
        let document = crate::bundled::read(&text).expect("valid YAML");
        let Err(sink) = resolve(&document, Options::default()) else {
            panic!("{to} is accepted");
        };
        let found = sink.into_sorted();
        let error = found.iter().find(|d| d.message == message);
        let error = error.unwrap_or_else(|| panic!("{to}: {found:?}"));
        let at = &text[error.span.range()];
        assert!(at.contains(to) || to.contains(at), "{to}: {at}");
    }
}

/// Names that become alike in one form are still one rule each, and no rule has more alarms than AWS takes.
#[test]
fn every_window_is_a_rule_in_every_form() {
    let spec = read("tests/fixtures/cloudwatch/parity.yaml");
    let window = "{schedule: cron(0 2 * * SUN), duration: 2h}";
    let windows = format!("night-1: {window}\n    night_1: {window}\n    patches:");
    let spec = spec.replacen("patches:", &windows, 1);
    let adapters: Vec<_> = (0..60).map(|i| format!("a{i}")).collect();
    let spec = spec.replacen("[base, tuned]", &format!("[{}]", adapters.join(", ")), 1);
    let files = build(&spec, Target::CloudWatch);
    let rules = json(&files, "cloudwatch/mute-rules.json");
    let rules = rules.as_array().expect("a list");
    let sizes = rules.iter().map(|rule| {
        let names = rule["MuteTargets"]["AlarmNames"].as_array();
        names.expect("names").len()
    });
    assert!(sizes.clone().all(|size| (1..=100).contains(&size)));
    assert!(
        sizes.sum::<usize>() > 300,
        "three windows of over 100 alarms"
    );
    let module = json(&files, "cloudwatch/main.tf.json");
    let module = &module["resource"]["aws_cloudwatch_alarm_mute_rule"];
    assert_eq!(module.as_object().map(|all| all.len()), Some(rules.len()));
    let template = json(&files, "cloudwatch/template.json");
    let resources = template["Resources"].as_object().expect("resources");
    let mutes = resources
        .values()
        .filter(|resource| resource["Type"] == "AWS::CloudWatch::AlarmMuteRule");
    assert_eq!(mutes.count(), rules.len());
}

/// A metric that is only published by adapter has an alarm where there is only one adapter.
#[test]
fn a_single_known_value_is_used() {
    let spec = read("tests/fixtures/cloudwatch/parity.yaml");
    let spec = spec.replacen("[base, tuned]", "[base]", 1);
    let spec = spec.replacen(
        "GenerationMs, unit: Milliseconds, dimension_sets: [[], [AdapterId]]",
        "GenerationMs, unit: Milliseconds, dimension_sets: [[AdapterId]]",
        1,
    );
    let files = build(&spec, Target::CloudWatch);
    let alarm = alarm(&files, "parity-adapter-slow");
    assert_eq!(
        alarm["Dimensions"],
        json!([{"Name": "AdapterId", "Value": "base"}])
    );
}

/// Somebody is told that it is over; nothing is stopped for that.
#[test]
fn the_end_of_a_page_only_tells_somebody() {
    let topic = "arn:aws:sns:eu-central-1:123456789012:page";
    let item = "arn:aws:ssm:eu-central-1:123456789012:opsitem:1";
    let spec = read("tests/fixtures/cloudwatch/parity.yaml");
    let spec = spec.replacen(topic, &format!("{topic}\", \"{item}"), 1);
    let files = build(&spec, Target::CloudWatch);
    let alarm = alarm(&files, "parity-down");
    assert_eq!(alarm["AlarmActions"], json!([topic, item]));
    assert_eq!(alarm["OKActions"], json!([topic]));
}

/// Costs are counted by hand for a spec whose metrics are few.
#[test]
fn costs_are_those_of_the_price_list() {
    let files = build(&read("specs/mangaassist.yaml"), Target::CloudWatch);
    let cost = &json(&files, "parity.json")["cost"];
    let items = cost["items"].as_array().expect("a list");
    let of = |what: &str| {
        let found = items.iter().find(|item| item["what"] == what);
        found.unwrap_or_else(|| panic!("no {what}"))["count"].clone()
    };
    // Two bands, one for each adapter, each of them three metrics for AWS.
    assert_eq!(of("alarms: metrics of anomaly detection bands"), "2");
    assert_eq!(of("alarms: composite"), "5");
    // Eight metrics are published by adapter, for two adapters.
    assert_eq!(of("custom metrics by AdapterId"), "16");
    assert_eq!(of("dashboards"), "2");
    let total = |item: &Value| item["total"].as_str().and_then(|t| t.parse::<f64>().ok());
    let sum: f64 = items.iter().filter_map(total).sum();
    let whole = total(cost).expect("a total");
    assert!((sum - whole).abs() < 0.02, "{sum} {whole}");
}

/// What comes with OpenTelemetry or is published is named beside the total: nobody may read it as free.
#[test]
fn what_has_no_price_is_listed() {
    let agent = json(&fixture("agent"), "parity.json");
    let published = &agent["cost"]["unpriced"];
    assert_eq!(published[0]["what"], "metrics that your code publishes");
    assert_eq!(published[1], json!(null));
    let files = fixture("otlp");
    let report = json(&files, "parity.json");
    let unpriced = report["cost"]["unpriced"].as_array().expect("a list");
    let of = |what: &str| unpriced.iter().find(|item| item["what"] == what);
    let sent = of("OpenTelemetry metrics, in gigabytes").expect("an entry");
    assert_eq!(sent["count"], "not known");
    let alarms = json(&files, "cloudwatch/alarms.json");
    let alarms = alarms.as_array().expect("alarms").iter();
    let promql = alarms.filter(|alarm| !alarm["EvaluationCriteria"].is_null());
    let listed = of("alarms: PromQL").expect("an entry");
    assert_eq!(listed["count"], promql.count().to_string());
    let sentence = report["cost"]["sentence"].as_str().expect("text");
    assert!(sentence.contains("at least"), "{sentence}");
}

/// A declared severity that no alarm has leaves no parameter behind, which cfn-lint would warn of.
#[test]
fn every_parameter_of_a_template_is_used() {
    for name in ["agent", "days", "otlp"] {
        let files = fixture(name);
        let template = json(&files, "cloudwatch/template.json");
        let parameters = template["Parameters"].as_object();
        let resources = template["Resources"].to_string();
        for parameter in parameters.into_iter().flat_map(|all| all.keys()) {
            let used = resources.contains(&format!("{{\"Ref\":\"{parameter}\"}}"));
            assert!(used, "{name}: {parameter}");
        }
        assert_eq!(parameters.is_none(), name == "days", "{name}");
    }
}

/// A tier watches both of its windows, and is silent while a faster one fires.
#[test]
fn tiers_are_pairs_of_windows() {
    let files = fixture("agent");
    let slow = alarm(&files, "classic-availability-burn-3d");
    assert_eq!(
        slow["AlarmRule"],
        "ALARM(\"classic-availability-burn-3d-1x\") AND ALARM(\"classic-availability-burn-6h-1x\")"
    );
    assert_eq!(slow["ActionsSuppressor"], "classic-availability-burn-1d");
    assert_eq!(slow["ActionsSuppressorExtensionPeriod"], 2 * 3_600);
    let fast = alarm(&files, "classic-availability-burn-1h");
    assert_eq!(fast["ActionsSuppressor"], Value::Null);
    let window = alarm(&files, "classic-availability-burn-6h-6x");
    assert_eq!(window["Threshold"], 6);
    assert_eq!(window["Metrics"][0]["MetricStat"]["Period"], 6 * 3_600);
    assert_eq!(window["ActionsEnabled"], false);
}

/// Names that are templates elsewhere stay as they are.
#[test]
fn names_survive_every_form() {
    let files = fixture("names");
    let alarms = json(&files, "cloudwatch/alarms.json");
    let template = json(&files, "cloudwatch/template.json");
    let terraform = json(&files, "cloudwatch/main.tf.json");
    let plain = |text: &str| text.replace("$${", "${").replace("%%{", "%{");
    let inside = |map: &Value| -> Vec<Value> {
        let all = map.as_object().into_iter().flat_map(|map| map.values());
        all.cloned().collect()
    };
    let mut in_terraform = inside(&terraform["resource"]["aws_cloudwatch_metric_alarm"]);
    in_terraform.extend(inside(
        &terraform["resource"]["aws_cloudwatch_composite_alarm"],
    ));
    let in_template = inside(&template["Resources"]);
    for alarm in alarms.as_array().expect("a list") {
        let name = alarm["AlarmName"].as_str().expect("a name");
        assert!(
            name.contains("${") && name.contains("%{") && name.contains('"'),
            "{name}"
        );
        assert!(
            in_template
                .iter()
                .any(|r| r["Properties"]["AlarmName"] == name)
        );
        let same = |r: &&Value| plain(r["alarm_name"].as_str().unwrap_or_default()) == name;
        let found = in_terraform.iter().find(same).expect("a resource");
        let description = found["alarm_description"].as_str().expect("a description");
        assert_eq!(plain(description), alarm["AlarmDescription"]);
    }
    let longest = alarms[0]["AlarmName"].as_str().expect("a name");
    assert_eq!(longest.chars().count(), 255);
}

/// The agent delivers exactly what alarms and dashboards ask for.
#[test]
fn the_agent_delivers_what_is_watched() {
    let files = build(&read("specs/mangaassist.yaml"), Target::CloudWatch);
    let agent = json(&files, "cloudwatch/agent.json");
    let emf = &agent["logs"]["metrics_collected"]["prometheus"]["emf_processor"];
    let declared = emf["metric_declaration"].as_array().expect("a list");
    let mut selectors: Vec<&str> = Vec::new();
    for declaration in declared {
        assert_eq!(declaration["dimensions"], json!([[]]));
        let all = declaration["metric_selectors"].as_array().expect("a list");
        selectors.extend(all.iter().filter_map(Value::as_str));
    }
    let mut asked: Vec<String> = Vec::new();
    let shows = |path: &str| path.contains("/dashboards/") || path.ends_with("alarms.json");
    for file in files.iter().filter(|file| shows(&file.path)) {
        for name in file
            .text
            .split('"')
            .filter(|w| w.starts_with("vllm:") || *w == "probe_success")
        {
            asked.push(format!("^{name}$"));
        }
    }
    asked.sort();
    asked.dedup();
    selectors.sort_unstable();
    assert_eq!(selectors, asked);
}

/// The module says every metric by its name; its own unit test runs where there is Python.
#[test]
fn the_emitter_names_every_published_metric() {
    let files = build(&read("specs/mangaassist.yaml"), Target::Emitter);
    let module = text(&files, "emitter/metrics.py");
    for name in [
        "QueueWaitMs",
        "TTFTMs",
        "GenerationMs",
        "InputTokens",
        "OutputTokens",
        "PrefixCacheHit",
        "TokenBudgetTrimmed",
        "OOMCaught",
        "AdmissionRejected",
        "Requests5xx",
    ] {
        assert!(module.contains(&format!("name=\"{name}\"")), "{name}");
    }
    assert!(build(&read("specs/vllm-production.yaml"), Target::Emitter).is_empty());
}

/// Every attribute of the spec's traces is an argument of the span; a service without traces gets no module.
#[test]
fn the_emitter_spans_every_attribute() {
    let files = build(&read("specs/mangaassist.yaml"), Target::Emitter);
    let module = text(&files, "emitter/traces.py");
    assert!(module.contains("NAME = \"vllm_inference\""), "{module}");
    for name in [
        "request_id",
        "session_id",
        "adapter_id",
        "backend_version",
        "prompt_version",
        "input_tokens",
        "output_tokens",
        "queue_wait_ms",
        "ttft_ms",
        "generation_ms",
        "prefix_cache_hit",
        "finish_reason",
    ] {
        let set = format!("            \"{name}\": {name},\n");
        assert!(module.contains(&set), "{name}");
    }
}
