//! Values of signals on pages.
//!
//! A counter that grew by 120 between two pages 60 seconds apart has the rate 2.

use std::collections::BTreeSet;

use super::index::{Group, Indexed, PageIndex};
use super::{Unknown, quantile};
use crate::plan::{DEFAULT_WINDOW, Family, Signal, SignalKind, Source};
use slosmith_catalog::Series;
use slosmith_catalog::exposition::Sample;
use slosmith_spec::spec::{Across, Stat};
use slosmith_text::units::{Duration, float};

pub(super) struct Measurement<'a> {
    signal: &'a Signal,
    stat: Stat,
    window: Duration,
}

impl<'a> Measurement<'a> {
    pub(super) fn new(signal: &'a Signal, stat: Stat, window: Duration) -> Self {
        Self {
            signal,
            stat,
            window,
        }
    }

    /// What a side of a ratio counts.
    pub(super) fn events(signal: &'a Signal) -> Self {
        Self::new(signal, signal.stat_in_ratio(), DEFAULT_WINDOW)
    }

    /// The value of the signal for one group, in its base unit; rates are per second.
    pub(super) fn value(&self, pages: &Indexed<'_>, group: &Group) -> Result<f64, Unknown> {
        let signal = self.signal;
        let value = match &signal.source {
            Source::Raw(_) => return Err(Unknown::OwnPromQl),
            Source::Ratio { of, over, before } => {
                ratio([of, over], before.as_deref(), pages, group)?
            }
            Source::Family(family) => match (signal.kind(), self.stat) {
                (SignalKind::Gauge, Stat::Slope) => {
                    let (since, seconds) = pages.since.as_ref().ok_or(Unknown::OnePage)?;
                    let now = gauge(signal, family, &pages.now, group)?;
                    (now - gauge(signal, family, since, group)?) / seconds
                }
                (SignalKind::Gauge, stat) => over_both(signal, family, stat, pages, group)?,
                (SignalKind::Histogram, Stat::Quantile(q)) => {
                    let buckets = buckets(family, pages, group)?;
                    quantile(float(q), &buckets).ok_or(Unknown::NothingObserved)?
                }
                (SignalKind::Histogram, Stat::Avg) => {
                    let sum = grown(family, Series::Sum, pages, group)?;
                    let count = grown(family, Series::Count, pages, group)?;
                    if count <= 0.0 {
                        return Err(Unknown::NothingObserved);
                    }
                    sum / count
                }
                (_, stat) => {
                    let seconds = pages.since.as_ref().ok_or(Unknown::OnePage)?.1;
                    let rate = grown(family, family.counted(), pages, group)? / seconds;
                    match stat {
                        Stat::Increase => rate * float(self.window.number()),
                        _ => rate,
                    }
                }
            },
        };
        Ok(value * float(signal.value_scale(self.stat)))
    }

    /// The same of a part, which counts as none while it has no series.
    pub(super) fn part_value(&self, pages: &Indexed<'_>, group: &Group) -> Result<f64, Unknown> {
        match self.value(pages, group) {
            Err(why) if why.has_no_series() => Ok(0.0),
            value => value,
        }
    }
}

