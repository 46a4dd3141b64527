//! Values of signals on pages.

use std::collections::BTreeSet;

use super::index::{Group, Indexed, PageIndex};
use super::quantile;
use crate::catalog::exposition::Sample;
use crate::plan::{Family, Kind, Signal, Source};
use crate::spec::{Across, Stat};
use crate::units::{Duration, Number, decimal};

/// How a signal is read.
pub(super) struct Reading<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Stat,
    pub(super) window: Duration,
}

/// The value of a signal for one group, in its base unit; rates are per second.
///
/// # Errors
/// Says why the pages do not tell.
pub(super) fn value(r: &Reading<'_>, pages: &Indexed<'_>, group: &Group) -> Result<f64, String> {
    let scale = float(r.signal.value_scale(r.stat));
    let value = match &r.signal.source {
        Source::Raw(_) => return Err("it is PromQL of the author's".to_owned()),
        Source::Ratio { of, over, before } => ratio(r, of, over, before.as_deref(), pages, group)?,
        Source::Family(family) => match (r.signal.kind(), r.stat) {
            (Kind::Gauge, Stat::Slope) => {
                let (since, seconds) = pages.since.as_ref().ok_or_else(needs_two)?;
                let now = gauge(r.signal, family, &pages.now, group)?;
                (now - gauge(r.signal, family, since, group)?) / seconds
            }
            (Kind::Gauge, stat) => over_both(r.signal, family, stat, pages, group)?,
            (Kind::Histogram, Stat::Quantile(q)) => {
                let buckets = buckets(family, pages, group)?;
                quantile(float(q), &buckets).ok_or("nothing was observed between the pages")?
            }
            (Kind::Histogram, Stat::Avg) => {
                let sum = grown(family, "_sum", pages, group)?;
                let count = grown(family, "_count", pages, group)?;
                if count <= 0.0 {
                    return Err("nothing was observed between the pages".to_owned());
                }
                sum / count
            }
            (kind, stat) => {
                let suffix = if kind == Kind::Histogram {
                    "_count"
                } else {
                    ""
                };
                let seconds = pages.since.as_ref().ok_or_else(needs_two)?.1;
                let rate = grown(family, suffix, pages, group)? / seconds;
                match stat {
                    Stat::Increase => rate * float(r.window.number()),
                    _ => rate,
                }
            }
        },
    };
    Ok(value * scale)
}

pub(super) fn float(value: Number) -> f64 {
    decimal(value).parse().unwrap_or(f64::NAN)
}

fn needs_two() -> String {
    "it needs an earlier page (`--since`)".to_owned()
}

fn ratio(
    r: &Reading<'_>,
    of: &Signal,
    over: &Signal,
    before: Option<&Signal>,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<f64, String> {
    let events = |signal: &Signal| {
        let stat = signal.stat_in_ratio();
        let window = r.window;
        value(
            &Reading {
                signal,
                stat,
                window,
            },
            pages,
            group,
        )
    };
    match (events(over), before) {
        (Ok(whole), _) if whole > 0.0 => {
            // A part without any series yet counts as none.
            let part = match events(of) {
                Err(why) if why == absent(of) => 0.0,
                other => other?,
            };
            Ok(part / whole)
        }
        (Ok(_), _) => Err("there were no events between the pages".to_owned()),
        (Err(_), Some(old)) => {
            let stat = Stat::Last;
            let window = r.window;
            value(
                &Reading {
                    signal: old,
                    stat,
                    window,
                },
                pages,
                group,
            )
        }
        (Err(why), None) => Err(why),
    }
}

fn absent(signal: &Signal) -> String {
    let name = signal.family().and_then(|family| family.names.first());
    format!(
        "`{}` is not on the page",
        name.map_or(signal.name.as_str(), String::as_str)
    )
}

/// Minimum, maximum and mean of what both pages show.
fn over_both(
    signal: &Signal,
    family: &Family,
    stat: Stat,
    pages: &Indexed<'_>,
    group: &Group,
) -> Result<f64, String> {
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
) -> Result<f64, String> {
    let samples = page.samples(family, "", group);
    let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
    if values.is_empty() {
        return Err(absent(signal));
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
fn grown(family: &Family, suffix: &str, pages: &Indexed<'_>, group: &Group) -> Result<f64, String> {
    let (since, _) = pages.since.as_ref().ok_or_else(needs_two)?;
    let samples = pages.now.samples(family, suffix, group);
    match samples.is_empty() {
        true => Err(format!("`{}` is not on the page", family.names[0])),
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
fn buckets(family: &Family, pages: &Indexed<'_>, group: &Group) -> Result<Vec<(f64, f64)>, String> {
    let (since, _) = pages.since.as_ref().ok_or_else(needs_two)?;
    let samples = pages.now.samples(family, "_bucket", group);
    let counted = |s: &Sample| Some((s.label("le").and_then(bound)?, growth(s, since)));
    let mut all: Vec<_> = samples.into_iter().filter_map(counted).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0.0 };
        same
    });
    match all.is_empty() {
        true => Err(format!("`{}` is not on the page", family.names[0])),
        false => Ok(all),
    }
}

fn bound(text: &str) -> Option<f64> {
    match text {
        "+Inf" => Some(f64::INFINITY),
        text => text.parse().ok(),
    }
}

/// Groups that the labels of a query make on a page.
pub(super) fn groups(signal: &Signal, labels: &[String], page: &PageIndex<'_>) -> Vec<Group> {
    let family = match &signal.source {
        Source::Family(family) => Some(family),
        Source::Ratio { over, .. } => over.family(),
        Source::Raw(_) => None,
    };
    let Some(family) = family else {
        return vec![Vec::new()];
    };
    let suffix = match family.kind {
        crate::spec::Kind::Histogram => "_count",
        _ => "",
    };
    let group = |sample: &Sample| -> Group {
        let labels = labels.iter();
        labels
            .filter_map(|label| Some((label.clone(), sample.label(label)?.to_owned())))
            .collect()
    };
    let mut known = BTreeSet::new();
    let samples = page.samples(family, suffix, &Vec::new()).into_iter();
    let groups = samples.map(group);
    groups.filter(|group| known.insert(group.clone())).collect()
}
