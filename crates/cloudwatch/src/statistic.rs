//! Statistics: `Sum`, `p99.9`, `TM(10%:90%)`, `PR(:500)`.
//!
//! `"p95".parse::<Statistic>()` gives an extended one; `"p101"` says what is wrong with it.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use thiserror::Error;

use slosmith_text::units::{Number, decimal};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statistic {
    SampleCount,
    Average,
    Sum,
    Minimum,
    Maximum,
    /// A percentile, or what else `ExtendedStatistic` takes.
    Extended(Extended),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended(String);

const DECIMALS: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoStatistic {
    /// It begins like a percentile.
    #[error("`{0}` is not a percentile from 0 to 100")]
    Percentile(String),
    /// Unknown to `ExtendedStatistic`.
    #[error(
        "unknown statistic `{0}`{help}",
        help = if is_plain(.0) { "; write it in `Statistic`" } else { "; use a percentile such as `p99`, or `IQM`, `TM()`, `TC()`, `TS()`, `WM()` or `PR()`" }
    )]
    Unknown(String),
    /// It has brackets, and another name before them.
    #[error("`{0}` must be one of PR, TM, TC, TS, WM")]
    Function(String),
    /// The text in its brackets is not a range.
    #[error("`{0}` needs a range such as `10%:90%` or `:500`")]
    Range(String),
}

impl Extended {
    /// True for counts and sums: `TC(:500)`, `ts90`.
    pub fn adds_up(&self) -> bool {
        let name = self.0.get(..2).unwrap_or_default();
        ["TC", "tc", "TS", "ts"].contains(&name)
    }
}

impl Statistic {
    /// What `Statistic` takes.
    pub const PLAIN: [&str; 5] = ["SampleCount", "Average", "Sum", "Minimum", "Maximum"];

    /// The value below which this share of all values lies: `p95` of 0.95.
    pub fn percentile(share: Number) -> Self {
        Statistic::Extended(Extended(format!("p{}", decimal(share * 100))))
    }

    /// How many values are at most this: `TC(:500)`.
    pub fn count_up_to(bound: Number) -> Self {
        Statistic::Extended(Extended(format!("TC(:{})", decimal(bound))))
    }

    /// True for what a request has under `ExtendedStatistic`.
    pub fn is_extended(&self) -> bool {
        matches!(self, Statistic::Extended(_))
    }
}

impl Display for Statistic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Statistic::SampleCount => "SampleCount",
            Statistic::Average => "Average",
            Statistic::Sum => "Sum",
            Statistic::Minimum => "Minimum",
            Statistic::Maximum => "Maximum",
            Statistic::Extended(Extended(text)) => text,
        })
    }
}

/// What a metric of metric math takes: either kind.
impl FromStr for Statistic {
    type Err = NoStatistic;

    fn from_str(text: &str) -> Result<Self, NoStatistic> {
        Ok(match text {
            "SampleCount" => Statistic::SampleCount,
            "Average" => Statistic::Average,
            "Sum" => Statistic::Sum,
            "Minimum" => Statistic::Minimum,
            "Maximum" => Statistic::Maximum,
            _ => Statistic::Extended(text.parse()?),
        })
    }
}

impl FromStr for Extended {
    type Err = NoStatistic;

    fn from_str(text: &str) -> Result<Self, NoStatistic> {
        let known = || Ok(Extended(text.to_owned()));
        if text == "IQM" {
            return known();
        }
        for prefix in ["p", "tm", "tc", "ts", "wm"] {
            if let Some(number) = text
                .strip_prefix(prefix)
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            {
                return match percent(number) {
                    Some(n) if (0.0..=100.0).contains(&n) => known(),
                    _ => Err(NoStatistic::Percentile(text.to_owned())),
                };
            }
        }
        let parts = text.strip_suffix(')').and_then(|rest| rest.split_once('('));
        let Some((name, inner)) = parts else {
            return Err(NoStatistic::Unknown(text.to_owned()));
        };
        if !["PR", "TM", "TC", "TS", "WM"].contains(&name) {
            return Err(NoStatistic::Function(name.to_owned()));
        }
        match range(name, inner) {
            Some(()) => known(),
            None => Err(NoStatistic::Range(text.to_owned())),
        }
    }
}

fn is_plain(text: &str) -> bool {
    Statistic::PLAIN.contains(&text)
}

/// `low:high`, either of which may be left out, but not both; both in percent or neither.
fn range(name: &str, inner: &str) -> Option<()> {
    let (low, high) = inner.split_once(':')?;
    let bound = |text: &str| -> Option<Option<(f64, bool)>> {
        if text.is_empty() {
            return Some(None);
        }
        let (number, percent_sign) = match text.strip_suffix('%') {
            Some(number) => (number, true),
            None => (text, false),
        };
        let negative = number.strip_prefix('-').filter(|_| !percent_sign);
        let value = percent(negative.unwrap_or(number))?;
        let value = if negative.is_some() { -value } else { value };
        (!percent_sign || (0.0..=100.0).contains(&value)).then_some(Some((value, percent_sign)))
    };
    match (bound(low)?, bound(high)?) {
        (None, None) => None,
        (Some((low, a)), Some((high, b))) => {
            (a == b && low < high && !(name == "PR" && a)).then_some(())
        }
        (Some((_, percent)), None) | (None, Some((_, percent))) => {
            (!(name == "PR" && percent)).then_some(())
        }
    }
}

/// A number of at most ten decimal places.
fn percent(text: &str) -> Option<f64> {
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let places = text.split_once('.').map_or(0, |(_, places)| places.len());
    let fits = digits && places <= DECIMALS;
    text.parse().ok().filter(|_| fits)
}
