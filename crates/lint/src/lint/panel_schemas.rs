//! Grafana's panel schemas.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

const SCHEMAS: [(&str, &str); 9] = [
    (
        "barchart",
        include_str!("../../schemas/grafana/panels/barchart.jsonschema.json"),
    ),
    (
        "bargauge",
        include_str!("../../schemas/grafana/panels/bargauge.jsonschema.json"),
    ),
    (
        "gauge",
        include_str!("../../schemas/grafana/panels/gauge.jsonschema.json"),
    ),
    (
        "heatmap",
        include_str!("../../schemas/grafana/panels/heatmap.jsonschema.json"),
    ),
    (
        "stat",
        include_str!("../../schemas/grafana/panels/stat.jsonschema.json"),
    ),
    (
        "state-timeline",
        include_str!("../../schemas/grafana/panels/state-timeline.jsonschema.json"),
    ),
    (
        "table",
        include_str!("../../schemas/grafana/panels/table.jsonschema.json"),
    ),
    (
        "text",
        include_str!("../../schemas/grafana/panels/text.jsonschema.json"),
    ),
    (
        "timeseries",
        include_str!("../../schemas/grafana/panels/timeseries.jsonschema.json"),
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Options,
    FieldConfig,
}

impl Part {
    fn definition(self) -> &'static str {
        match self {
            Self::Options => "Options",
            Self::FieldConfig => "FieldConfig",
        }
    }
}

pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) key: Option<String>,
    pub(super) message: String,
}

static MADE: Mutex<BTreeMap<(usize, Part), Option<&'static Validator>>> =
    Mutex::new(BTreeMap::new());

pub(super) fn faults(kind: &str, part: Part, value: &Value) -> Vec<Fault> {
    let Some(at) = SCHEMAS.iter().position(|(name, _)| *name == kind) else {
        return Vec::new();
    };
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || validator(SCHEMAS[at].1, part).map(|v| &*Box::leak(Box::new(v)));
    let Some(validator) = *made.entry((at, part)).or_insert_with(make) else {
        return Vec::new();
    };
    drop(made);
    validator
        .iter_errors(value)
        .flat_map(|error| {
            let pointer = error.instance_path().to_string();
            match error.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    let each = unexpected.iter().map(|key| Fault {
                        pointer: pointer.clone(),
                        key: Some(key.clone()),
                        message: format!("unknown option `{key}`"),
                    });
                    each.collect::<Vec<_>>()
                }
                _ => vec![Fault {
                    pointer,
                    key: None,
                    message: error.to_string(),
                }],
            }
        })
        .collect()
}

fn validator(schema: &str, part: Part) -> Option<Validator> {
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    let definition = part.definition();
    schema.get("definitions")?.get(definition)?;
    lenient(&mut schema);
    schema["$ref"] = json!(format!("#/definitions/{definition}"));
    jsonschema::validator_for(&schema).ok()
}

/// Takes `required` out of every definition, because Grafana fills in what is missing; then `oneOf` cannot
/// distinguish its alternatives any more, and one that fits is enough.
fn lenient(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("required").is_some_and(Value::is_array) {
                map.remove("required");
            }
            if let Some(alternatives) = map.remove("oneOf") {
                map.insert("anyOf".to_owned(), alternatives);
            }
            map.values_mut().for_each(lenient);
        }
        Value::Array(items) => items.iter_mut().for_each(lenient),
        _ => {}
    }
}
