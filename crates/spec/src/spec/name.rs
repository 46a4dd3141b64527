//! Names of signals, as editors complete them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A name of a signal. [`crate::library::json_schema`] adds those that editors can offer.
pub(super) struct SignalName;

impl JsonSchema for SignalName {
    fn schema_name() -> Cow<'static, str> {
        "SignalName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A signal of this spec, or a built-in signal.",
            "type": "string"
        })
    }
}
