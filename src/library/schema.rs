//! The JSON Schema of specs, with the names of library signals for editors to offer.

use schemars::json_schema;

use super::names;
use crate::spec;

pub fn json_schema() -> String {
    let mut schema = spec::json_schema();
    let any = json_schema!({"anyOf": [{"enum": names()}, {"type": "string"}]});
    if let Some(name) = schema
        .pointer_mut("/$defs/SignalName")
        .and_then(|name| name.as_object_mut())
    {
        name.remove("type");
        name.extend(any.as_object().cloned().unwrap_or_default());
    }
    // A schema is plain JSON; printing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
