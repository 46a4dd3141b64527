//! What a file leaves to be filled in: `!Ref Limit`, `${var.limit}`, a `dynamic` block.
//!
//! Nothing is wrong with an unknown value, and nothing is missing where there may be one: of
//! `{"Period": unknown(), "Threshold": 5}` it is neither said that it has a period nor that it has none.

use serde_json::{Map, Value};

/// A key that no request has.
const SIGN: &str = "\u{0}unknown";

/// A value that is only known when the file is applied: anything, or nothing at all. In a list, any number of items.
pub fn unknown() -> Value {
    let mut map = Map::new();
    may_have_more(&mut map);
    Value::Object(map)
}

pub fn unknown_item() -> Value {
    let mut map = Map::new();
    map.insert(SIGN.to_owned(), Value::String("item".to_owned()));
    Value::Object(map)
}

/// Notes that an object may have more fields when the file is applied.
pub fn may_have_more(map: &mut Map<String, Value>) {
    map.insert(SIGN.to_owned(), Value::Bool(true));
}

pub fn is_unknown(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|map| map.len() == 1 && is_open(map))
}

pub(super) fn is_open(map: &Map<String, Value>) -> bool {
    map.contains_key(SIGN)
}

pub(super) fn has_unknown(items: &[Value]) -> bool {
    items.iter().any(is_unknown)
}

pub(super) fn known(items: &[Value]) -> impl Iterator<Item = (usize, &Value)> {
    items
        .iter()
        .enumerate()
        .filter(|(_, item)| !is_unknown(item))
}

/// How many items a list has at least.
pub(super) fn at_least(items: &[Value]) -> usize {
    let item = |value: &&Value| !is_unknown(value) || value[SIGN] == "item";
    items.iter().filter(item).count()
}

/// The keys that an object surely has.
pub(super) fn keys(map: &Map<String, Value>) -> impl Iterator<Item = &String> {
    map.keys().filter(|key| *key != SIGN)
}
