//! The linter against a corpus of what AWS documents: it refuses what AWS refuses, and nothing that AWS accepts.
//!
//! `tests/fixtures/cloudwatch-recall/` holds the cases, each wrong one with the sentence that it breaks.
//! `tools/cloudwatch-recall` asks botocore and cfn-lint about the same cases.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use slosmith::artifact;
use slosmith::config::Config;
use slosmith::diag::Severity;
use slosmith::lint::date::Date;
use slosmith::lint::{Scope, Settings, run};
use slosmith::source::{FileId, SourceFile, Sources};
use slosmith::yaml;

/// The share of wrong definitions that must be rejected, in percent.
const LEAST: usize = 95;

/// Files of the corpus, with their words in `docs/reliability.md`.
const FORMS: [(&str, &str); 4] = [
    ("alarms", "alarms as API requests"),
    ("formation", "alarms in CloudFormation"),
    ("terraform", "alarms in Terraform"),
    ("dashboards", "dashboard bodies"),
];

/// One file of the corpus.
#[derive(Deserialize)]
struct Corpus {
    takes: Option<Takes>,
    bases: BTreeMap<String, Value>,
    invalid: Vec<Case>,
    valid: Vec<Case>,
}

/// Cases of another file, but for some.
#[derive(Deserialize)]
struct Takes {
    from: String,
    without: Vec<String>,
}

/// A definition that is right or wrong.
#[derive(Deserialize)]
struct Case {
    name: String,
    why: Option<String>,
    from: Option<String>,
    with: Option<Map<String, Value>>,
    definition: Option<Value>,
    dashboard: Option<Value>,
    #[serde(alias = "template", alias = "hcl")]
    text: Option<String>,
    file: Option<String>,
}

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cloudwatch-recall");
    std::fs::read_to_string(folder.join(name)).expect("a file of the corpus")
}

fn corpus(form: &str) -> Corpus {
    yaml::read(FileId(0), &read(&format!("{form}.yaml"))).expect("a corpus")
}

/// `{times: [n, x]}` is x n times, `%d` the number; a text when something is `before` it or there is no number in it.
fn expanded(value: &Value) -> Value {
    match value {
        Value::Object(map) => match &map.get("times") {
            Some(Value::Array(times)) => repeated(map, times),
            _ => map.iter().map(|(k, v)| (k.clone(), expanded(v))).collect(),
        },
        Value::Array(items) => items.iter().map(expanded).collect(),
        other => other.clone(),
    }
}

fn repeated(map: &Map<String, Value>, times: &[Value]) -> Value {
    let count = times[0].as_u64().expect("a number");
    let one = times[1].to_string();
    let before = map.get("before").and_then(Value::as_str);
    let numbered = |n: u64| serde_json::from_str(&one.replace("%d", &n.to_string()));
    let all = (0..count).map(|n| numbered(n).expect("JSON"));
    if times[1].is_string() && (before.is_some() || !one.contains("%d")) {
        let text: String = all.map(|v: Value| v.as_str().unwrap().to_owned()).collect();
        return Value::String(format!("{}{text}", before.unwrap_or_default()));
    }
    let then = map.get("then").and_then(Value::as_array);
    all.chain(then.into_iter().flatten().cloned()).collect()
}

/// Puts a value at a path, or takes it away.
fn put(at: &mut Value, path: &str, value: Value) {
    let (key, rest) = match path.split_once('/') {
        Some((key, rest)) => (key, Some(rest)),
        None => (path, None),
    };
    match (at, rest) {
        (Value::Array(items), rest) => {
            let index: usize = key.parse().expect("an index");
            if index == items.len() {
                items.push(Value::Null);
            }
            match rest {
                Some(rest) => put(&mut items[index], rest, value),
                None => items[index] = value,
            }
        }
        (Value::Object(map), Some(rest)) => put(&mut map[key], rest, value),
        (Value::Object(map), None) if value.is_null() => drop(map.shift_remove(key)),
        (Value::Object(map), None) => drop(map.insert(key.to_owned(), value)),
        (other, _) => panic!("no place {path} in {other}"),
    }
}

fn definition(corpus: &Corpus, case: &Case) -> Value {
    let base = case.from.as_ref().map(|name| corpus.bases[name].clone());
    let mut made = base.or(case.definition.clone()).unwrap_or_default();
    for (path, value) in case.with.iter().flatten() {
        put(&mut made, path, expanded(value));
    }
    made
}

/// The name of a file and its text.
fn file(form: &str, corpus: &Corpus, case: &Case) -> (String, String) {
    let named = |default: &str| case.file.clone().unwrap_or_else(|| default.to_owned());
    if let Some(text) = &case.text {
        let default = match form {
            "formation" => "template.yaml",
            "terraform" => "main.tf",
            _ => "request.json",
        };
        return (named(default), text.clone());
    }
    let made = definition(corpus, case);
    let (name, document) = match form {
        "formation" => ("template.json", template(&made)),
        "terraform" => ("main.tf.json", module(case, made)),
        "dashboards" => (
            "board.json",
            json!({"DashboardName": "board", "DashboardBody": made.to_string()}),
        ),
        _ => ("alarms.json", made),
    };
    (named(name), document.to_string())
}

