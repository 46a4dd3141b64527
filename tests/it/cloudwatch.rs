//! The validator of alarms and dashboards: valid ones pass, and each wrong one is refused for its one fault. The requests are in
//! `tests/fixtures/cloudwatch-requests.yaml`.

use serde_json::{Value, json};
use slosmith::cloudwatch::{self, Violation};

fn fixtures() -> Value {
    crate::bundled::yaml("tests/fixtures/cloudwatch-requests.yaml")
}

/// A request with some fields changed; `null` takes one away. Keys are JSON pointers.
fn with(mut base: Value, changes: &Value) -> Value {
    for (pointer, value) in changes.as_object().expect("changes") {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let parent = base.pointer_mut(parent).expect("a parent");
        match parent {
            Value::Array(items) => items[key.parse::<usize>().expect("an index")] = written(value),
            Value::Object(map) if value.is_null() => drop(map.remove(key)),
            Value::Object(map) => drop(map.insert(key.to_owned(), written(value))),
            _ => panic!("{pointer}"),
        }
    }
    base
}

/// A value, written out where the fixture says how often.
fn written(value: &Value) -> Value {
    let Some(times) = value["times"].as_u64() else {
        return value.clone();
    };
    let text = value["repeat"].to_string();
    let parts = (0..times).map(|i| text.replace('#', &i.to_string()));
    let parts: Vec<Value> = parts.map(|text| text.parse().expect("JSON")).collect();
    match value["join"].as_str() {
        Some(between) => {
            let parts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
            parts.join(between).into()
        }
        None => parts.into(),
    }
}

/// What a case asks for.
fn request(fixtures: &Value, case: &Value) -> Value {
    match (case["of"].as_str(), &case["set"]) {
        (None, _) => case["request"].clone(),
        (Some(base), Value::Null) => fixtures["bases"][base].clone(),
        (Some(base), changes) => with(fixtures["bases"][base].clone(), changes),
    }
}

fn cases<'f>(fixtures: &'f Value, name: &str) -> impl Iterator<Item = (&'f Value, Value)> {
    let cases = fixtures[name].as_array().expect("a list").iter();
    let fixtures = fixtures.clone();
    cases.map(move |case| (case, request(&fixtures, case)))
}

#[test]
fn valid_requests_pass() {
    let fixtures = fixtures();
    let mut count = 0;
    for (_, request) in cases(&fixtures, "valid") {
        assert_eq!(check(&request), [], "{request}");
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

#[track_caller]
fn is_refused(request: &Value, pointer: &str, words: &str) {
    let found = check(request);
    let shown: String = request.to_string().chars().take(400).collect();
    let places: Vec<_> = found.iter().map(|v| v.pointer.as_str()).collect();
    assert_eq!(places, [pointer], "{found:?}\n{shown}");
    let message = found[0].message.replace('`', "");
    assert!(
        message.contains(&words.replace('`', "")),
        "{found:?}\n{shown}"
    );
}

#[test]
fn wrong_requests_are_refused_for_their_one_fault() {
    let fixtures = fixtures();
    let mut count = 0;
    for (case, request) in cases(&fixtures, "faults") {
        let text = |key: &str| case[key].as_str().expect("a text");
        is_refused(&request, text("at"), text("says"));
        count += 1;
    }
    assert!(count >= 60, "{count}");
    let rule = format!("ALARM(\"a\"){:10231}", "");
    let rule = with(
        fixtures["bases"]["composite"].clone(),
        &json!({"/AlarmRule": rule}),
    );
    is_refused(&rule, "/AlarmRule", "10241 characters");
}

fn check(request: &Value) -> Vec<Violation> {
    match request.get("widgets") {
        Some(_) => cloudwatch::dashboard(request),
        None => cloudwatch::any_alarm(request),
    }
}

/// Rows of the console's short form, and whatever else a file contains, are no reason to panic.
#[test]
fn anything_can_be_judged() {
    let fixtures = fixtures();
    let with = |base: &str, changes| with(fixtures["bases"][base].clone(), &changes);
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
            with("composite", json!({"/AlarmRule": text})),
            with("math", json!({"/Metrics/2/Expression": text})),
            with("percentile", json!({"/ExtendedStatistic": text})),
            with(
                "promql",
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
