//! What a label's value must be.

use serde::de::{Deserialize, Deserializer, Error, MapAccess};

use super::node::{Expected, Node, one_of};
use crate::source::Spanned;
use crate::spec::{MatchValue, Text};

impl<'de> Deserialize<'de> for MatchValue {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<Comparison>::read(d)? {
            Node::Scalar(text, span) => Ok(MatchValue::Is(Spanned::new(text, span))),
            Node::List(values) if values.is_empty() => Err(Error::custom(
                "a list of label values must have at least one entry",
            )),
            Node::List(values) => Ok(MatchValue::OneOf(values)),
            Node::Map(comparison) => Ok(comparison.0),
        }
    }
}

struct Comparison(MatchValue);

impl<'de> Expected<'de> for Comparison {
    const WANTED: &'static str =
        "a label value, a list of them, or `{matches: REGEX}`, `{not: …}`, `{not_matches: …}`";
    const LIST: bool = true;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let (name, text) = one_of::<Text, _>(map, &["not", "matches", "not_matches"])?;
        Ok(Self(match name {
            "not" => MatchValue::Not(text),
            "matches" => MatchValue::Matches(text),
            _ => MatchValue::NotMatches(text),
        }))
    }
}
