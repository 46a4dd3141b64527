//! Scalars and scalar-or-map values, read by hand so that none loses its place.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Baseline, Bound, MatchValue, Stat, Text};
use crate::source::Spanned;
use crate::units::{Duration, Number, Quantity, parse_decimal};

/// Reads a scalar's text and parses it.
fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(d: D) -> Result<T, D::Error> {
    String::deserialize(d)?.parse().map_err(de::Error::custom)
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

impl<'de> Deserialize<'de> for Stat {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        from_text(d)
    }
}

impl FromStr for Stat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "last" => Stat::Last,
            "avg" => Stat::Avg,
            "min" => Stat::Min,
            "max" => Stat::Max,
            "rate" => Stat::Rate,
            "increase" => Stat::Increase,
            "slope" => Stat::Slope,
            _ => Stat::Quantile(percentile(text).ok_or_else(|| {
                format!(
                    "unknown stat `{text}`: expected `last`, `avg`, `min`, `max`, `rate`, `increase`, \
                     `slope` or a percentile like `p95`"
                )
            })?),
        })
    }
}

fn percentile(text: &str) -> Option<Number> {
    let share = parse_decimal(text.strip_prefix('p')?).ok()? / 100;
    (share > Number::from_integer(0) && share < Number::from_integer(1)).then_some(share)
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
            Stat::Quantile(q) => write!(f, "p{}", crate::units::decimal(*q * 100)),
            Stat::Slope => f.write_str("slope"),
        }
    }
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(BoundVisitor)
    }
}

struct BoundVisitor;

impl<'de> Visitor<'de> for BoundVisitor {
    type Value = Bound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity or `{times: N, of: {offset: 7d}}`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bound, E> {
        text.parse().map(Bound::Quantity).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Bound, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Bound, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Bound, E> {
        self.visit_str(&n.to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Bound, A::Error> {
        let times = TimesMap::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let factor = parse_decimal(&times.times).map_err(de::Error::custom)?;
        let baseline = match (times.of.offset, times.of.avg_over) {
            (Some(offset), None) => Baseline::Offset(offset),
            (None, Some(over)) => Baseline::AvgOver(over),
            _ => {
                return Err(de::Error::custom(
                    "`of` needs exactly one of `offset` and `avg_over`",
                ));
            }
        };
        Ok(Bound::Times(factor, baseline))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TimesMap {
    times: String,
    of: BaselineMap,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineMap {
    offset: Option<Duration>,
    avg_over: Option<Duration>,
}

impl<'de> Deserialize<'de> for MatchValue {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MatchVisitor)
    }
}

struct MatchVisitor;

impl MatchVisitor {
    fn is(text: String) -> MatchValue {
        MatchValue::Is(Spanned::new(text, crate::source::Span::default()))
    }
}

impl<'de> Visitor<'de> for MatchVisitor {
    type Value = MatchValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a label value, a list of them, or `{matches: REGEX}`, `{not: …}`, `{not_matches: …}`",
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<MatchValue, E> {
        Ok(Self::is(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<MatchValue, E> {
        Ok(Self::is(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<MatchValue, E> {
        Ok(Self::is(n.to_string()))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<MatchValue, E> {
        Ok(Self::is(n.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MatchValue, A::Error> {
        let mut values: Vec<Text> = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        if values.is_empty() {
            return Err(de::Error::custom("an empty list matches nothing"));
        }
        Ok(MatchValue::OneOf(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MatchValue, A::Error> {
        let m = MatchMap::deserialize(de::value::MapAccessDeserializer::new(map))?;
        match (m.not, m.matches, m.not_matches) {
            (Some(not), None, None) => Ok(MatchValue::Not(not)),
            (None, Some(regex), None) => Ok(MatchValue::Matches(regex)),
            (None, None, Some(regex)) => Ok(MatchValue::NotMatches(regex)),
            _ => Err(de::Error::custom(
                "expected exactly one of `not`, `matches` and `not_matches`",
            )),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchMap {
    not: Option<Text>,
    matches: Option<Text>,
    not_matches: Option<Text>,
}
