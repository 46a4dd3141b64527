//! The validator of alarms and dashboards: valid ones pass, and each wrong one is refused for its one fault.

use serde_json::{Value, json};
use slosmith::cloudwatch::{self, Violation};

/// A request with some fields changed; `null` takes one away. Keys are JSON pointers.
fn with(mut base: Value, changes: Value) -> Value {
    for (pointer, value) in changes.as_object().expect("changes") {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let parent = base.pointer_mut(parent).expect("a parent");
        match parent {
            Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value.clone(),
            Value::Object(map) if value.is_null() => drop(map.remove(key)),
            Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
            _ => panic!("{pointer}"),
        }
    }
    base
}

fn metric() -> Value {
    json!({
        "AlarmName": "queue", "Namespace": "App", "MetricName": "vllm:num_requests_waiting",
        "Statistic": "Maximum", "Period": 60, "EvaluationPeriods": 2, "Threshold": 80,
        "ComparisonOperator": "GreaterThanThreshold", "TreatMissingData": "notBreaching",
        "AlarmActions": ["arn:aws:sns:us-east-1:123456789012:critical"]
    })
}

fn percentile() -> Value {
    with(
        metric(),
        json!({"/Statistic": null, "/ExtendedStatistic": "p95", "/EvaluateLowSampleCountPercentile": "ignore"}),
    )
}

fn entry(id: &str, name: &str, period: u32) -> Value {
    json!({"Id": id, "ReturnData": false, "MetricStat": {
        "Metric": {"Namespace": "App", "MetricName": name, "Dimensions": [{"Name": "model_name", "Value": "m"}]},
        "Period": period, "Stat": "Sum"
    }})
}

fn math() -> Value {
    json!({
        "AlarmName": "burn", "EvaluationPeriods": 1, "DatapointsToAlarm": 1, "Threshold": 14.4,
        "ComparisonOperator": "GreaterThanThreshold",
        "Metrics": [
            entry("bad", "errors", 3600), entry("all", "requests", 3600),
            {"Id": "burn", "Label": "burn rate", "ReturnData": true, "Expression": "IF(all>0,(FILL(bad,0)/all)/0.001,0)"}
        ]
    })
}

fn band() -> Value {
    json!({
        "AlarmName": "unusual", "EvaluationPeriods": 3, "ComparisonOperator": "GreaterThanUpperThreshold",
        "ThresholdMetricId": "band",
        "Metrics": [
            {"Id": "m", "MetricStat": {"Metric": {"Namespace": "App", "MetricName": "ttft"}, "Period": 300, "Stat": "p95"}},
            {"Id": "band", "Expression": "ANOMALY_DETECTION_BAND(m, 2)"}
        ]
    })
}

fn promql() -> Value {
    json!({
        "AlarmName": "ttft", "EvaluationInterval": 60,
        "EvaluationCriteria": {"PromQLCriteria": {
            "Query": "histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m]))) > 3", "PendingPeriod": 600, "RecoveryPeriod": 60
        }}
    })
}

fn composite() -> Value {
    json!({"AlarmName": "both", "AlarmRule": "ALARM(\"long\") AND ALARM(\"short\")"})
}

fn widget(kind: &str, properties: Value) -> Value {
    json!({"type": kind, "x": 0, "y": 0, "width": 6, "height": 6, "properties": properties})
}

fn graph() -> Value {
    widget(
        "metric",
        json!({"region": "us-east-1", "metrics": [["App", "requests", "model", "m", {"stat": "Sum"}]]}),
    )
}

fn board() -> Value {
    json!({"widgets": [graph(), widget("text", json!({"markdown": "# a"}))]})
}

fn check(request: &Value) -> Vec<Violation> {
    match request.get("widgets") {
        Some(_) => cloudwatch::dashboard(request),
        None => cloudwatch::any_alarm(request),
    }
}

fn long(n: usize) -> String {
    "x".repeat(n)
}

