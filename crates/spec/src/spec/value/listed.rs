//! A word, or a list.

use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer};

use super::node::{Expected, Node};
use crate::spec::{Burn, Extends, Policy, Stat, Stats, Tier};
use slosmith_text::source::Spanned;

impl<'de> Deserialize<'de> for Stats {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<NoStat, _>::read(d)? {
            Node::Scalar(word, span) => {
                let stat: Stat = word.parse().map_err(D::Error::custom)?;
                Ok(Stats(vec![Spanned::new(stat, span)]))
            }
            Node::List(stats) => Ok(Stats(stats)),
            Node::Map(nothing) => match nothing {},
        }
    }
}

impl<'de> Deserialize<'de> for Burn {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<NoBurn, _>::read(d)? {
            Node::Scalar(word, _) => {
                Policy::deserialize(word.into_deserializer()).map(Burn::Policy)
            }
            Node::List(tiers) => Ok(Burn::Tiers(tiers)),
            Node::Map(nothing) => match nothing {},
        }
    }
}

impl<'de> Deserialize<'de> for Extends {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<NoPath, _>::read(d)? {
            Node::Scalar(path, span) => Ok(Extends(vec![Spanned::new(path, span)])),
            Node::List(paths) => Ok(Extends(paths)),
            Node::Map(nothing) => match nothing {},
        }
    }
}

enum NoStat {}

impl<'de> Expected<'de> for NoStat {
    const WANTED: &'static str = "a statistic, or a list of statistics";
    const LIST: bool = true;
    type Item = Stat;
}

enum NoBurn {}

impl<'de> Expected<'de> for NoBurn {
    const WANTED: &'static str = "a policy, or a list of tiers";
    const LIST: bool = true;
    type Item = Tier;
}

enum NoPath {}

impl<'de> Expected<'de> for NoPath {
    const WANTED: &'static str = "a path, or a list of paths";
    const LIST: bool = true;
    type Item = String;
}
