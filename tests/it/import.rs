//! Specs, rules and dashboards of other tools become specs that build, and nothing of them is lost silently.

use std::path::{Path, PathBuf};

use serde_json::Value;
use slosmith::diag::render::{Format as Report, Report as Findings, render};
use slosmith::import::{Format, Imported, Options, import};
use slosmith::promql;
use slosmith::source::{FileId, SourceFile, Sources};

use crate::bundled;

const FIXTURES: &str = "tests/fixtures/import";

fn folder(format: Format) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURES);
    root.join(format.as_str())
}

/// The files of a format, each with its name and text; no catalogues of alert windows.
fn fixtures(format: Format) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder(format)).expect("a folder");
    let mut found: Vec<_> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), text)
        })
        .filter(|(name, _)| !name.starts_with("windows"))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// Specs, and findings one a line.
fn imported(format: Format, name: &str, text: &str, options: &Options) -> (Vec<Imported>, String) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new(name, text));
    let windows = options.windows.iter().map(|_| {
        let text = std::fs::read_to_string(folder(format).join("windows-7d.yml"));
        sources.add(SourceFile::new("windows-7d.yml", text.expect("text")))
    });
    let options = Options {
        windows: windows.collect(),
        vllm: Some("==0.33.0".to_owned()),
        first_file: Some(file),
        ..options.clone()
    };
    let (specs, sink) = import(format, &sources, &[file], &options);
    let found = sink.into_sorted();
    let report = Findings::new(&found, &sources, &[]);
    (specs, render(Report::Concise, &report))
}

/// Specs and findings, as one text.
fn shown(specs: &[Imported], findings: &str) -> String {
    let specs = specs.iter();
    let specs = specs.map(|spec| format!("{}\n", spec.text));
    format!("{}{findings}", specs.collect::<String>())
}

fn check(format: Format) {
    for (name, text) in fixtures(format) {
        let (specs, findings) = imported(format, &name, &text, &Options::default());
        assert!(!findings.contains("error["), "{findings}");
        for spec in &specs {
            assert!(
                !bundled::build(&spec.text, None).is_empty(),
                "{}",
                spec.text
            );
        }
        // Each finding has its comment.
        let text: String = specs.iter().map(|spec| spec.text.as_str()).collect();
        let places = findings
            .lines()
            .filter_map(|line| line.split_once(": ")?.0.split_once(':'));
        for (_, place) in places {
            assert!(text.contains(&format!(":{place})")), "{place}: {text}");
        }
        let stem = name.split('.').next().expect("a name");
        let snapshot = format!("import_{}_{stem}", format.as_str());
        insta::assert_snapshot!(snapshot, shown(&specs, &findings));
    }
}

