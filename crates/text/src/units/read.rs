//! Quantities and durations as fields of a file: read by hand so that none loses its place, and described in JSON Schema.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use super::{Duration, ParseError, Quantity};

impl ParseError {
    /// The error of a reader of values; the lines after the first are its help.
    pub fn of_reader<E: Error>(self) -> E {
        match self.help() {
            Some(help) => E::custom(format_args!("{self}\n{help}")),
            None => E::custom(self),
        }
    }
}

/// Reads a scalar's text and parses it.
fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err = ParseError>>(d: D) -> Result<T, D::Error> {
    let text = String::deserialize(d)?;
    text.parse().map_err(ParseError::of_reader)
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        from_text(d)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        from_text(d)
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number with a unit: `500ms`, `95%`, `10/min`, `1GiB/h`, `80`.",
            "type": ["string", "number"],
            "examples": ["500ms", "95%", "10/min", "1GiB/h", 80]
        })
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A duration: `30s`, `5m`, `1h30m`, `28d`.",
            "type": "string",
            "pattern": "^([0-9]+(w|d|h|min|m|s))+$"
        })
    }
}
