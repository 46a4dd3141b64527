//! Edits of a spec: another number, a statistic or a bound's direction changed, something left out.

use std::fmt;

use serde_json::Value;

use crate::bundled::{value, written};

/// Where a value is: keys of maps, indices of lists.
type Path = Vec<String>;

/// One change of a spec.
pub(super) struct Edit {
    path: Path,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its first number is twice or half as much, or one more.
    Number,
    /// Another word.
    Word,
    /// It is gone.
    Removed,
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.kind {
            Kind::Number => "another number at",
            Kind::Word => "another word at",
            Kind::Removed => "without",
        };
        write!(f, "{how} {}", self.path.join("."))
    }
}

/// All edits of what a spec decides: thresholds, durations, panels, steps, criteria, settings.
pub(super) fn of(text: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    walk(&value(text), &mut Vec::new(), &mut edits);
    edits
}

fn walk(value: &Value, path: &mut Path, edits: &mut Vec<Edit>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in below {
        path.push(key);
        if is_decision(path) {
            let kinds = [Kind::Number, Kind::Word, Kind::Removed];
            let fitting = kinds.into_iter().filter(|kind| fits(*kind, path, value));
            edits.extend(fitting.map(|kind| Edit {
                path: path.clone(),
                kind,
            }));
        }
        walk(value, path, edits);
        path.pop();
    }
}

/// What a guide has a say in: not names, titles and descriptions, nor where things are.
fn is_decision(path: &Path) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        ["prometheus", "scrape_interval"] => true,
        ["signals", _, "prometheus", "buckets", ..] => true,
        ["slos" | "alerts", _] => true,
        [
            "slos",
            _,
            "objective" | "period" | "sli" | "burn" | "alert" | "min_events",
            ..,
        ] => true,
        ["alerts", _, "severity" | "when" | "for", ..] => true,
        ["records", ..] => path.len() > 1,
        ["dashboards", _, "refresh"] => true,
        ["dashboards", _, "rows", _] | ["dashboards", _, "rows", _, "window"] => true,
        ["dashboards", _, "rows", _, "panels", _] => true,
        [
            "dashboards",
            _,
            "rows",
            _,
            "panels",
            _,
            "stat" | "window" | "thresholds" | "series" | "by",
            ..,
        ] => true,
        ["runbooks", _, "symptoms" | "steps" | "fixes", _, ..] => true,
        ["load_tests", "scenarios" | "criteria" | "traffic", _, ..] => true,
        ["advice" | "tables" | "checklists", _, ..] => path.len() > 2,
        ["triage", _, "rows", ..] => true,
        ["traces", "attributes", _] => true,
        ["commands", _, "run"] => true,
        _ => false,
    }
}

fn fits(kind: Kind, path: &Path, value: &Value) -> bool {
    let key = path.last().map_or("", String::as_str);
    let in_list = key.parse::<usize>().is_ok();
    match kind {
        // Names of things lead nowhere else; titles of formulas and scenarios are prose.
        Kind::Number
            if [
                "id",
                "else",
                "then",
                "fix",
                "alert",
                "note",
                "validates",
                "prompt",
            ]
            .contains(&key) =>
        {
            false
        }
        Kind::Number => match value {
            Value::Number(_) => true,
            Value::String(text) => text.contains(|c: char| c.is_ascii_digit()),
            _ => false,
        },
        Kind::Word => {
            let said = ["stat", "ask", "cause", "run", "severity", "color", "role"].contains(&key);
            let told = path.first().is_some_and(|first| first == "runbooks") && in_list;
            (said || told) && value.is_string()
        }
        Kind::Removed => {
            let map = path.len().checked_sub(2).map_or("", |at| &path[at]);
            let maps = [
                "slos",
                "alerts",
                "records",
                "fixes",
                "scenarios",
                "criteria",
                "traffic",
                "settings",
                "attributes",
            ];
            in_list || maps.contains(&map)
        }
    }
}

impl Edit {
    /// The spec with this change, in each way that there is: not all of them need be valid.
    pub(super) fn texts(&self, text: &str) -> Vec<String> {
        let spec = value(text);
        let changed = match self.kind {
            Kind::Removed => vec![self.removed(spec.clone())],
            Kind::Word => self.replaced(&spec, &other_words(at(&spec, &self.path))),
            Kind::Number => self.replaced(&spec, &other_numbers(at(&spec, &self.path))),
        };
        changed
            .iter()
            .filter(|changed| **changed != spec)
            .map(written)
            .collect()
    }

    fn replaced(&self, spec: &Value, others: &[Value]) -> Vec<Value> {
        let other = |other: &Value| {
            let mut spec = spec.clone();
            *at_mut(&mut spec, &self.path) = other.clone();
            spec
        };
        others.iter().map(other).collect()
    }

    fn removed(&self, mut spec: Value) -> Value {
        let (key, parent) = self.path.split_last().expect("a path");
        match at_mut(&mut spec, parent) {
            Value::Object(map) => drop(map.shift_remove(key)),
            Value::Array(list) => drop(list.remove(key.parse().expect("an index"))),
            other => panic!("{other} has nothing below it"),
        }
        spec
    }
}

fn at<'v>(spec: &'v Value, path: &[String]) -> &'v Value {
    path.iter().fold(spec, |value, key| match value {
        Value::Array(list) => &list[key.parse::<usize>().expect("an index")],
        value => &value[key],
    })
}

fn at_mut<'v>(spec: &'v mut Value, path: &[String]) -> &'v mut Value {
    path.iter().fold(spec, |value, key| match value {
        Value::Array(list) => &mut list[key.parse::<usize>().expect("an index")],
        value => &mut value[key],
    })
}

/// Twice, half, and one more.
fn other_numbers(value: &Value) -> Vec<Value> {
    let changes: [fn(f64) -> f64; 3] = [|n| n * 2.0, |n| n / 2.0, |n| n + 1.0];
    match value {
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            changes.iter().map(|change| whole(change(number))).collect()
        }
        Value::String(text) => {
            let start = text.find(|c: char| c.is_ascii_digit()).expect("a digit");
            let rest = &text[start..];
            let digits = |c: char| !c.is_ascii_digit() && c != '.';
            let end = rest.find(digits).unwrap_or(rest.len());
            let Ok(number) = rest[..end].trim_end_matches('.').parse::<f64>() else {
                return vec![format!("{}9{rest}", &text[..start]).into()];
            };
            let tail = &rest[rest[..end].trim_end_matches('.').len()..];
            let with = |n: f64| format!("{}{}{tail}", &text[..start], whole(n)).into();
            changes.iter().map(|change| with(change(number))).collect()
        }
        other => panic!("{other} has no number"),
    }
}

fn whole(number: f64) -> Value {
    match number.fract() == 0.0 {
        true => (number as i64).into(),
        false => number.into(),
    }
}

fn other_words(value: &Value) -> Vec<Value> {
    let text = value.as_str().expect("a text");
    let words = [
        "p90", "avg", "max", "increase", "rate", "critical", "warning", "blue", "advisory",
    ];
    let near = words
        .iter()
        .filter(|word| **word != text)
        .map(|word| (*word).into());
    match text.contains(' ') {
        true => vec![format!("{text} Not so.").into()],
        false => near.collect(),
    }
}
