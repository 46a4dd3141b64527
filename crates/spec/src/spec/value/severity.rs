//! Severities: a name, or a mapping with labels and annotations.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess};

use super::node::{Expected, Node};
use crate::spec::{Map, Marks, Severity, Text};
use slosmith_text::source::Spanned;

impl<'de> Deserialize<'de> for Severity {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<Written>::read(d)? {
            Node::Scalar(text, span) => Ok(Severity::named(Spanned::new(text, span))),
            Node::Map(written) => Ok(Severity {
                name: written.name,
                marks: Marks {
                    owner: written.owner,
                    labels: written.labels,
                    annotations: written.annotations,
                },
            }),
            Node::List(_) => Err(Error::custom("a severity cannot be a list")),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Text,
    owner: Option<Text>,
    #[serde(default)]
    labels: Map<Text>,
    #[serde(default)]
    annotations: Map<Text>,
}

impl<'de> Expected<'de> for Written {
    const WANTED: &'static str = "a name, or `{name: critical, labels: {…}, annotations: {…}}`";
    const LIST: bool = false;
    type Item = String;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(map))
    }
}