#[test]
fn valid_requests_pass() {
    let stat = |text: &str| with(percentile(), json!({"/ExtendedStatistic": text}));
    let expression = |text: &str| with(math(), json!({"/Metrics/2/Expression": text}));
    let rule = |text: &str| with(composite(), json!({"/AlarmRule": text}));
    let ten: Vec<_> = (0..10).map(|i| entry(&format!("m{i}"), "x", 60)).collect();
    let mut many = ten.clone();
    many.push(json!({"Id": "all", "Expression": "SUM(METRICS())"}));
    let valid = [
        metric(),
        with(metric(), json!({"/AlarmName": "é \"quoted\" ${x} %{y}"})),
        with(
            metric(),
            json!({"/AlarmName": long(255), "/AlarmDescription": long(1024)}),
        ),
        with(metric(), json!({"/Period": 10, "/EvaluationPeriods": 1})),
        with(metric(), json!({"/Period": 20, "/EvaluationPeriods": 1})),
        with(metric(), json!({"/Period": 30, "/EvaluationPeriods": 1})),
        with(metric(), json!({"/Period": 300, "/EvaluationPeriods": 288})),
        with(
            metric(),
            json!({"/Period": 259_200, "/EvaluationPeriods": 2}),
        ),
        with(
            metric(),
            json!({"/Period": 604_800, "/EvaluationPeriods": 1}),
        ),
        with(metric(), json!({"/DatapointsToAlarm": 1})),
        with(metric(), json!({"/Threshold": 0, "/Unit": "Count"})),
        with(
            metric(),
            json!({"/Dimensions": [{"Name": "AdapterId", "Value": "a b"}]}),
        ),
        with(metric(), json!({"/Tags": [{"Key": "owner", "Value": ""}]})),
        with(
            metric(),
            json!({"/TreatMissingData": null, "/AlarmActions": null}),
        ),
        with(
            metric(),
            json!({"/ActionsEnabled": false, "/OKActions": ["arn:aws:sns:us-east-1:123456789012:a"]}),
        ),
        percentile(),
        stat("p99.9"),
        stat("tm90"),
        stat("IQM"),
        stat("PR(:500)"),
        stat("TM(10%:90%)"),
        stat("TC(0:2)"),
        stat("WM(:95%)"),
        math(),
        expression("bad / all"),
        expression("100 * (bad + all) >= 5 AND all > 0"),
        expression("MAX([bad, all])"),
        expression("-bad ^ 2"),
        expression("IF(all > 0, bad / all, 0)"),
        expression("RATE(bad) * PERIOD(bad)"),
        with(math(), json!({"/Metrics": many})),
        with(math(), json!({"/Metrics/0/MetricStat/Stat": "p99"})),
        with(
            math(),
            json!({"/Metrics": [{"Id": "q", "Period": 300, "Expression": "SELECT MAX(x) FROM \"App\""}]}),
        ),
        band(),
        promql(),
        with(
            promql(),
            json!({"/EvaluationCriteria/PromQLCriteria/PendingPeriod": null, "/EvaluationInterval": 3600}),
        ),
        with(
            promql(),
            json!({"/EvaluationCriteria/PromQLCriteria/Query": "{\"a.b\"} > 1"}),
        ),
        composite(),
        rule("ALARM(a)"),
        rule("NOT (OK('a b') OR INSUFFICIENT_DATA(\"c\")) AND TRUE"),
        rule("AT_LEAST(2, ALARM, (a, b, \"c d\"))"),
        rule("AT_LEAST(50%, NOT OK, (a, b))"),
        rule("ALARM(\"arn:aws:cloudwatch:us-east-1:123456789012:alarm:x\")"),
        with(
            composite(),
            json!({"/ActionsSuppressor": "fast", "/ActionsSuppressorWaitPeriod": 120, "/ActionsSuppressorExtensionPeriod": 300}),
        ),
        board(),
        json!({"widgets": []}),
        json!({"start": "-PT6H", "end": "P0D", "widgets": [widget("alarm", json!({"alarms": ["arn:aws:cloudwatch:us-east-1:123456789012:alarm:a"]}))]}),
        json!({"widgets": [widget("metric", json!({"region": "us-east-1", "annotations": {"alarms": ["arn:aws:cloudwatch:us-east-1:123456789012:alarm:a"]}}))]}),
        json!({"widgets": [widget("metric", json!({"region": "us-east-1", "view": "gauge", "yAxis": {"left": {"min": 0, "max": 1}}, "metrics": [["A", "b"]]}))]}),
        json!({"widgets": [widget("metric", json!({"region": "us-east-1", "metrics": [["A", "b", {"id": "m"}], [{"expression": "m * 2"}]]}))]}),
    ];
    assert!(valid.len() >= 40, "{}", valid.len());
    for request in &valid {
        assert_eq!(check(request), [], "{request}");
    }
}

