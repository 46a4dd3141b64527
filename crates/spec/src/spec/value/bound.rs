//! Bounds: a quantity, or a multiple of a signal's own past.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::node::{Expected, Node, one_of};
use crate::spec::{Baseline, Bound};
use slosmith_text::units::{Duration, Number, ParseError, parse_decimal};

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<Times>::read(d)? {
            Node::Scalar(text, _) => text
                .parse()
                .map(Bound::Quantity)
                .map_err(ParseError::of_reader),
            Node::Map(times) => Ok(Bound::Times(times.times.0, times.of.0)),
            Node::List(_) => Err(Error::custom("a threshold cannot be a list")),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    times: Factor,
    of: Past,
}

impl<'de> Expected<'de> for Times {
    const WANTED: &'static str = "a quantity or `{times: N, of: {offset: 7d}}`";
    const LIST: bool = false;
    type Item = String;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(map))
    }
}

struct Factor(Number);

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        parse_decimal(&text)
            .map(Factor)
            .map_err(ParseError::of_reader)
    }
}

struct Past(Baseline);

impl<'de> Deserialize<'de> for Past {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(PastVisitor)
    }
}

struct PastVisitor;

impl<'de> Visitor<'de> for PastVisitor {
    type Value = Past;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("`{offset: 7d}` or `{avg_over: 7d}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Past, A::Error> {
        one_of(map, &["offset", "avg_over"], |name, map| {
            let time = map.next_value::<Duration>()?;
            Ok(Past(match name {
                "offset" => Baseline::Offset(time),
                _ => Baseline::AvgOver(time),
            }))
        })
    }
}
