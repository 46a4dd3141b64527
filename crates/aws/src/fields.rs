//! How one value differs from another, field by field.
//!
//! `{"Threshold": 80}` and `{"Threshold": 90}` differ in `Threshold`: 80 → 90.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// Where it is: `Metrics[m1].MetricStat.Period`.
    pub path: String,
    pub old: Value,
    pub new: Value,
}

pub fn differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare("", old, new, &mut found);
    found
}

fn compare(path: &str, old: &Value, new: &Value, found: &mut Vec<FieldChange>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let path = match path.is_empty() {
                    true => key.clone(),
                    false => format!("{path}.{key}"),
                };
                let value = |of: &serde_json::Map<_, _>| of.get(key).cloned().unwrap_or_default();
                compare(&path, &value(a), &value(b), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if are_objects(a) && are_objects(b) => {
            let before = found.len();
            let (old_names, new_names) = (names(a), names(b));
            let keys: BTreeSet<_> = old_names.iter().chain(&new_names).collect();
            for key in keys {
                let value = |of: &[Value], names: &[Name]| {
                    let at = names.iter().position(|known| known == key);
                    at.and_then(|at| of.get(at)).cloned().unwrap_or_default()
                };
                let (old, new) = (value(a, &old_names), value(b, &new_names));
                compare(&format!("{path}[{}]", key.1), &old, &new, found);
            }
            if found.len() == before {
                let order = |names: Vec<Name>| names.into_iter().map(|name| name.1).collect();
                found.push(FieldChange {
                    path: path.to_owned(),
                    old: order(old_names),
                    new: order(new_names),
                });
            }
        }
        _ => found.push(FieldChange {
            path: path.to_owned(),
            old: old.clone(),
            new: new.clone(),
        }),
    }
}

fn are_objects(list: &[Value]) -> bool {
    list.iter().all(Value::is_object)
}

/// How an entry of a list is called, and its place among entries without names.
type Name = (usize, String);

/// The identity of an entry of a list: its `Id`, its `Name` or the content of a widget, else its number.
fn names(list: &[Value]) -> Vec<Name> {
    let keys: [fn(&Value) -> Option<&str>; 3] = [
        |entry| entry["Id"].as_str(),
        |entry| entry["Name"].as_str(),
        shown,
    ];
    for key in keys {
        let names: Option<Vec<_>> = list.iter().map(key).collect();
        if let Some(names) = names {
            let same = |at: usize| {
                names[..at]
                    .iter()
                    .filter(|name| **name == names[at])
                    .count()
            };
            let number = |(at, name): (usize, &&str)| match same(at) {
                0 => (0, (*name).to_owned()),
                before => (0, format!("{name} #{}", before + 1)),
            };
            return names.iter().enumerate().map(number).collect();
        }
    }
    (0..list.len()).map(|at| (at, at.to_string())).collect()
}

/// The title of a widget of a dashboard, or the first line of its text.
fn shown(widget: &Value) -> Option<&str> {
    let properties = &widget["properties"];
    let text = || properties["markdown"].as_str()?.lines().next();
    properties["title"].as_str().or_else(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(old: &Value, new: &Value) -> Vec<String> {
        let found = differences(old, new).into_iter();
        found
            .map(|c| format!("{}: {} → {}", c.path, c.old, c.new))
            .collect()
    }

    #[test]
    fn each_field_is_told() {
        let old = json!({"Threshold": 80, "A": ["x"], "Gone": 1, "Metrics": [{"Id": "m1", "P": 60}, {"Id": "m2"}]});
        let new = json!({"Threshold": 90, "A": ["y"], "New": 2, "Metrics": [{"Id": "m1", "P": 300}, {"Id": "m3"}]});
        assert_eq!(
            paths(&old, &new),
            [
                "A: [\"x\"] → [\"y\"]",
                "Gone: 1 → null",
                "Metrics[m1].P: 60 → 300",
                "Metrics[m2]: {\"Id\":\"m2\"} → null",
                "Metrics[m3]: null → {\"Id\":\"m3\"}",
                "New: null → 2",
                "Threshold: 80 → 90",
            ]
        );
    }

    #[test]
    fn lists_without_names_are_counted() {
        let widgets = |xs: &[u8]| xs.iter().map(|x| json!({"x": x})).collect::<Vec<_>>();
        let (old, new) = (json!(widgets(&[0, 6])), json!(widgets(&[0, 7, 9])));
        assert_eq!(paths(&old, &new), ["[1].x: 6 → 7", "[2]: null → {\"x\":9}"]);
        assert!(paths(&old, &old).is_empty());
    }

    #[test]
    fn widgets_are_told_apart_by_what_they_show() {
        let text = |markdown: &str| json!({"properties": {"markdown": markdown}});
        let graph = |title: &str, y: u8| json!({"y": y, "properties": {"title": title}});
        let old = json!([text("## A\nb"), graph("Queue", 1)]);
        let new = json!([text("## A\nb"), graph("Cache", 1), graph("Queue", 7)]);
        assert_eq!(
            paths(&old, &new),
            [
                "[Cache]: null → {\"y\":1,\"properties\":{\"title\":\"Cache\"}}",
                "[Queue].y: 1 → 7"
            ]
        );
        let twice = json!([text("## A\nb"), graph("Queue", 1), graph("Queue", 7)]);
        assert_eq!(
            paths(&old, &twice),
            ["[Queue #2]: null → {\"y\":7,\"properties\":{\"title\":\"Queue\"}}"]
        );
        let other = json!([old[1], old[0]]);
        assert_eq!(
            paths(&old, &other),
            [": [\"## A\",\"Queue\"] → [\"Queue\",\"## A\"]"]
        );
    }
}