/// A base with one fault, the field that is blamed, and words of the message.
fn faults() -> Vec<(Value, &'static str, &'static str)> {
    let m = |changes| with(metric(), changes);
    let p = |changes| with(percentile(), changes);
    let x = |changes| with(math(), changes);
    let e = |text: &str| with(math(), json!({"/Metrics/2/Expression": text}));
    let q = |changes| with(promql(), changes);
    let c = |changes| with(composite(), changes);
    let r = |text: &str| with(composite(), json!({"/AlarmRule": text}));
    let w = |changes| with(board(), changes);
    let actions: Vec<_> = (0..6)
        .map(|i| format!("arn:aws:sns:us-east-1:123456789012:t{i}"))
        .collect();
    let dimensions: Vec<_> = (0..31)
        .map(|i| json!({"Name": format!("d{i}"), "Value": "v"}))
        .collect();
    let eleven: Vec<_> = (0..11)
        .map(|i| {
            with(
                entry(&format!("m{i}"), "x", 60),
                json!({"/ReturnData": i == 0}),
            )
        })
        .collect();
    let children: Vec<_> = (0..101).map(|i| format!("ALARM(a{i})")).collect();
    let widgets: Vec<_> = (0..501).map(|_| graph()).collect();
    vec![
        (m(json!({"/AlarmName": null})), "", "AlarmName is missing"),
        (
            m(json!({"/AlarmName": long(256)})),
            "/AlarmName",
            "256 characters",
        ),
        (m(json!({"/AlarmName": ""})), "/AlarmName", "0 characters"),
        (
            m(json!({"/AlarmName": "a\nb"})),
            "/AlarmName",
            "control character",
        ),
        (
            m(json!({"/AlarmDescription": long(1025)})),
            "/AlarmDescription",
            "1025 characters",
        ),
        (
            m(json!({"/AlarmActions": actions})),
            "/AlarmActions",
            "6 AlarmActions; at most 5",
        ),
        (m(json!({"/AlarmActions": [""]})), "/AlarmActions/0", "ARN"),
        (
            m(json!({"/Period": 45})),
            "/Period",
            "45 must be 10, 20, 30",
        ),
        (m(json!({"/Period": 90})), "/Period", "multiple of 60"),
        (m(json!({"/Period": null})), "", "Period is missing"),
        (
            m(json!({"/Period": "60"})),
            "/Period",
            "must be a whole number",
        ),
        (
            m(json!({"/Period": 300, "/EvaluationPeriods": 289})),
            "/EvaluationPeriods",
            "at most 86400 s",
        ),
        (
            m(json!({"/Period": 86_400, "/EvaluationPeriods": 8})),
            "/EvaluationPeriods",
            "at most 604800 s",
        ),
        (
            m(json!({"/EvaluationPeriods": 0})),
            "/EvaluationPeriods",
            "at least 1",
        ),
        (
            m(json!({"/EvaluationPeriods": null})),
            "",
            "EvaluationPeriods is missing",
        ),
        (
            m(json!({"/DatapointsToAlarm": 3})),
            "/DatapointsToAlarm",
            "between 1 and EvaluationPeriods",
        ),
        (
            m(json!({"/Statistic": null})),
            "",
            "exactly one of Statistic",
        ),
        (
            m(json!({"/ExtendedStatistic": "p99"})),
            "/ExtendedStatistic",
            "exactly one of Statistic",
        ),
        (
            m(json!({"/Statistic": "p99"})),
            "/Statistic",
            "must be one of SampleCount",
        ),
        (
            p(json!({"/ExtendedStatistic": "p101"})),
            "/ExtendedStatistic",
            "0 to 100",
        ),
        (
            p(json!({"/ExtendedStatistic": "median"})),
            "/ExtendedStatistic",
            "unknown statistic",
        ),
        (
            p(json!({"/ExtendedStatistic": "Sum"})),
            "/ExtendedStatistic",
            "write it in `Statistic`",
        ),
        (
            p(json!({"/ExtendedStatistic": "TM(90%:10%)"})),
            "/ExtendedStatistic",
            "needs a range",
        ),
        (
            p(json!({"/EvaluateLowSampleCountPercentile": "sometimes"})),
            "/EvaluateLowSampleCountPercentile",
            "must be one of evaluate",
        ),
        (
            m(json!({"/ComparisonOperator": "Above"})),
            "/ComparisonOperator",
            "must be one of",
        ),
        (
            m(json!({"/ComparisonOperator": null})),
            "",
            "ComparisonOperator is missing",
        ),
        (
            m(json!({"/ComparisonOperator": "GreaterThanUpperThreshold"})),
            "/ComparisonOperator",
            "ThresholdMetricId",
        ),
        (m(json!({"/Threshold": null})), "", "Threshold is missing"),
        (
            m(json!({"/Threshold": "80"})),
            "/Threshold",
            "must be a number",
        ),
        (
            m(json!({"/TreatMissingData": "ok"})),
            "/TreatMissingData",
            "must be one of breaching",
        ),
        (m(json!({"/Namespace": ":App"})), "/Namespace", "colon"),
        (m(json!({"/Namespace": null})), "", "Namespace is missing"),
        (
            m(json!({"/MetricName": long(256)})),
            "/MetricName",
            "256 characters",
        ),
        (
            m(json!({"/MetricName": null})),
            "",
            "one of MetricName, Metrics",
        ),
        (
            m(json!({"/Dimensions": dimensions})),
            "/Dimensions",
            "31 Dimensions",
        ),
        (
            m(json!({"/Dimensions": [{"Name": ":d", "Value": "v"}]})),
            "/Dimensions/0/Name",
            "colon",
        ),
        (
            m(json!({"/Dimensions": [{"Name": "d", "Value": "é"}]})),
            "/Dimensions/0/Value",
            "ASCII",
        ),
        (
            m(json!({"/Dimensions": [{"Name": "d"}]})),
            "/Dimensions/0",
            "Value is missing",
        ),
        (
            m(json!({"/Tags": [{"Key": "", "Value": "v"}]})),
            "/Tags/0/Key",
            "0 characters",
        ),
        (
            m(json!({"/Treshold": 1})),
            "/Treshold",
            "did you mean `Threshold`",
        ),
        (
            m(json!({"/Metrics": []})),
            "/Metrics",
            "cannot be combined with MetricName",
        ),
        (
            m(json!({"/EvaluationInterval": 60})),
            "/EvaluationInterval",
            "needs EvaluationCriteria",
        ),
        (
            x(json!({"/Period": 60})),
            "/Period",
            "combined with Metrics",
        ),
        (
            x(json!({"/Metrics/0/ReturnData": true})),
            "/Metrics",
            "exactly one entry must return data; found 2",
        ),
        (
            x(json!({"/Metrics/2/ReturnData": false})),
            "/Metrics",
            "found 0",
        ),
        (
            x(json!({"/Metrics/0/Id": "Bad", "/Metrics/2/Expression": "all / 2"})),
            "/Metrics/0/Id",
            "lower-case letter",
        ),
        (
            x(json!({"/Metrics/1/Id": "bad", "/Metrics/2/Expression": "bad"})),
            "/Metrics/1/Id",
            "two entries",
        ),
        (
            x(json!({"/Metrics/0/MetricStat/Period": 300})),
            "/Metrics",
            "the same period",
        ),
        (
            x(json!({"/Metrics/0/MetricStat/Stat": "mean"})),
            "/Metrics/0/MetricStat/Stat",
            "unknown statistic",
        ),
        (
            x(json!({"/Metrics/0/MetricStat/Metric/MetricName": null})),
            "/Metrics/0/MetricStat/Metric",
            "MetricName is missing",
        ),
        (
            x(json!({"/Metrics/0/Expression": "all"})),
            "/Metrics/0/Expression",
            "combined with MetricStat",
        ),
        (
            x(json!({"/Metrics": eleven})),
            "/Metrics",
            "11 metrics; at most 10",
        ),
        (
            e("bad / al"),
            "/Metrics/2/Expression",
            "no entry has the id `al`: did you mean `all`?",
        ),
        (e("(bad / all"), "/Metrics/2/Expression", "`)` is missing"),
        (e("bad / / all"), "/Metrics/2/Expression", "unexpected `/`"),
        (
            e("MEDIAN(bad)"),
            "/Metrics/2/Expression",
            "unknown function MEDIAN",
        ),
        (
            e("SUM(SEARCH('{App} x', 'Sum', 300)) + bad"),
            "/Metrics/2/Expression",
            "SEARCH cannot be used",
        ),
        (
            e(&format!("bad{}", "+1".repeat(1023))),
            "/Metrics/2/Expression",
            "2049 characters",
        ),
        (
            with(band(), json!({"/ThresholdMetricId": "bnad"})),
            "/ThresholdMetricId",
            "no entry has the id bnad",
        ),
        (
            with(band(), json!({"/Metrics/0/ReturnData": false})),
            "/Metrics",
            "the metric and its band",
        ),
        (
            with(band(), json!({"/Threshold": 1})),
            "/Threshold",
            "combined with ThresholdMetricId",
        ),
        (
            with(
                band(),
                json!({"/ComparisonOperator": "GreaterThanThreshold"}),
            ),
            "/ComparisonOperator",
            "needs an operator for",
        ),
        (
            q(json!({"/EvaluationInterval": null})),
            "",
            "EvaluationInterval is missing",
        ),
        (
            q(json!({"/EvaluationInterval": 45})),
            "/EvaluationInterval",
            "multiple of 60",
        ),
        (
            q(json!({"/EvaluationInterval": 7200})),
            "/EvaluationInterval",
            "at most 3600",
        ),
        (
            q(json!({"/EvaluationPeriods": 1})),
            "/EvaluationPeriods",
            "combined with EvaluationCriteria",
        ),
        (
            q(json!({"/EvaluationCriteria/PromQLCriteria/Query": "rate(x)"})),
            "/EvaluationCriteria/PromQLCriteria/Query",
            "not valid PromQL",
        ),
        (
            q(json!({"/EvaluationCriteria/PromQLCriteria/PendingPeriod": 86_401})),
            "/EvaluationCriteria/PromQLCriteria/PendingPeriod",
            "0 and 86400",
        ),
        (
            c(json!({"/AlarmRule": null, "/Metrics": null})),
            "",
            "one of MetricName",
        ),
        (
            c(json!({"/AlarmRule": format!("ALARM(\"a\"){:10231}", "")})),
            "/AlarmRule",
            "10241 characters",
        ),
        (r("ALARM(\"a\") AND"), "/AlarmRule", "missing at the end"),
        (r("ALARM(\"a\" AND ALARM(b)"), "/AlarmRule", "expected `)`"),
        (r("FIRING(a)"), "/AlarmRule", "unexpected `FIRING(a)`"),
        (
            r("ALARM(a) ALARM(b)"),
            "/AlarmRule",
            "unexpected `ALARM(b)`",
        ),
        (
            r("AT_LEAST(ALARM, (a))"),
            "/AlarmRule",
            "number or a percentage",
        ),
        (r(&children.join(" OR ")), "/AlarmRule", "101 alarms"),
        (r("ALARM(both)"), "/AlarmRule", "the alarm itself"),
        (
            c(json!({"/ActionsSuppressor": "s", "/ActionsSuppressorWaitPeriod": 1})),
            "/ActionsSuppressor",
            "needs ActionsSuppressorExtensionPeriod",
        ),
        (
            c(json!({"/ActionsSuppressorWaitPeriod": 1})),
            "/ActionsSuppressorWaitPeriod",
            "needs ActionsSuppressor",
        ),
        (
            w(json!({"/widgets/0/width": 0})),
            "/widgets/0/width",
            "1 to 24",
        ),
        (
            w(json!({"/widgets/0/x": 20})),
            "/widgets/0/width",
            "24 columns",
        ),
        (
            w(json!({"/widgets/0/height": 0})),
            "/widgets/0/height",
            "1 to 1000",
        ),
        (
            w(json!({"/widgets/0/type": "graph"})),
            "/widgets/0/type",
            "must be one of metric",
        ),
        (
            w(json!({"/widgets/0/properties/region": null})),
            "/widgets/0/properties",
            "region is missing",
        ),
        (
            w(json!({"/widgets/0/properties/view": "lines"})),
            "/widgets/0/properties/view",
            "must be one of timeSeries",
        ),
        (
            w(json!({"/widgets/0/properties/view": "gauge"})),
            "/widgets/0/properties/yAxis",
            "min and max",
        ),
        (
            w(json!({"/widgets/0/properties/metrics": [["App"]]})),
            "/widgets/0/properties/metrics/0",
            "pairs",
        ),
        (
            w(json!({"/widgets/1/properties/markdown": null})),
            "/widgets/1/properties",
            "markdown is missing",
        ),
        (w(json!({"/widgets": widgets})), "/widgets", "501 widgets"),
        (
            with(board(), json!({"/end": "P0D"})),
            "/end",
            "end needs start",
        ),
    ]
}

