//! The values that a person looks at first, whether something is wrong or not.
//!
//! `P95 of Time to first token: 230ms between the two snapshots`

use super::index::Indexed;
use super::value::Measurement;
use super::{Pages, Unknown};
use crate::plan::{DEFAULT_WINDOW, Signal, words};
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Number, shown_measured};

/// How the signals of an engine are read that everybody looks at first.
pub const HEADLINES: [(&str, Stat); 5] = [
    ("time_to_first_token", Stat::Quantile(P95)),
    ("generation_tokens", Stat::Rate),
    ("requests_waiting", Stat::Last),
    ("requests_running", Stat::Last),
    ("kv_cache_usage", Stat::Last),
];

const P95: Number = Number::new_raw(19, 20);

#[derive(Clone, Debug)]
pub struct Headline {
    pub signal: Signal,
    pub stat: Stat,
}

#[derive(Clone, Debug)]
pub struct Shown {
    pub title: String,
    pub value: Result<f64, Unknown>,
    pub text: String,
}

pub fn headlines(headlines: &[Headline], pages: Pages<'_>) -> Vec<Shown> {
    let (pages, start) = (Indexed::new(pages), Indexed::or_since_start(pages));
    let shown = headlines.iter().map(|h| {
        // All requests since the start have percentiles; only the length of that time is not known.
        let pages = match h.stat {
            Stat::Quantile(_) => &start,
            _ => &pages,
        };
        h.read(pages)
    });
    shown.collect()
}

impl Headline {
    fn read(&self, pages: &Indexed<'_>) -> Shown {
        let measured = Measurement::new(&self.signal, self.stat, DEFAULT_WINDOW);
        let value = measured.value(pages, &Vec::new());
        let text = match &value {
            Ok(value) => self.shown(*value, pages),
            Err(why) => why.to_string(),
        };
        Shown {
            title: words::capital(&words::reading(&self.signal, self.stat, DEFAULT_WINDOW)),
            value,
            text,
        }
    }

    fn shown(&self, value: f64, pages: &Indexed<'_>) -> String {
        let number = shown_measured(value, self.signal.unit);
        match self.stat {
            Stat::Last => number,
            Stat::Rate => format!("{number}/s {}", pages.span()),
            _ => format!("{number} {}", pages.span()),
        }
    }
}
