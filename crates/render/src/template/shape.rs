//! What templates are given: every variable with its kind, as seen while rendering.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde::Serialize;
use serde_json::Value;

/// Fields deeper than this are looked up in the template that prints them.
const DEPTH: usize = 3;

/// Maps whose keys are not ours.
const MAPS: [&str; 8] = [
    "labels",
    "annotations",
    "exp_labels",
    "exp_annotations",
    "resources",
    "actions",
    "parameters",
    "tags",
];

pub type Variables = BTreeMap<String, BTreeMap<String, &'static str>>;

#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<Variables>);

impl Watch {
    /// Takes in what a template is given; nothing of a view that is no JSON, which none is.
    pub(super) fn see(&self, template: &str, view: &impl Serialize) {
        let (Ok(view), Ok(mut seen)) = (serde_json::to_value(view), self.0.lock()) else {
            return;
        };
        let paths = seen.entry(template.to_owned()).or_default();
        fields(&view, "", 0, paths);
    }

    pub(super) fn into_variables(self) -> Variables {
        self.0.into_inner().unwrap_or_default()
    }
}

fn fields(value: &Value, path: &str, depth: usize, paths: &mut BTreeMap<String, &'static str>) {
    match value {
        Value::Object(map) if depth < DEPTH => {
            for (key, value) in map {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                let deep = if MAPS.contains(&key.as_str()) {
                    DEPTH
                } else {
                    depth + 1
                };
                if !value.is_null() {
                    paths.insert(path.clone(), kind(value));
                }
                fields(value, &path, deep, paths);
            }
        }
        Value::Array(list) => {
            let path = format!("{path}[]");
            list.iter()
                .for_each(|item| fields(item, &path, depth, paths));
        }
        _ => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "map",
    }
}