#[test]
fn wrong_requests_are_refused_for_their_one_fault() {
    let faults = faults();
    assert!(faults.len() >= 60, "{}", faults.len());
    for (request, pointer, words) in faults {
        let found = check(&request);
        let shown: String = request.to_string().chars().take(400).collect();
        let places: Vec<_> = found.iter().map(|v| v.pointer.as_str()).collect();
        assert_eq!(places, [pointer], "{found:?}\n{shown}");
        let message = found[0].message.replace('`', "");
        assert!(
            message.contains(&words.replace('`', "")),
            "{found:?}\n{shown}"
        );
    }
}

/// Rows of the console's short form, and whatever else a file contains, are no reason to panic.
#[test]
fn anything_can_be_judged() {
    let short = json!({"widgets": [widget("metric", json!({
        "region": "us-east-1",
        "metrics": [["App", "requests", "model", "m", "zone", "a"], ["...", "b"], [".", ".", ".", "n", ".", "."]]
    }))]});
    assert_eq!(check(&short), Vec::new());
    let odd = [
        "",
        "é",
        "ALARM(",
        "ALARM(\"",
        "\"\\",
        "AT_LEAST(",
        "AT_LEAST(5",
        "NOT NOT",
        "p",
        "p99.9.9",
        "TM(:)",
        "a[",
        "'",
        "1e",
    ];
    for text in odd {
        for request in [
            with(composite(), json!({"/AlarmRule": text})),
            with(math(), json!({"/Metrics/2/Expression": text})),
            with(percentile(), json!({"/ExtendedStatistic": text})),
            with(
                promql(),
                json!({"/EvaluationCriteria/PromQLCriteria/Query": text}),
            ),
            json!({"widgets": text}),
            json!({"widgets": [text, [], {"properties": {"metrics": [text, [text], [{}]]}}]}),
            json!([text]),
            json!(text),
        ] {
            let _ = (
                cloudwatch::any_alarm(&request),
                cloudwatch::dashboard(&request),
            );
        }
    }
}
