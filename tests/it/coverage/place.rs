//! Places in built files, and the values there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;
use slosmith::source::FileId;

use super::Files;

/// How far behind a line of code its section goes, in lines.
const CODE: usize = 24;

/// What one service's specs build; documents are read when they are asked for.
pub(super) struct Made {
    files: Files,
    read: RefCell<BTreeMap<String, Rc<Value>>>,
}

impl Made {
    pub(super) fn new(files: Files) -> Self {
        let read = RefCell::default();
        Self { files, read }
    }

    /// What is wrong at `FILE > PLACE`; a map wants values of an object, a list texts of a section.
    pub(super) fn fault(&self, at: &str, wanted: &Value) -> Option<String> {
        let (file, place) = at.split_once(" > ").unwrap_or((at, ""));
        let Some(text) = self.files.get(file) else {
            return Some(format!("{file} is not built"));
        };
        let fault = match wanted {
            Value::Object(wanted) => {
                let document = self.document(file, text);
                let object = match place {
                    "" => Some(&*document),
                    place => found(&document, &conditions(place)),
                };
                let Some(object) = object else {
                    return Some(format!("{file} has no `{place}`"));
                };
                let different = |(path, wanted): (&String, &Value)| {
                    let there = at_path(object, path);
                    (!same(&there, wanted)).then(|| format!("`{path}` is {there}, not {wanted}"))
                };
                wanted.iter().find_map(different)
            }
            Value::Array(wanted) => {
                let mut wanted = wanted.iter().filter_map(Value::as_str).map(normal);
                let missing = match file.ends_with(".md") {
                    true => {
                        let section = paragraphs(text, place);
                        wanted.find(|wanted| !section.iter().any(|there| is_told(wanted, there)))
                    }
                    false => {
                        let section = normal(&code(text, place));
                        wanted.find(|wanted| !section.contains(wanted))
                    }
                };
                missing.map(|missing| format!("`{missing}` is not there"))
            }
            _ => panic!("{at}: a map or a list"),
        };
        fault.map(|fault| format!("{at}: {fault}"))
    }

    fn document(&self, path: &str, text: &str) -> Rc<Value> {
        let mut read = self.read.borrow_mut();
        let known = read.entry(path.to_owned()).or_insert_with(|| {
            Rc::new(match path.ends_with(".json") {
                true => serde_json::from_str(text).expect("JSON"),
                false => slosmith::yaml::read(FileId(0), text)
                    .unwrap_or_else(|e| panic!("{path}: {}", e.message)),
            })
        });
        known.clone()
    }
}

/// `alert=A & labels.tier=1h`
fn conditions(place: &str) -> Vec<(&str, &str)> {
    let pair = |text| str::split_once(text, '=').expect("a member and its value");
    place.split(" & ").map(pair).collect()
}

/// The first object with these members.
fn found<'v>(value: &'v Value, members: &[(&str, &str)]) -> Option<&'v Value> {
    let is = |(path, wanted): &(&str, &str)| {
        let text = match at_path(value, path) {
            Value::Null => return false,
            Value::String(text) => text,
            other => other.to_string(),
        };
        text == *wanted
    };
    match value {
        Value::Object(_) if members.iter().all(is) => Some(value),
        Value::Object(map) => map.values().find_map(|value| found(value, members)),
        Value::Array(list) => list.iter().find_map(|value| found(value, members)),
        _ => None,
    }
}

/// The value at `targets.*.expr`: `*` is every item of a list; null where there is none.
fn at_path(value: &Value, path: &str) -> Value {
    let (key, rest) = path
        .split_once('.')
        .map_or((path, None), |(key, rest)| (key, Some(rest)));
    let next = |value: &Value| match rest {
        Some(rest) => at_path(value, rest),
        None => value.clone(),
    };
    match (value, key) {
        (Value::Array(list), "*") => {
            // The guides have thresholds, and no line at the end of a histogram.
            let own = |item: &&Value| item["legendFormat"] != "histogram ends here";
            list.iter().filter(own).map(next).collect()
        }
        (Value::Array(list), key) => key
            .parse()
            .ok()
            .and_then(|at: usize| list.get(at))
            .map_or(Value::Null, next),
        (Value::Object(map), key) => map.get(key).map_or(Value::Null, next),
        _ => Value::Null,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => normal(a) == normal(b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// A text without what line breaks make of it.
fn normal(text: &str) -> String {
    // A command that goes on in the next line is one command.
    let words = text.split_whitespace().filter(|word| *word != "\\");
    let words: Vec<_> = words.collect();
    let mut text = words.join(" ");
    for bracket in ["(", "[", "{"] {
        text = text.replace(&format!("{bracket} "), bracket);
    }
    for bracket in [")", "]", "}"] {
        text = text.replace(&format!(", {bracket}"), bracket);
        text = text.replace(&format!(" {bracket}"), bracket);
    }
    text
}

/// A line says the whole of it; of a command an option is enough.
fn is_told(wanted: &str, there: &str) -> bool {
    wanted == there || (wanted.starts_with("--") && there.contains(wanted))
}

/// Lines and blocks of code below a heading of Markdown; nothing where it is not there.
fn paragraphs(text: &str, place: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| *line != place).skip(1);
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<_> = lines
                .by_ref()
                .take_while(|line| !line.starts_with("```"))
                .collect();
            found.push(normal(&block.join(" ")));
        } else if line.starts_with('#') {
            break;
        } else {
            found.push(normal(line));
        }
    }
    found
}

/// What follows a line of code, or all of it.
fn code(text: &str, place: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.contains(place));
    let lines: Vec<_> = match place {
        "" => lines.collect(),
        _ => lines.skip(1).take(CODE).collect(),
    };
    lines.join("\n")
}
