//! Scalars and scalar-or-map values, read by hand so that none loses its place.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};

use super::Stat;
use slosmith_text::units::{Number, parse_decimal};

mod bound;
mod listed;
mod matcher;
mod node;
mod severity;
mod side;

impl<'de> Deserialize<'de> for Stat {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

/// A text that names no statistic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown stat `{0}`\nuse `last`, `avg`, `min`, `max`, `rate`, `increase`, `slope` or a percentile like `p95`"
)]
pub struct UnknownStat(String);

impl FromStr for Stat {
    type Err = UnknownStat;

    fn from_str(text: &str) -> Result<Self, UnknownStat> {
        Ok(match text {
            "last" => Stat::Last,
            "avg" => Stat::Avg,
            "min" => Stat::Min,
            "max" => Stat::Max,
            "rate" => Stat::Rate,
            "increase" => Stat::Increase,
            "slope" => Stat::Slope,
            _ => Stat::Quantile(percentile(text).ok_or_else(|| UnknownStat(text.to_owned()))?),
        })
    }
}

fn percentile(text: &str) -> Option<Number> {
    let share = parse_decimal(text.strip_prefix('p')?).ok()? / 100;
    // `p0.95` is a share, not a percentile.
    (share >= Number::new(1, 100) && share < Number::from_integer(1)).then_some(share)
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stat::Last => f.write_str("last"),
            Stat::Avg => f.write_str("avg"),
            Stat::Min => f.write_str("min"),
            Stat::Max => f.write_str("max"),
            Stat::Rate => f.write_str("rate"),
            Stat::Increase => f.write_str("increase"),
            Stat::Quantile(q) => write!(f, "p{}", slosmith_text::units::decimal(*q * 100)),
            Stat::Slope => f.write_str("slope"),
        }
    }
}
