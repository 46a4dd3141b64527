//! Series and their samples.

use std::collections::BTreeMap;

use crate::ast::{AtOffset, MatchOp, Selector};

/// Labels with the name among them, sorted.
pub type Labels = BTreeMap<String, String>;

/// A sample at each step, or none.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) labels: Labels,
    pub(super) samples: Vec<Option<f64>>,
    /// Steps from one sample to the next.
    pub(super) every: usize,
}

impl Series {
    pub(super) fn meets(&self, selector: &Selector) -> bool {
        let value = |label: &str| self.labels.get(label).map_or("", String::as_str);
        let named = selector.metric.as_ref();
        named.is_none_or(|name| value("__name__") == name.text)
            && selector.matchers.iter().all(|m| {
                let (wanted, value) = (&m.value.value, value(&m.label.text));
                match m.op {
                    MatchOp::Equal => value == wanted,
                    MatchOp::NotEqual => value != wanted,
                    MatchOp::Match => crate::matches(wanted, value) == Some(true),
                    MatchOp::NotMatch => crate::matches(wanted, value) == Some(false),
                }
            })
    }
}

/// The labels that a selector of equalities spells.
pub(super) fn labels(selector: &Selector) -> Option<Labels> {
    let mut labels = Labels::new();
    labels.insert("__name__".into(), selector.metric.as_ref()?.text.clone());
    for m in selector
        .matchers
        .iter()
        .filter(|m| !m.value.value.is_empty())
    {
        labels.insert(m.label.text.clone(), m.value.value.clone());
    }
    Some(labels)
}

/// Labels without the name.
pub(super) fn unnamed(mut labels: Labels) -> Labels {
    labels.remove("__name__");
    labels
}

/// Seconds of an offset; `None` of what the model does not know.
pub(super) fn offset(at: &AtOffset) -> Option<i64> {
    let plain = at.at.is_none() && at.bounds.is_none();
    plain.then(|| at.offset.as_ref().map_or(0, |d| d.millis / 1_000))
}

/// The samples of promtool's notation: `0 6+6x2` is 0, 6, 12, 18. They are added up as promtool does.
pub(super) fn expand(text: &str) -> Option<Vec<Option<f64>>> {
    let mut samples = Vec::new();
    for part in text.split_ascii_whitespace() {
        if let Some(none) = part.strip_prefix('_').or(part.strip_prefix("stale")) {
            let times = none.strip_prefix('x').unwrap_or("1");
            samples.resize(samples.len() + times.parse::<usize>().ok()?, None);
            continue;
        }
        let Some((values, times)) = part.split_once('x') else {
            samples.push(Some(part.parse().ok()?));
            continue;
        };
        let sign = values.rfind(['+', '-']).filter(|at| *at > 0)?;
        let (mut value, more): (f64, f64) =
            (values[..sign].parse().ok()?, values[sign..].parse().ok()?);
        for _ in 0..=times.parse::<u64>().ok()? {
            samples.push(Some(value));
            value += more;
        }
    }
    Some(samples)
}
