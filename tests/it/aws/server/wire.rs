//! CBOR as JSON and back. Doubles and times have types of their own on the wire.

use ciborium::Value as Cbor;
use serde_json::{Map, Value, json};

/// Fields that are doubles, whatever their value.
const DOUBLES: [&str; 1] = ["Threshold"];
/// Fields that are times, in seconds.
const TIMES: [&str; 6] = [
    "AlarmConfigurationUpdatedTimestamp",
    "StateUpdatedTimestamp",
    "LastUpdatedTimestamp",
    "LastModified",
    "StartDate",
    "ExpireDate",
];

pub(super) fn decode(bytes: &[u8]) -> Option<Value> {
    if bytes.is_empty() {
        return Some(json!({}));
    }
    let cbor: Cbor = ciborium::from_reader(bytes).ok()?;
    Some(to_json(&cbor))
}

pub(super) fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(&to_cbor("", value), &mut bytes).expect("memory");
    bytes
}

fn to_json(cbor: &Cbor) -> Value {
    match cbor {
        Cbor::Integer(n) => json!(i128::from(*n) as i64),
        Cbor::Float(n) => json!(n),
        Cbor::Text(text) => json!(text),
        Cbor::Bool(b) => json!(b),
        Cbor::Array(list) => list.iter().map(to_json).collect(),
        Cbor::Map(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                (
                    key.as_text().expect("a text as key").to_owned(),
                    to_json(value),
                )
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Cbor::Tag(_, inner) => to_json(inner),
        _ => Value::Null,
    }
}

fn to_cbor(key: &str, value: &Value) -> Cbor {
    match value {
        Value::Null => Cbor::Null,
        Value::Bool(b) => Cbor::Bool(*b),
        Value::Number(n) if TIMES.contains(&key) => {
            Cbor::Tag(1, Box::new(Cbor::Float(n.as_f64().expect("a number"))))
        }
        Value::Number(n) => match n.as_i64().filter(|_| !DOUBLES.contains(&key)) {
            Some(whole) => Cbor::Integer(whole.into()),
            None => Cbor::Float(n.as_f64().expect("a number")),
        },
        Value::String(text) => Cbor::Text(text.clone()),
        Value::Array(list) => Cbor::Array(list.iter().map(|v| to_cbor(key, v)).collect()),
        Value::Object(fields) => {
            let fields = fields.iter();
            Cbor::Map(
                fields
                    .map(|(k, v)| (Cbor::Text(k.clone()), to_cbor(k, v)))
                    .collect(),
            )
        }
    }
}