fn ratio(
    [of, over]: [&Signal; 2],
    before: Option<&Signal>,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<f64, Unknown> {
    match (Measurement::events(over).value(pages, group), before) {
        (Ok(whole), _) if whole > 0.0 => {
            let part = Measurement::events(of).part_value(pages, group)?;
            Ok(part / whole)
        }
        (Ok(_), _) => Err(Unknown::NoEvents),
        (Err(_), Some(old)) => {
            Measurement::new(old, Stat::Last, DEFAULT_WINDOW).value(pages, group)
        }
        (Err(why), None) => Err(why),
    }
}

/// Why no sample of a family is selected: the page lacks the metric, or the values of its labels.
fn not_on_page(family: &Family, series: Series, page: &PageIndex<'_>) -> Unknown {
    let mut names = family.served.iter();
    match names.find(|name| page.has(&format!("{name}{}", series.suffix()))) {
        Some(name) if !family.matchers.is_empty() => {
            let matchers = family.matchers.iter();
            let matchers =
                matchers.map(|(label, op, value)| format!("{label}{}\"{value}\"", op.symbol()));
            Unknown::NotSelected(name.clone(), matchers.collect::<Vec<_>>().join(", "))
        }
        _ => Unknown::NotOnPage(family.served.newest().to_owned()),
    }
}

fn over_both(
    signal: &Signal,
    family: &Family,
    stat: Stat,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<f64, Unknown> {
    let now = gauge(signal, family, &pages.now, group)?;
    let since = pages.since.as_ref();
    let before = since.and_then(|(page, _)| gauge(signal, family, page, group).ok());
    let before = before.unwrap_or(now);
    Ok(match stat {
        Stat::Avg => (now + before) / 2.0,
        Stat::Min => now.min(before),
        Stat::Max => now.max(before),
        _ => now,
    })
}

fn gauge(
    signal: &Signal,
    family: &Family,
    page: &PageIndex<'_>,
    group: &Group,
) -> Result<f64, Unknown> {
    let samples = page.samples(family, Series::Whole, group);
    let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
    if values.is_empty() {
        return Err(not_on_page(family, Series::Whole, page));
    }
    let sum: f64 = values.iter().sum();
    Ok(match signal.across {
        Across::Sum => sum,
        Across::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Across::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
        Across::Avg => sum / f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX)),
    })
}

/// How much a counter grew; after a restart, what it has counted since.
fn grown(
    family: &Family,
    series: Series,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<f64, Unknown> {
    let (since, _) = pages.since.as_ref().ok_or(Unknown::OnePage)?;
    let samples = pages.now.samples(family, series, group);
    match samples.is_empty() {
        true => Err(not_on_page(family, series, &pages.now)),
        false => Ok(samples.into_iter().map(|s| growth(s, since)).sum()),
    }
}

fn growth(sample: &Sample, since: &PageIndex<'_>) -> f64 {
    let before = since.same(sample).unwrap_or(0.0);
    match sample.value < before {
        true => sample.value,
        false => sample.value - before,
    }
}

/// Upper bounds with counts, from the lowest bound on.
pub(super) fn buckets(
    family: &Family,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<Vec<(f64, f64)>, Unknown> {
    let (since, _) = pages.since.as_ref().ok_or(Unknown::OnePage)?;
    let samples = pages.now.samples(family, Series::Bucket, group);
    let counted = |s: &Sample| Some((s.label("le").and_then(bound)?, growth(s, since)));
    let mut all: Vec<_> = samples.into_iter().filter_map(counted).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0.0 };
        same
    });
    match all.is_empty() {
        true => Err(not_on_page(family, Series::Bucket, &pages.now)),
        false => Ok(all),
    }
}

fn bound(text: &str) -> Option<f64> {
    match text {
        "+Inf" => Some(f64::INFINITY),
        text => text.parse().ok(),
    }
}

/// Groups that the labels of a query make on the newest page; at least the whole server.
pub(super) fn groups_or_whole(
    signal: &Signal,
    labels: &[String],
    pages: &Indexed<'_>,
) -> Vec<Group> {
    let found = groups(signal, labels, &pages.now);
    match found.is_empty() {
        true => vec![Vec::new()],
        false => found,
    }
}

fn groups(signal: &Signal, labels: &[String], page: &PageIndex<'_>) -> Vec<Group> {
    let family = match &signal.source {
        Source::Family(family) => Some(family),
        Source::Ratio { over, .. } => over.family(),
        Source::Raw(_) => None,
    };
    let Some(family) = family else {
        return vec![Vec::new()];
    };
    let group = |sample: &Sample| -> Group {
        let labels = labels.iter();
        labels
            .filter_map(|label| Some((label.clone(), sample.label(label)?.to_owned())))
            .collect()
    };
    let mut known = BTreeSet::new();
    let samples = page
        .samples(family, family.counted(), &Vec::new())
        .into_iter();
    let groups = samples.map(group);
    groups.filter(|group| known.insert(group.clone())).collect()
}