/// In front of each key of a source, a field that no reader knows: it must be told, or be carried over.
fn check_unknown(format: Format) {
    const FIELD: &str = "unknown_field";
    // What follows is told as a whole.
    const OF_OTHERS: [&str; 3] = ["kind: Service", "startTime:", "timeZone:"];
    let mut tried = 0;
    for (name, text) in fixtures(format) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let words = line.trim_start_matches([' ', '-']);
            let is_key = words.split_once(':').is_some_and(|(key, _)| {
                !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_')
            });
            if !is_key || !name.ends_with("yml") {
                continue;
            }
            let indent = line.len() - words.len();
            let mut edited = text.clone();
            let (at, new) = match line[..indent].contains('-') {
                true => (at + indent, format!("{FIELD}: 7\n{}", " ".repeat(indent))),
                false => (at, format!("{}{FIELD}: 7\n", " ".repeat(indent))),
            };
            edited.insert_str(at, &new);
            let (specs, findings) = imported(format, &name, &edited, &Options::default());
            let shown = shown(&specs, &findings);
            // Documents of another kind are told as a whole.
            let is_told =
                shown.contains(FIELD) || findings.contains(" is not supported by this import");
            let is_known = OF_OTHERS.iter().any(|part| line.contains(part));
            assert!(is_told || is_known, "{name}: before {line}\n{shown}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn sloth() {
    check(Format::Sloth);
}

#[test]
fn unknown_fields_of_sloth_are_told() {
    check_unknown(Format::Sloth);
}

#[test]
fn openslo() {
    check(Format::OpenSlo);
}

#[test]
fn unknown_fields_of_openslo_are_told() {
    check_unknown(Format::OpenSlo);
}

#[test]
fn pyrra() {
    check(Format::Pyrra);
}

#[test]
fn unknown_fields_of_pyrra_are_told() {
    check_unknown(Format::Pyrra);
}

#[test]
fn rules() {
    check(Format::Rules);
}

#[test]
fn unknown_fields_of_rules_are_told() {
    check_unknown(Format::Rules);
}

#[test]
fn dashboards() {
    check(Format::Dashboard);
}

/// In each map of a dashboard, a field that no reader knows.
#[test]
#[ignore = "ci"]
fn unknown_fields_of_dashboards_are_told() {
    let mut tried = 0;
    for (name, text) in fixtures(Format::Dashboard) {
        let source: Value = serde_json::from_str(&text).expect("JSON");
        for pointer in maps(&source) {
            let mut edited = source.clone();
            let map = edited
                .pointer_mut(&pointer)
                .and_then(Value::as_object_mut)
                .expect("a map");
            map.insert("unknown_field".to_owned(), 7.into());
            let text = serde_json::to_string_pretty(&edited).expect("JSON");
            let (specs, findings) = imported(Format::Dashboard, &name, &text, &Options::default());
            let shown = shown(&specs, &findings);
            // Of a chosen value and of a step, nothing else is of use; what is not carried over is told as a whole.
            let parts = ["/current", "/thresholds"];
            let is_known = parts.iter().any(|part| pointer.contains(part));
            assert!(
                shown.contains("unknown_field") || is_known,
                "{name}: {pointer}\n{shown}"
            );
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// Pointers to all maps of a value.
fn maps(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut below = |step: String, value: &Value| {
        let inner = maps(value).into_iter();
        found.extend(inner.map(|rest| format!("/{step}{rest}")));
    };
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(list) => (0..)
            .zip(list)
            .for_each(|(i, value): (usize, _)| below(i.to_string(), value)),
        _ => return found,
    }
    if value.is_object() {
        found.push(String::new());
    }
    found
}

/// What a build makes of an imported dashboard asks what the dashboard asked, but for the filters that were told.
#[test]
fn imported_dashboards_ask_the_same() {
    let (_, text) = fixtures(Format::Dashboard)
        .into_iter()
        .find(|(name, _)| name == "serving.json")
        .expect("a fixture");
    let (specs, findings) = imported(
        Format::Dashboard,
        "serving.json",
        &text,
        &Options::default(),
    );
    let files = bundled::outputs(&[&specs[0].text]).expect("a spec that builds");
    let built = files
        .iter()
        .find(|(path, _)| path.ends_with("serving-of-chat.json"))
        .map(|(_, text)| text)
        .expect("a dashboard");
    let read = |text: &str| queries(&serde_json::from_str(text).expect("JSON"));
    let source: Vec<_> = read(&text)
        .iter()
        .map(|query| query.replace("$model", "$model_name"))
        .collect();
    let mut built = read(built);
    // The lines of thresholds and of the ends of histograms.
    built.retain(|query| !query.starts_with("vector("));
    assert_eq!(built.len(), 6, "{built:#?}");
    let others: Vec<_> = built
        .iter()
        .filter(|query| !source.contains(*query))
        .collect();
    assert_eq!(others.len(), 1, "{others:#?}\n{source:#?}");
    assert!(
        findings.contains("filter on `namespace` removed"),
        "{findings}"
    );
}

/// All queries of vLLM's metrics in a dashboard, in one spelling.
fn queries(dashboard: &Value) -> Vec<String> {
    let exprs = maps(dashboard);
    let exprs = exprs
        .iter()
        .filter_map(|at| dashboard.pointer(at)?["expr"].as_str());
    let parsed = exprs.filter_map(|text| promql::parse_with(text, promql::Dialect::Grafana).ok());
    let texts = parsed.map(|expr| expr.to_string());
    texts.filter(|text| text.contains("vllm:")).collect()
}

#[test]
fn alert_windows_of_sloth() {
    let (_, text) = fixtures(Format::Sloth).swap_remove(1);
    let options = Options {
        windows: vec![FileId(0)],
        ..Options::default()
    };
    let (specs, findings) = imported(Format::Sloth, "resources.yml", &text, &options);
    assert!(!findings.contains("error["), "{findings}");
    let spec = &specs[0].text;
    bundled::build(spec, None);
    // The quick tickets have another short window than a twelfth.
    assert!(spec.contains("period: 7d\n"), "{spec}");
    assert!(
        spec.contains("{consumes: 20%, long: 1d, short: 3h"),
        "{spec}"
    );

    let seven = "7d".parse().ok();
    let options = Options {
        period: seven,
        ..Options::default()
    };
    let (_, findings) = imported(Format::Sloth, "resources.yml", &text, &options);
    assert!(
        findings.contains("no built-in alert windows for an SLO window of 7d"),
        "{findings}"
    );
}

#[test]
fn what_is_not_of_the_format_is_an_error() {
    use Format::{OpenSlo, Pyrra, Rules, Sloth};
    const PYRRA: &str =
        "apiVersion: pyrra.dev/v1alpha1\nkind: ServiceLevelObjective\nmetadata: {name: a}\n";
    let pyrra = |indicator: &str| {
        format!("{PYRRA}spec: {{target: 99, window: 4w, indicator: {{ratio: {{{indicator}}}}}}}\n")
    };
    let grouping = pyrra("grouping: [{a: b}], errors: {metric: e}, total: {metric: t}");
    let missing = pyrra("errors: {metric: e}");
    let nameless = PYRRA.replace("{name: a}", "{namespace: a}");
    for (format, text, message) in [
        (Sloth, "", "the file is empty"),
        (
            Sloth,
            "apiVersion: openslo/v1\nkind: SLO\n",
            "a `SLO` is not supported by this import",
        ),
        (
            Sloth,
            "version: prometheus/v1\nslos: []\n",
            "missing field `service`",
        ),
        (
            Sloth,
            "version: prometheus/v1\nservice: a\nslos: {}\n",
            "`slos` must be a list",
        ),
        (
            Sloth,
            "version: prometheus/v1\nservice: a\nslos: [{name: b, objective: 101}]\n",
            "found `101`",
        ),
        (
            Sloth,
            "kind: PrometheusServiceLevel\nmetadata: {name: a}\n",
            "missing field `spec`",
        ),
        (Sloth, "version: prometheus/v1\nservice: [\n", "a.yml:"),
        (
            Sloth,
            &sloth_with(RATIO, "").replace("error_ratio_query", "error_ratio"),
            "missing field `slos[].sli.raw.error_ratio_query`",
        ),
        (
            OpenSlo,
            "apiVersion: openslo.com/v2alpha\nkind: SLO\n",
            "unsupported version `openslo.com/v2alpha`",
        ),
        (
            OpenSlo,
            &openslo_with("objectives: []"),
            "missing field `spec.timeWindow`",
        ),
        (
            OpenSlo,
            &openslo_with("timeWindow: [{}]"),
            "missing field `spec.timeWindow[].duration`",
        ),
        (
            OpenSlo,
            &openslo_with("timeWindow: [{duration: 1w}]"),
            "missing field `spec.objectives`",
        ),
        (
            OpenSlo,
            &openslo_with("timeWindow: [{duration: 1w}], objectives: [{}]"),
            "missing field `spec.objectives[].target`",
        ),
        (
            OpenSlo,
            "apiVersion: openslo/v1\nkind: SLI\nmetadata: {}\n",
            "missing field `metadata.name`",
        ),
        (
            OpenSlo,
            &resource("SLI", "a"),
            "these files contain nothing to import",
        ),
        (Pyrra, &nameless, "missing field `metadata.name`"),
        (
            Pyrra,
            &missing,
            "missing field `spec.indicator.ratio.total`",
        ),
        (
            Pyrra,
            &grouping,
            "`spec.indicator.ratio.grouping[]` must be a string",
        ),
        (
            Rules,
            "groups: []\n",
            "these files contain nothing to import",
        ),
        (
            Rules,
            &rule_with("expr: ' '"),
            "missing field `groups[].rules[].expr`",
        ),
    ] {
        let (_, findings) = imported(format, "a.yml", text, &Options::default());
        assert!(findings.contains("error["), "{text}: {findings}");
        assert!(findings.contains(message), "{text}: {findings}");
    }
}

/// A sloth file of one objective.
fn sloth_with(query: &str, more: &str) -> String {
    format!(
        "version: prometheus/v1\nservice: a\nlabels: {{team: core}}\nslos:\n  - name: b\n    objective: 99\n    sli: {{raw: \
         {{error_ratio_query: '{query}'}}}}\n    {more}\n"
    )
}

const RATIO: &str = "sum(rate(e[{{.window}}])) / sum(rate(t[{{.window}}]))";

fn rule_with(more: &str) -> String {
    format!(
        "groups:\n  - name: g\n    rules:\n      - {{alert: Other, expr: up == 0, labels: {{severity: page}}}}\n      - {{alert: A, {more}}}\n"
    )
}

fn openslo_with(spec: &str) -> String {
    format!(
        "apiVersion: openslo/v1\nkind: SLO\nmetadata: {{name: a}}\nspec: {{service: s, {spec}}}\n"
    )
}

/// A resource that says only its name.
fn resource(kind: &str, name: &str) -> String {
    format!("apiVersion: openslo/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{}}\n")
}

fn panel_with(panel: &str) -> String {
    format!("{{\"title\": \"D\", \"panels\": [{panel}]}}")
}

/// What people have in their files besides what the fixtures show: what the spec or the findings must say of it.
#[test]
#[ignore = "ci"]
fn odd_sources() {
    use Format::{Dashboard, OpenSlo, Pyrra, Rules, Sloth};
    let window = "timeWindow: [{duration: 30d, isRolling: true}]";
    let ratio = |metric: &str| {
        let source = |part: &str, query: &str| {
            format!("{part}: {{metricSource: {{type: prometheus, spec: {{query: '{query}'}}}}}}")
        };
        format!(
            "{window}, indicator: {{spec: {{ratioMetric: {{{}, {}}}}}}}, objectives: [{{target: 0.99}}]",
            source("good", &format!("sum({metric}_ok_total)")),
            source("total", &format!("sum({metric}_total)")),
        )
    };
    let panel = |expr: &str, legend: &str| {
        format!(
            "{{\"type\": \"timeseries\", \"title\": \"P\", \"targets\": [{{\"expr\": \"{expr}\", \"legendFormat\": \"{legend}\"}}]}}"
        )
    };
    let pyrra = |namespace: &str| {
        format!(
            "apiVersion: pyrra.dev/v1alpha1\nkind: ServiceLevelObjective\nmetadata: {{name: a, namespace: {namespace}}}\n\
             spec: {{target: 99, window: 4w, indicator: {{ratio: {{errors: {{metric: e}}, total: {{metric: t}}}}}}}}\n"
        )
    };
    let config_map = format!(
        "kind: ConfigMap\nimmutable: true\ndata:\n  a.json: '{0}'\n  b.json: '{0}'\n  notes: n\n",
        panel_with(&panel("up", ""))
    );
    let config_map = config_map.as_str();
    let policy = "{kind: AlertPolicy, metadata: {name: p}, spec: {conditions: [{kind: AlertCondition, spec: {condition: {kind:                   latency, op: gt, threshold: 2, lookbackWindow: 1h}}}], notificationTargets: [{kind: AlertNotificationTarget,                   metadata: {name: pager}, spec: {target: sms}}]}}";
    let mut wrong = Vec::new();
    let row = "{\"type\": \"row\", \"title\": \"R\", \"collapsed\": true, \"panels\": [{\"type\": \"text\", \"title\": \"T\", \"options\": {\"content\": \"t\"}}]}";
    for (format, text, wanted) in [
        // Two series that differ in `service` alone stay two alerts.
        (Rules, rule_with("expr: 'count by (job, service) (up == 0) > 1'"), "\"service_service\", \"$1\", \"service\""),
        (Rules, rule_with("expr: up == 0, for: 500ms"), "`for: 500ms` rounded up to `1m`"),
        (Rules, rule_with("expr: up == 0, for: 1y"), "for: 365d"),
        (Rules, rule_with("expr: up == 0, labels: {severity: '{{ $labels.s }}'}"), "\n  Other: {severity"),
        (Rules, rule_with("expr: up == 0, labels: {severity: P1 high}"), "severity: P1-high"),
        (Rules, rule_with("expr: up == 0, annotations: {description: d, message: m}"), "own_message: m"),
        (
            Rules,
            rule_with("expr: sum(up) == 0, annotations: {hosts: '{{ range query \"up\" }}{{ .Labels.instance }} {{ end }}'}"),
            "{{ .Labels.instance }}",
        ),
        (
            Rules,
            rule_with("expr: up == 0, labels: {team: b}").replace("name: g", "name: g\n    labels: {team: a, env: prod}"),
            "labels: {env: prod, team: b}",
        ),
        (Sloth, sloth_with(RATIO, "alerting: {page_alert: {disable: True}, ticket_alert: {disable: yes}}"), "burn: none"),
        (Sloth, sloth_with("slo:ratio{{.window}}{job=\"x\"}", ""), "in a metric name or label"),
        (Sloth, sloth_with(RATIO, "alerting: {annotations: {who: '{{ $labels.team }} of {{ $labels.sloth_id }}'}}"), "who: core of a-b"),
        (Sloth, sloth_with(RATIO, "labels: {kind: '{{ $labels.pod }}'}"), "`$labels.pod` removed from"),
        (Sloth, sloth_with(RATIO, "").replace("team: core", "severity: P1"), "severities: {page: P1, ticket: P1"),
        (Sloth, sloth_with(RATIO, "").replace("objective: 99", "objective: 100"), "an objective of 100% has no error budget"),
        (OpenSlo, openslo_with(&ratio("reqs")), "good: \"sum(increase(reqs_ok_total[$window]))\""),
        (
            OpenSlo,
            openslo_with(&format!("{}, {window}", "indicatorRef: gone, objectives: [{target: 0.9}]")),
            "this objective has no indicator",
        ),
        (
            OpenSlo,
            openslo_with(&ratio("reqs").replace("duration: 30d", "count: 90, unit: Minute")),
            "period: 1h30m",
        ),
        (
            Pyrra,
            "apiVersion: pyrra.dev/v1alpha1\nkind: ServiceLevelObjective\nmetadata: {name: a, annotations: {pyrra.dev/runbook_url: https://r.example/a}}\nspec: {target: 99, window: 4w, indicator: {ratio: {errors: {metric: e}, total: {metric: t}}}}\n".to_owned(),
            "runbook: https://r.example/a",
        ),
        (Pyrra, format!("{0}---\n{1}", pyrra("n1"), pyrra("n2")), "  a-n2:\n"),
        (
            Dashboard,
            panel_with(&panel("up{job=\\\"$job\\\"}", "")).replace(
                "\"panels\"",
                "\"templating\": {\"list\": [{\"name\": \"job\", \"type\": \"constant\", \"query\": \"api\"}]}, \"panels\"",
            ),
            "promql: 'up{job=\"api\"}'",
        ),
        (Dashboard, panel_with(&panel("up{pod!~\\\"$pod\\\", job=\\\"$j\\\"}", "")), "promql: up"),
        (Dashboard, panel_with(&panel("sum by (pod) (up)", "{{pod}} rejected (at capacity)")), "rejected (at capacity)"),
        (Dashboard, panel_with(&format!("{row}, {}", panel("up", ""))), "- title: Panels"),
        // What no objective refers to; the first of two resources of a name counts.
        (OpenSlo, format!("{}---\n{}", openslo_with(&ratio("reqs")), resource("SLI", "spare")), "SLI `spare`: not used by any SLO"),
        (OpenSlo, format!("{}---\n{}", openslo_with(&ratio("reqs")), resource("Service", "idle")), "Service `idle`: not used by any SLO"),
        (
            OpenSlo,
            format!("{}---\n{1}---\n{1}", openslo_with(&ratio("reqs")), resource("Service", "s")),
            "Service: another one has the same name",
        ),
        // An indicator that is lost stays with its queries.
        (OpenSlo, openslo_with(&format!("budgetingMethod: Timeslices, {}", ratio("reqs"))), "#   # total: sum(reqs_total)"),
        (
            OpenSlo,
            openslo_with(&ratio("reqs").replace("target: 0.99", "target: 0.99, timeSliceTarget: 0.95")),
            "`spec.objectives[].timeSliceTarget: 0.95`",
        ),
        (OpenSlo, openslo_with(&format!("budgetingMethod: Guesses, {}", ratio("reqs"))), "`budgetingMethod: Guesses`"),
        (OpenSlo, openslo_with(&format!("alertPolicies: [{policy}], {}", ratio("reqs"))), "alert of the kind `latency`"),
        (OpenSlo, openslo_with(&format!("alertPolicies: [{policy}], {}", ratio("reqs"))), "notification target `pager`"),
        (
            OpenSlo,
            format!("{}---\n{}", openslo_with(&ratio("reqs")), resource("DataSource", "main")),
            "DataSource `main`: specs have no equivalent",
        ),
        (OpenSlo, openslo_with(&ratio("reqs").replace("{good:", "{raw:")), "#   # raw: sum(reqs_ok_total)"),
        // All alerts and labels that Pyrra makes.
        (Pyrra, pyrra("n"), "when: {promql: absent(t), above: 0}"),
        (Pyrra, pyrra("n"), "when: {promql: absent(e), above: 0}"),
        (Pyrra, pyrra("n"), "labels `short`, `long` and `exhaustion` of the burn-rate alerts"),
        (Pyrra, pyrra("n").replace("metric: t", "metric: 't{job=\"api\"}'"), "labels: {job: api}"),
        (Pyrra, pyrra("n").replace("window: 4w", "window: 4w, alerting: {disabled: true}"), "absent(t)"),
        (Pyrra, pyrra("n").replace("{ratio:", "{bool_gauge: {metric: up}, ratio:"), "`spec.indicator.bool_gauge`"),
        (Pyrra, pyrra("n").replace("window: 4w", "window: 4w, alerting: {name: '', absentName: ''}"), "  AMetricAbsent:"),
        (Pyrra, pyrra("n").replace("window: 4w", "window: 4w, alerting: {name: AMetricAbsent}"), "alert `AMetricAbsent` renamed to `AMetricAbsent2`"),
        (Pyrra, pyrra("n").replace("name: a,", &format!("name: {},", "a".repeat(63))), &"a".repeat(62)),
        // What is beside and around dashboards, and the queries of what is lost.
        (
            Dashboard,
            panel_with(&format!("{}, {}", panel("up", ""), panel("{app=`chat`}", "").replace("timeseries", "logs"))),
            "# query: {app=`chat`}",
        ),
        (Dashboard, format!("{}\n---\n{}", panel_with(&panel("up", "")), resource("SLO", "x")), "a `SLO` is not a dashboard"),
        (Dashboard, config_map.to_owned(), "`data.notes: n`"),
        (Dashboard, config_map.to_owned(), "`immutable: true`"),
        (Dashboard, config_map.to_owned(), "  d-2:\n"),
        (Dashboard, format!("{{\"dashboard\": {}, \"folderUid\": \"f\"}}", panel_with(&panel("up", ""))), "`folderUid: f`"),
        (
            Dashboard,
            format!("kind: GrafanaDashboard\nspec: {{folder: shop, json: '{}'}}\n", panel_with(&panel("up", ""))),
            "`spec.folder: shop`",
        ),
        (
            Dashboard,
            panel_with(&panel("up", "")).replace(
                "\"panels\"",
                "\"templating\": {\"list\": [{\"name\": \"job\", \"type\": \"query\", \"regex\": \"a.*\"}]}, \"panels\"",
            ),
            "fields of the variable `job`: `regex: a.*`",
        ),
    ] {
        let (specs, findings) = imported(format, "a.yml", &text, &Options::default());
        let shown = shown(&specs, &findings);
        if findings.contains("error[") || !shown.contains(wanted) {
            wrong.push(format!("{wanted}\n{text}\n{shown}"));
        }
        for spec in &specs {
            let is_empty = !spec.text.contains("\nslos:") && !spec.text.contains("\nalerts:") && !spec.text.contains("\ndashboards:");
            assert!(is_empty || !bundled::build(&spec.text, None).is_empty(), "{}", spec.text);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

/// What a source never had cannot be lost.
#[test]
fn only_what_the_source_had_is_told() {
    let usual = "timeWindow: [{duration: 30d}], indicator: {spec: {ratioMetric: {good: {metricSource: {spec: {query: g_total}}}, total: {metricSource: {spec: {query: t_total}}}}}}, objectives: [{target: 0.5}]";
    let mixed = "{\"datasource\": {\"type\": \"influxdb\", \"uid\": \"i\"}, \"targets\": [{\"query\": \"x\"}]}, \
                 {\"title\": \"P\", \"targets\": [{\"expr\": \"up\", \"datasource\": {\"type\": \"prometheus\", \"uid\": \"a\"}}]}";
    let native = "apiVersion: pyrra.dev/v1alpha1\nkind: ServiceLevelObjective\nmetadata: {name: a}\nspec: {target: 99, window: 4w, indicator: {latencyNative: {latency: 1s500ms, total: {metric: t}}}}\n";
    for (format, text, wanted, unwanted) in [
        (
            Format::OpenSlo,
            openslo_with(usual),
            "{consumes: 10%, long: 3d}]",
            "can never fire",
        ),
        (Format::Pyrra, native.to_owned(), "(0, 1.5, ", "absent"),
        // The first data source of Prometheus is that of the dashboard.
        (
            Format::Dashboard,
            panel_with(mixed),
            "promql: up",
            "data source `",
        ),
    ] {
        let (specs, findings) = imported(format, "a.yml", &text, &Options::default());
        let shown = shown(&specs, &findings);
        assert!(shown.contains(wanted), "{wanted}: {shown}");
        assert!(!shown.contains(unwanted), "{unwanted}: {shown}");
    }
}