fn template(properties: &Value) -> Value {
    let kind = match properties.get("AlarmRule") {
        Some(_) => "AWS::CloudWatch::CompositeAlarm",
        None => "AWS::CloudWatch::Alarm",
    };
    json!({"Resources": {"Alarm": {"Type": kind, "Properties": properties}}})
}

fn module(case: &Case, arguments: Value) -> Value {
    if let Some(body) = &case.dashboard {
        let board = json!({"dashboard_name": "board", "dashboard_body": body.to_string()});
        return json!({"resource": {"aws_cloudwatch_dashboard": {"board": board}}});
    }
    let kind = match arguments.get("alarm_rule") {
        Some(_) => "aws_cloudwatch_composite_alarm",
        None => "aws_cloudwatch_metric_alarm",
    };
    json!({"resource": {kind: {"alarm": arguments}}})
}

/// Errors that the linter finds in a file.
fn errors(name: &str, text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new(name, text));
    let artifact = match artifact::read(file, Path::new(name), text) {
        Ok(artifact) => artifact,
        Err(unread) => return vec![unread.fault.message],
    };
    let config = Config::default();
    let scope = Scope::configured(Vec::new(), &config);
    let settings = Settings {
        scope: &scope,
        config: &config,
        vllm: None,
        today: "2026-11-22".parse::<Date>().expect("a day"),
        root: Path::new("."),
    };
    let found = run(&[artifact], &sources, &settings);
    let errors = found.into_iter().filter(|d| d.severity == Severity::Error);
    errors
        .map(|d| format!("{}: {}", d.code, d.message))
        .collect()
}

/// What came of one form.
#[derive(Default)]
struct Counts {
    wrong: usize,
    right: usize,
    missed: Vec<String>,
    false_errors: Vec<String>,
}

impl Counts {
    fn judge(&mut self, form: &str, corpus: &Corpus, case: &Case) {
        let mut files = vec![file(form, corpus, case)];
        if form == "dashboards" && case.text.is_none() {
            files.push((
                "board.json".to_owned(),
                definition(corpus, case).to_string(),
            ));
        }
        let errors: Vec<_> = files
            .iter()
            .map(|(name, text)| errors(name, text))
            .collect();
        match &case.why {
            Some(why) => {
                self.wrong += 1;
                if errors.iter().any(Vec::is_empty) {
                    self.missed.push(format!("{} ({why})", case.name));
                }
            }
            None => {
                self.right += 1;
                if !errors.iter().all(Vec::is_empty) {
                    self.false_errors.push(format!("{}: {errors:?}", case.name));
                }
            }
        }
    }

    /// The row of `docs/reliability.md`, up to the columns of other programs.
    fn row(&self, words: &str) -> String {
        let found = self.wrong - self.missed.len();
        let percent = 100 * found / self.wrong;
        format!(
            "| {words} | {} | {found} ({percent}%) | {} | {} |",
            self.wrong,
            self.right,
            self.false_errors.len()
        )
    }
}

fn counts(form: &str) -> Counts {
    let own = corpus(form);
    let mut counts = Counts::default();
    for case in own.invalid.iter().chain(&own.valid) {
        counts.judge(form, &own, case);
    }
    if let Some(takes) = &own.takes {
        let other = corpus(takes.from.trim_end_matches(".yaml"));
        let cases = other.invalid.iter().chain(&other.valid);
        for case in cases.filter(|case| !takes.without.contains(&case.name)) {
            counts.judge(form, &other, case);
        }
    }
    counts
}

#[test]
fn every_case_has_its_sentence() {
    let sentences: BTreeMap<String, Vec<String>> =
        yaml::read(FileId(0), &read("sentences.yaml")).expect("sentences");
    for (form, _) in FORMS {
        for case in corpus(form).invalid {
            let why = case.why.expect("a wrong case says why");
            assert!(sentences.contains_key(&why), "{form}: {}: {why}", case.name);
        }
    }
}

#[test]
fn wrong_definitions_are_refused_and_right_ones_are_not() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md");
    let docs = std::fs::read_to_string(docs).expect("docs/reliability.md");
    let mut faults = Vec::new();
    for (form, words) in FORMS {
        let counts = counts(form);
        let row = counts.row(words);
        println!(
            "{row}\n  missed: {:#?}\n  false: {:#?}",
            counts.missed, counts.false_errors
        );
        let found = counts.wrong - counts.missed.len();
        if 100 * found < LEAST * counts.wrong || !counts.false_errors.is_empty() {
            faults.push(format!("{form} is below what docs/reliability.md promises"));
        }
        if !docs.contains(&row) {
            faults.push(format!("docs/reliability.md does not have the row {row}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
