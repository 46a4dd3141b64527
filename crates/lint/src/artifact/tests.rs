use super::*;
use slosmith_promql::Dialect;

fn of(path: &str, text: &str) -> Artifact {
    let artifact = read(FileId(0), Path::new(path), text).unwrap();
    for query in &artifact.queries {
        assert_eq!(
            query.map.decode(text).as_deref(),
            Some(&*query.text),
            "{path}"
        );
    }
    artifact
}

fn queries(artifact: &Artifact) -> Vec<(String, &str)> {
    let all = artifact.queries.iter();
    all.map(|q| (q.role.to_string(), q.text.as_str())).collect()
}

fn one(path: &str, text: &str, kind: Kind, role: &str, query: &str) {
    let artifact = of(path, text);
    assert_eq!(artifact.kind, kind, "{text}");
    assert_eq!(queries(&artifact), [(role.to_owned(), query)], "{text}");
}

const RULES: &str = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: a > 1\n";

#[test]
fn rules_are_found_at_every_place() {
    one("a.yaml", RULES, Kind::Rules, "alert A", "a > 1");
    let json = r#"{"groups": [{"rules": [{"record": "r", "expr": "sum(\"a\")"}]}]}"#;
    one(
        "a.json",
        json,
        Kind::Rules,
        "recording rule r",
        "sum(\"a\")",
    );
    one("a.txt", json, Kind::Rules, "recording rule r", "sum(\"a\")");
    let indented = RULES.replace('\n', "\n  ");
    let resource = format!("kind: PrometheusRule\nspec:\n  {indented}");
    one("a.yaml", &resource, Kind::Rules, "alert A", "a > 1");
    let list = format!("kind: List\nitems:\n- {}", resource.replace('\n', "\n  "));
    one("a.yaml", &list, Kind::Rules, "alert A", "a > 1");
    let two = format!("kind: Other\n---\n{RULES}");
    one("a.yaml", &two, Kind::Rules, "alert A", "a > 1");
    let map = format!(
        "kind: ConfigMap\ndata:\n  a.yaml: |\n    {}",
        RULES.replace('\n', "\n    ")
    );
    one("a.yaml", &map, Kind::ConfigMap, "alert A", "a > 1");
    let fence = format!("# x\n\n```yaml\n{RULES}```\n");
    one("a.md", &fence, Kind::Markdown, "alert A", "a > 1");
    one(
        "a.md",
        "- x\n  ```promql\n  sum(\n    a)\n  ```\n",
        Kind::Markdown,
        "code fence",
        "sum(\n  a)",
    );
}

#[test]
fn a_fence_may_hold_several_queries() {
    let fence = |text: &str| {
        let artifact = of("a.md", &format!("```promql\n{text}\n```\n"));
        let queries = artifact.queries.into_iter();
        queries.map(|query| query.text).collect::<Vec<_>>()
    };
    assert_eq!(
        fence("a\nrate(b[$__rate_interval])\n  / 2\n\nc\n# end"),
        ["a", "rate(b[$__rate_interval])\n  / 2", "c\n# end"]
    );
    assert_eq!(fence("a\nrate(b"), ["a\nrate(b"]);
}

