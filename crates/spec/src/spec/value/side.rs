//! A side of a ratio: a name, or a mapping with a selection.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess};

use super::node::{Expected, Node};
use crate::spec::{Matchers, RatioSide, Text};
use slosmith_text::source::Spanned;

impl<'de> Deserialize<'de> for RatioSide {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<Written>::read(d)? {
            Node::Scalar(name, span) => Ok(RatioSide {
                signal: Spanned::new(name, span),
                matchers: Matchers::default(),
            }),
            Node::Map(Written { signal, matchers }) => Ok(RatioSide { signal, matchers }),
            Node::List(_) => Err(Error::custom("a side of a ratio cannot be a list")),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    signal: Text,
    #[serde(default, rename = "where")]
    matchers: Matchers,
}

impl<'de> Expected<'de> for Written {
    const WANTED: &'static str = "the name of a signal, or `{signal: NAME, where: {LABEL: VALUE}}`";
    const LIST: bool = false;
    type Item = String;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(map))
    }
}
