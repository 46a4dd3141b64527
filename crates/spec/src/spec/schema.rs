//! The JSON Schema of the spec, for editors.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::name::SignalName;
use super::{
    BETA_VERSION, Beta, Bound, Burn, Environment, Extends, Marks, MatchValue, Policy, Position,
    RatioSide, Severity, Spec, Stat, Stats, Tier,
};

/// The schema without the names of library signals, which this module does not know.
pub fn json_schema() -> Schema {
    schema_of::<Spec>("urn:slosmith:schema:spec:v1")
}

/// The same of the second document.
pub fn beta_schema() -> Schema {
    let mut schema = schema_of::<Beta>("urn:slosmith:schema:spec:v1beta1");
    let version = serde_json::json!({"description": format!("`{BETA_VERSION}`."), "type": "string", "const": BETA_VERSION});
    if let Some(fields) = schema
        .pointer_mut("/properties")
        .and_then(Value::as_object_mut)
    {
        fields.shift_insert(0, "apiVersion".to_owned(), version);
    }
    schema.insert("required".to_owned(), serde_json::json!(["apiVersion"]));
    schema
}

fn schema_of<T: JsonSchema>(id: &str) -> Schema {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let mut shared = BTreeSet::new();
    share(schema.as_object_mut(), &mut shared);
    for part in shared {
        let mut part = schema.pointer_mut(&part).and_then(Value::as_object_mut);
        for rest in ["additionalProperties", "unevaluatedProperties"] {
            part.as_deref_mut().and_then(|part| part.remove(rest));
        }
    }
    schema.insert("$id".to_owned(), id.into());
    schema.insert(
        "patternProperties".to_owned(),
        serde_json::json!({"^x-": {}}),
    );
    schema
}

/// Refers to the parts of structs, which are fields with names of their own in Rust, beside the fields of the struct.
fn share(schema: Option<&mut Map<String, Value>>, shared: &mut BTreeSet<String>) {
    let Some(schema) = schema else {
        return;
    };
    let mut parts = Vec::new();
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, part| {
            let is_part = name.starts_with('<');
            parts.extend(part.get("$ref").filter(|_| is_part).cloned());
            !is_part
        });
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !name.starts_with('<')));
    }
    if !parts.is_empty() {
        let of = parts.iter().filter_map(Value::as_str);
        shared.extend(of.filter_map(|of| of.strip_prefix('#')).map(str::to_owned));
        let parts = parts.into_iter().map(|of| serde_json::json!({"$ref": of}));
        schema.insert("allOf".to_owned(), parts.collect());
        schema.remove("additionalProperties");
        schema.insert("unevaluatedProperties".to_owned(), false.into());
    }
    for inner in schema.values_mut() {
        match inner {
            Value::Object(inner) => share(Some(inner), shared),
            Value::Array(all) => all
                .iter_mut()
                .for_each(|of| share(of.as_object_mut(), shared)),
            _ => {}
        }
    }
}

/// Implements `JsonSchema` by a literal.
macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(Stat, "Stat", {
    "description": "`last`, `avg`, `min`, `max`, `slope` of a gauge; `rate`, `increase` of a counter; `p95`, `avg`, `rate` of a histogram.",
    "oneOf": [
        {"enum": ["last", "avg", "min", "max", "rate", "increase", "slope"]},
        {"type": "string", "pattern": "^p[0-9]+(\\.[0-9]+)?$"}
    ]
});

/// Implements `JsonSchema` by a type and a list of a type.
macro_rules! listed {
    ($type:ty, $name:literal, $one:ty, $many:ty, $description:literal) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $description,
                    "oneOf": [
                        generator.subschema_for::<$one>(),
                        {"type": "array", "minItems": 1, "items": generator.subschema_for::<$many>()}
                    ]
                })
            }
        }
    };
}

listed!(
    Stats,
    "Stats",
    Stat,
    Stat,
    "A statistic, or a list of statistics."
);
listed!(Burn, "Burn", Policy, Tier, "A policy, or your own tiers.");

schema!(Bound, "Bound", {
    "description": "A threshold: a quantity, or a multiple of an earlier value of the signal.",
    "oneOf": [
        {"type": ["string", "number"]},
        {
            "type": "object",
            "required": ["times", "of"],
            "additionalProperties": false,
            "properties": {
                "times": {"type": "number"},
                "of": {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": false,
                    "properties": {
                        "offset": {"type": "string", "description": "The value this long ago."},
                        "avg_over": {"type": "string", "description": "The mean over this time."}
                    }
                }
            }
        }
    ]
});

schema!(Position, "Position", {
    "description": "A place on a grid of 24 columns: `[x, y, width, height]`.",
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "minItems": 4,
    "maxItems": 4
});

schema!(Environment, "Environment", {
    "description": "Fields of a spec that differ in an environment; `~` removes a field.",
    "type": ["object", "null"]
});

schema!(Extends, "Extends", {
    "description": "File that the spec extends, relative to the spec; or a list, in which later files change earlier ones.",
    "oneOf": [
        {"type": "string"},
        {"type": "array", "minItems": 1, "items": {"type": "string"}}
    ]
});

impl JsonSchema for Severity {
    fn schema_name() -> Cow<'static, str> {
        "Severity".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A severity: its name, or a mapping with what its alerts carry.",
            "oneOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": false,
                    "properties": {
                        "name": {"type": "string", "description": "Value of the `severity` label."},
                        "<marks>": generator.subschema_for::<Marks>()
                    }
                }
            ]
        })
    }
}

impl JsonSchema for RatioSide {
    fn schema_name() -> Cow<'static, str> {
        "RatioSide".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A side of a ratio: the name of a signal, or a signal and the label values to select.",
            "oneOf": [
                generator.subschema_for::<SignalName>(),
                {
                    "type": "object",
                    "required": ["signal"],
                    "additionalProperties": false,
                    "properties": {
                        "signal": generator.subschema_for::<SignalName>(),
                        "where": {
                            "description": "Label values to select in this side only.",
                            "type": "object",
                            "additionalProperties": generator.subschema_for::<MatchValue>()
                        }
                    }
                }
            ]
        })
    }
}

schema!(MatchValue, "MatchValue", {
    "description": "A label value, one of a list, or a comparison.",
    "oneOf": [
        {"type": ["string", "number", "boolean"]},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": false,
            "properties": {
                "is": {"description": "These values, also where they look like regular expressions.", "oneOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]},
                "not": {"description": "Any other value.", "oneOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]},
                "matches": {"type": "string", "description": "Regular expression for the whole value."},
                "not_matches": {"type": "string", "description": "Regular expression for the whole value."}
            }
        }
    ]
});