#[test]
fn dashboards_are_found_at_every_place() {
    let target = r#"{"expr": "a{x=\"$v\"}"}"#;
    let panel = format!(
        r#"{{"type": "row", "panels": [{{"id": 7, "title": "T", "targets": [{target}]}}]}}"#
    );
    let board = format!(r#"{{"title": "D", "panels": [{panel}]}}"#);
    let wrapped = format!(r#"{{"dashboard": {board}}}"#);
    let rows = format!(r#"{{"title": "D", "rows": [{panel}]}}"#);
    for text in [&board, &wrapped, &rows] {
        one(
            "a.json",
            text,
            Kind::Grafana,
            "panel \"T\" (id 7)",
            "a{x=\"$v\"}",
        );
    }
    let map = format!("kind: ConfigMap\ndata:\n  a.json: |\n    {board}\n");
    one(
        "a.yaml",
        &map,
        Kind::ConfigMap,
        "panel \"T\" (id 7)",
        "a{x=\"$v\"}",
    );
    let escaped = serde_json::to_string(&board).unwrap();
    let map = format!(r#"{{"kind": "ConfigMap", "data": {{"a.json": {escaped}}}}}"#);
    one(
        "a.json",
        &map,
        Kind::ConfigMap,
        "panel \"T\" (id 7)",
        "a{x=\"$v\"}",
    );
    let v2 = r#"{"apiVersion": "dashboard.grafana.app/v2beta1", "kind": "Dashboard", "spec": {"layout": {}, "elements": {"p": {"kind": "Panel", "spec": {"id": 7, "title": "T", "data": {"spec": {"queries": [{"spec": {"query": {"group": "prometheus", "spec": {"expr": "a"}}}}]}}}}}}}"#;
    one("a.json", v2, Kind::Grafana, "panel \"T\" (id 7)", "a");
    let grizzly = format!(
        r#"{{"apiVersion": "grizzly.grafana.com/v1alpha1", "kind": "Dashboard", "spec": {board}}}"#
    );
    one(
        "a.json",
        &grizzly,
        Kind::Grafana,
        "panel \"T\" (id 7)",
        "a{x=\"$v\"}",
    );
    let variable = r#"{"apiVersion": "dashboard.grafana.app/v2", "kind": "Dashboard", "spec": {"elements": {}, "layout": {}, "variables": [{"kind": "QueryVariable", "spec": {"name": "v", "query": {"group": "prometheus", "spec": {"__legacyStringValue": "label_values(up, job)"}}}}]}}"#;
    one("a.json", variable, Kind::Grafana, "variable v", "up");
    let perses = "kind: Dashboard\nspec:\n  panels:\n    p:\n      spec:\n        display: {name: T}\n        queries:\n        - spec: {plugin: {kind: PrometheusTimeSeriesQuery, spec: {query: a}}}\n";
    one("a.yaml", perses, Kind::Perses, "panel \"T\" (id p)", "a");
}

#[test]
fn what_other_products_keep_is_not_read() {
    for text in [
        r#"{"title": "t", "layout": [], "widgets": [{"id": "a", "title": "x"}]}"#,
        r#"{"title": "t", "widgets": [{"id": 1, "definition": {"type": "timeseries", "requests": []}}]}"#,
        r#"{"widgets": [{"type": "text", "properties": {"value": "x"}}]}"#,
        r#"{"AlarmName": "n", "NewStateValue": "ALARM", "Trigger": {"MetricName": "vllm:x", "Period": 60}}"#,
        r#"{"title": "t", "rows": [{"id": 1}]}"#,
        r#"{"title": "t", "panels": [{"id": 1, "query": "a +"}]}"#,
        r#"{"elements": {"a": {}}, "layout": {"width": 1}}"#,
        r#"{"groups": [{"name": "g", "rules": [{"id": 1}]}], "tests": [{"series": "x"}]}"#,
        r#"{"triggers": [{"type": "prometheus", "query": "vllm:x"}, {"type": "mysql", "metadata": {"query": "a", "threshold": "1"}}]}"#,
        r#"{"metrics": [{"type": "Resource", "resource": {"name": "vllm:x"}}], "policies": [{"type": "Pods", "value": "vllm:x"}]}"#,
        r#"{"metric": {"backend": "opentelemetry", "query": "vllm:x"}, "targetMetric": "vllm:x", "seriesFilter": "vllm:x"}"#,
        r#"{"rules": [{"alert": true}, {"expr": "vllm:x"}, {"record": "a"}], "data": [{"model": "vllm:x", "datasourceUid": "p"}]}"#,
        r#"{"timeSeriesFilter": {"filter": "metric.type=\"kubernetes.io/vllm:x\""}, "json": "{\"panels\": [1]}"}"#,
    ] {
        let artifact = of("a.json", text);
        assert_eq!(artifact.kind, Kind::Unknown, "{text}");
        assert!(
            artifact.queries.is_empty() && artifact.resources.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn names_that_belong_to_somebody_else_are_no_queries() {
    for text in [
        // AIBrix asks another endpoint, or by a name of its own.
        "metricSourceType: domain\ntargetMetric: vllm:x\n",
        "metricSourceType: pod\ntargetMetric: gpu_cache_usage_perc\n",
        // What an adapter calls a metric is not what vLLM calls it.
        "type: Pods\npods: {metric: {name: vllm_num_requests_swapped}}\n",
        "type: External\nexternal: {metric: {name: prometheus.googleapis.com|dcgm_x|gauge}}\n",
        "type: External\nexternal: {metric: {name: prometheus.googleapis.com}}\n",
    ] {
        let artifact = of("a.yaml", text);
        assert_eq!(artifact.kind, Kind::Scaler, "{text}");
        assert!(artifact.queries.is_empty(), "{text}");
    }
    let empty = of("a.yaml", "seriesQuery: ''\nname: {matches: ^vllm:(.*)$}\n");
    assert!(empty.queries.is_empty());
}

#[test]
fn other_languages_are_not_promql() {
    let text = r#"{"title": "", "panels": [{"datasource": {"type": "loki"}, "targets": [{"expr": "{a=\"b\"} |= \"c\""}, {"datasource": {"type": "prometheus"}, "expr": "a"}]}]}"#;
    let languages: Vec<_> = of("a.json", text)
        .queries
        .iter()
        .map(|q| q.language)
        .collect();
    assert_eq!(languages, [Language::Other, Language::PromQl]);
}

#[test]
fn data_sources_are_followed_to_their_type() {
    let language = |panel: &str| {
        let text = format!(
            r#"{{"templating": {{"list": [{{"name": "logs", "type": "datasource", "query": "loki"}}, {{"name": "p", "type": "datasource", "query": "prometheus"}}]}}, "panels": [{{"targets": [{{"expr": "{{a=\"b\"}}"}}], {panel}}}]}}"#
        );
        of("a.json", &text).queries[0].language
    };
    for other in [
        r#""datasource": "$logs""#,
        r#""datasource": {"uid": "${logs}"}"#,
        r#""datasource": {"type": "${x}", "uid": "${logs}"}"#,
        r#""datasource": "Loki (eu)""#,
        r#""type": "logs""#,
    ] {
        assert_eq!(language(other), Language::Other, "{other}");
    }
    for own in [
        r#""datasource": "$p""#,
        r#""datasource": "${q}""#,
        r#""datasource": "Main""#,
        r#""datasource": null"#,
    ] {
        assert_eq!(language(own), Language::PromQl, "{own}");
    }
    let rules = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: EXPR\n";
    for (expr, wanted) in [
        ("sum(rate({a=\"b\"} |= \"c|d\" [5m])) > 1", Language::Other),
        ("count_over_time({a=\"b\"} | json [5m])", Language::Other),
        ("x{a=~\"b|c\"} > 1", Language::PromQl),
    ] {
        let artifact = of("a.yaml", &rules.replace("EXPR", expr));
        let artifact = read_languages(&artifact).unwrap_or(artifact);
        let language = artifact.queries[0].language;
        assert_eq!(language, wanted, "{expr}");
    }
}

#[test]
fn data_sources_are_followed_in_every_form() {
    let variables = r#"[{"kind": "DatasourceVariable", "spec": {"name": "logs", "pluginId": "loki"}}, {"kind": "DatasourceVariable", "spec": {"name": "p", "pluginId": "prometheus"}}, {"kind": "QueryVariable", "spec": {"name": "v", "query": {"group": "loki", "spec": {"query": "{a"}}}}]"#;
    let language = |query: &str, kind: &str| {
        let text = format!(
            r#"{{"layout": {{"kind": "GridLayout"}}, "variables": {variables}, "elements": {{"p": {{"kind": "Panel", "spec": {{"vizConfig": {{"group": "{kind}"}}, "data": {{"spec": {{"queries": [{{"spec": {query}}}]}}}}}}}}}}}}"#
        );
        let artifact = of("a.json", &text);
        assert_eq!(artifact.queries.len(), 1, "{text}");
        artifact.queries[0].language
    };
    let expr = r#""spec": {"expr": "{a=\"b\"}"}"#;
    for (query, kind, wanted) in [
        (
            r#"{"query": {"group": "loki", EXPR}}"#,
            "timeseries",
            Language::Other,
        ),
        (
            r#"{"query": {"group": "", "datasource": {"name": "${logs}"}, EXPR}}"#,
            "stat",
            Language::Other,
        ),
        (
            r#"{"query": {"kind": "DataQuery", "datasource": {"name": "$logs"}, EXPR}}"#,
            "stat",
            Language::Other,
        ),
        (
            r#"{"datasource": {"uid": "${logs}"}, "query": {"kind": "$x", EXPR}}"#,
            "stat",
            Language::Other,
        ),
        (r#"{"query": {"group": "", EXPR}}"#, "logs", Language::Other),
        (
            r#"{"query": {"group": "", "datasource": {"name": "${p}"}, EXPR}}"#,
            "logs",
            Language::PromQl,
        ),
        (
            r#"{"query": {"kind": "prometheus", EXPR}}"#,
            "stat",
            Language::PromQl,
        ),
        (
            r#"{"query": {"group": "", EXPR}}"#,
            "stat",
            Language::PromQl,
        ),
    ] {
        assert_eq!(
            language(&query.replace("EXPR", expr), kind),
            wanted,
            "{query}"
        );
    }
    let perses = "kind: Dashboard\nspec:\n  panels: {}\n  variables:\n  - kind: ListVariable\n    spec: {name: v, plugin: {kind: KIND, spec: {matchers: [vllm:x]}}}\n";
    let asked = |kind: &str| of("a.yaml", &perses.replace("KIND", kind)).queries.len();
    assert_eq!(asked("PrometheusLabelValuesVariable"), 1);
    assert_eq!(asked("LokiLabelValuesVariable"), 0);
}

#[test]
fn json_templates_are_read_as_far_as_possible() {
    let board = r#"{"title": {{ .Values.title | quote }}, "refresh": {{ .Values.refresh }}, "panels": [
{{- range .Values.models }}
  {"title": "{{ .name }}", "targets": [{"expr": "a{x=\"{{ .name }}\"}", "legendFormat": "{{`{{pod}}`}}"}]},
{{- end }}
]}"#;
    let artifact = of("a.json", board);
    assert_eq!(artifact.queries.len(), 1);
    assert_eq!(artifact.queries[0].text, "a{x=\"$helm_4_\"}");
    assert_eq!(artifact.dashboards.len(), 1);
    // JSON as it stands: braces of a legend alone are no template.
    let legend = r#"{"title": "t", "panels": [{"title": "T", "targets": [{"expr": "a", "legendFormat": "{{pod}}"}]}]}"#;
    one("a.json", legend, Kind::Grafana, "panel \"T\"", "a");
    let map = format!(
        "kind: ConfigMap\ndata:\n  a.json: |\n    {}\n",
        board.replace('\n', "\n    ")
    );
    assert_eq!(of("a.yaml", &map).queries.len(), 1);
    assert!(read(FileId(0), Path::new("a.json"), "{{ .Values.x }} {").is_err());
}

#[test]
fn variables_ask_for_selectors() {
    let asked = |query: &str| {
        let query = serde_json::to_string(query).unwrap();
        let text = format!(
            r#"{{"panels": [], "templating": {{"list": [{{"name": "v", "type": "query", "query": {query}}}]}}}}"#
        );
        let artifact = of("a.json", &text);
        artifact.queries.into_iter().next().map(|q| q.text)
    };
    assert_eq!(
        asked("label_values(a{x=\"y\"}, z)").as_deref(),
        Some("a{x=\"y\"}")
    );
    assert_eq!(asked(" label_values( a , z ) ").as_deref(), Some("a"));
    assert_eq!(asked("query_result(sum(a))").as_deref(), Some("sum(a)"));
    assert_eq!(asked("a{x=\"1,2\"}").as_deref(), Some("a{x=\"1,2\"}"));
    for none in ["label_values(z)", "metrics(a.*)", "label_names()", ""] {
        assert_eq!(asked(none), None, "{none}");
    }
}

#[test]
fn foreign_specs_are_templates() {
    let text = "version: prometheus/v1\nslos:\n- name: s\n  sli:\n    events:\n      error_query: rate(a[{{.window}}])\n";
    one(
        "a.yaml",
        text,
        Kind::ForeignSpec,
        "error_query of SLO s",
        "rate(a[{{.window}}])",
    );
    assert_eq!(of("a.yaml", text).queries[0].dialect, Dialect::GoTemplate);
}

#[test]
fn alarms_and_tests_are_read() {
    let criteria = r#"{"PromQLCriteria": {"Query": "a > 1"}}"#;
    let alarm = format!(r#"{{"AlarmName": "n", "EvaluationCriteria": {criteria}}}"#);
    for text in [
        alarm.clone(),
        format!("[{alarm}]"),
        format!(r#"{{"MetricAlarms": [{alarm}]}}"#),
    ] {
        one("a.json", &text, Kind::CloudWatch, "alarm n", "a > 1");
    }
    let formation = format!(
        r#"{{"Resources": {{"A": {{"Type": "AWS::CloudWatch::Alarm", "Properties": {alarm}}}}}}}"#
    );
    one("a.json", &formation, Kind::CloudWatch, "alarm n", "a > 1");
    let terraform = r#"{"resource": {"aws_cloudwatch_metric_alarm": {"x": {"alarm_name": "n", "evaluation_criteria": [{"promql_criteria": {"query": "a > 1"}}]}}}}"#;
    one("a.tf.json", terraform, Kind::CloudWatch, "alarm n", "a > 1");
    let tests = "tests:\n- input_series:\n  - {series: 'a{x=\"y\"}', values: 1x1}\n";
    one(
        "a.yaml",
        tests,
        Kind::UnitTests,
        "unit test series",
        "a{x=\"y\"}",
    );
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let map = format!(
        "kind: ConfigMap\ndata:\n  bad.json: '{{\"a\" 1}}'\n  a.yaml: |\n    {}",
        RULES.replace('\n', "\n    ")
    );
    let artifact = of("a.yaml", &map);
    assert_eq!(artifact.queries.len(), 1);
    let fault = &artifact.faults[0];
    assert_eq!(&map[fault.span.range()], "1");
    assert!(read(FileId(0), Path::new("a.json"), "{").is_err());
    assert!(read(FileId(0), Path::new("a.yaml"), "a: [").is_err());
    assert_eq!(of("a.yaml", "a: 1").kind, Kind::Unknown);
}
