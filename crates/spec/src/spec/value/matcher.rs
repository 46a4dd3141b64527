//! What a label's value must be.

use serde::de::{Deserialize, Deserializer, Error, MapAccess};

use super::node::{Expected, Node, one_of};
use crate::spec::{MatchValue, Text};
use slosmith_text::source::Spanned;

impl<'de> Deserialize<'de> for MatchValue {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let is = |values| MatchValue::Is {
            values,
            said: false,
        };
        match Node::<Comparison>::read(d)? {
            Node::Scalar(text, span) => Ok(is(vec![Spanned::new(text, span)])),
            Node::List(values) => some(values).map(is),
            Node::Map(comparison) => Ok(comparison.0),
        }
    }
}

struct Comparison(MatchValue);

impl<'de> Expected<'de> for Comparison {
    const WANTED: &'static str = "a label value, a list of them, or `{matches: REGEX}`, `{not_matches: REGEX}`, `{not: …}`, `{is: …}`";
    const LIST: bool = true;
    type Item = String;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let fields = &["is", "not", "matches", "not_matches"];
        one_of(map, fields, |name, map| {
            Ok(Self(match name {
                "is" => MatchValue::Is {
                    values: map.next_value::<Values>()?.0,
                    said: true,
                },
                "not" => MatchValue::Not(map.next_value::<Values>()?.0),
                "matches" => MatchValue::Matches(map.next_value()?),
                _ => MatchValue::NotMatches(map.next_value()?),
            }))
        })
    }
}

struct Values(Vec<Text>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<NoMap>::read(d)? {
            Node::Scalar(text, span) => Ok(Self(vec![Spanned::new(text, span)])),
            Node::List(values) => some(values).map(Self),
            Node::Map(never) => match never {},
        }
    }
}

enum NoMap {}

impl<'de> Expected<'de> for NoMap {
    const WANTED: &'static str = "a label value or a list of them";
    const LIST: bool = true;
    type Item = String;
}

fn some<E: Error>(values: Vec<Text>) -> Result<Vec<Text>, E> {
    if values.is_empty() {
        return Err(E::custom(
            "a list of label values must have at least one entry",
        ));
    }
    Ok(values)
}
