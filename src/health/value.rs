//! Values of signals on pages.

use super::{Pages, quantile};
use crate::catalog::exposition::{Page, Sample};
use crate::plan::{Family, Kind, Signal, Source};
use crate::promql;
use crate::promql::ast::MatchOp;
use crate::spec::{Across, Stat};
use crate::units::{Duration, Number, decimal};

/// Labels with the values that make a group; empty for the whole server.
pub(super) type Group = Vec<(String, String)>;

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
pub(super) fn value(r: &Reading<'_>, pages: Pages<'_>, group: &Group) -> Result<f64, String> {
    let scale = float(r.signal.value_scale(r.stat));
    let value = match &r.signal.source {
        Source::Raw(_) => return Err("it is PromQL of the author's".to_owned()),
        Source::Ratio { of, over, before } => ratio(r, of, over, before.as_deref(), pages, group)?,
        Source::Family(family) => match (r.signal.kind(), r.stat) {
            (Kind::Gauge, Stat::Slope) => {
                let (since, seconds) = pages.since.ok_or_else(needs_two)?;
                let now = gauge(r.signal, family, pages.now, group)?;
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
                let seconds = pages.since.ok_or_else(needs_two)?.1;
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
    pages: Pages<'_>,
    group: &Group,
) -> Result<f64, String> {
    let events = |signal: &Signal| {
        let stat = match signal.kind() {
            Kind::Counter | Kind::Histogram => Stat::Rate,
            Kind::Gauge | Kind::Ratio => Stat::Last,
        };
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
    pages: Pages<'_>,
    group: &Group,
) -> Result<f64, String> {
    let now = gauge(signal, family, pages.now, group)?;
    let before = pages
        .since
        .and_then(|(page, _)| gauge(signal, family, page, group).ok());
    let before = before.unwrap_or(now);
    Ok(match stat {
        Stat::Avg => (now + before) / 2.0,
        Stat::Min => now.min(before),
        Stat::Max => now.max(before),
        _ => now,
    })
}

fn gauge(signal: &Signal, family: &Family, page: &Page, group: &Group) -> Result<f64, String> {
    let values: Vec<f64> = samples(family, "", page, group).map(|s| s.value).collect();
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
fn grown(family: &Family, suffix: &str, pages: Pages<'_>, group: &Group) -> Result<f64, String> {
    let (since, _) = pages.since.ok_or_else(needs_two)?;
    let mut total = 0.0;
    let mut any = false;
    for sample in samples(family, suffix, pages.now, group) {
        any = true;
        total += growth(sample, family, suffix, since, group);
    }
    match any {
        true => Ok(total),
        false => Err(format!("`{}` is not on the page", family.names[0])),
    }
}

fn growth(sample: &Sample, family: &Family, suffix: &str, since: &Page, group: &Group) -> f64 {
    let before = samples(family, suffix, since, group).find(|old| same(old, sample));
    let before = before.map_or(0.0, |old| old.value);
    match sample.value < before {
        true => sample.value,
        false => sample.value - before,
    }
}

/// The same series: names and labels, in any order.
fn same(a: &Sample, b: &Sample) -> bool {
    a.name == b.name
        && a.labels.len() == b.labels.len()
        && a.labels.iter().all(|label| b.labels.contains(label))
}

fn buckets(family: &Family, pages: Pages<'_>, group: &Group) -> Result<Vec<(f64, f64)>, String> {
    let (since, _) = pages.since.ok_or_else(needs_two)?;
    let mut all: Vec<(f64, f64)> = Vec::new();
    for sample in samples(family, "_bucket", pages.now, group) {
        let Some(bound) = sample.label("le").and_then(bound) else {
            continue;
        };
        let count = growth(sample, family, "_bucket", since, group);
        match all.iter_mut().find(|(known, _)| *known == bound) {
            Some((_, sum)) => *sum += count,
            None => all.push((bound, count)),
        }
    }
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

/// Samples of a family under any of its names, in a group. What the scrape adds stands on no page, so that a
/// matcher on a label that no sample has selects them all.
fn samples<'p>(
    family: &'p Family,
    suffix: &'p str,
    page: &'p Page,
    group: &'p Group,
) -> impl Iterator<Item = &'p Sample> {
    let names: Vec<String> = family
        .names
        .iter()
        .map(|name| format!("{name}{suffix}"))
        .collect();
    let all = page.families.iter().flat_map(|f| &f.samples);
    all.filter(move |sample| names.contains(&sample.name))
        .filter(move |sample| {
            let fits = |(label, op, wanted): &(String, MatchOp, String)| match sample.label(label) {
                None => true,
                Some(value) => match op {
                    MatchOp::Equal => value == wanted,
                    MatchOp::NotEqual => value != wanted,
                    MatchOp::Match => promql::matches(wanted, value) == Some(true),
                    MatchOp::NotMatch => promql::matches(wanted, value) == Some(false),
                },
            };
            let inside = |(label, wanted): &(String, String)| {
                sample.label(label).is_none_or(|value| value == wanted)
            };
            family.matchers.iter().all(fits) && group.iter().all(inside)
        })
}

/// Groups that the labels of a query make on a page.
pub(super) fn groups(signal: &Signal, labels: &[String], page: &Page) -> Vec<Group> {
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
    let none = Vec::new();
    let mut found: Vec<Group> = Vec::new();
    for sample in samples(family, suffix, page, &none) {
        let group: Group = labels
            .iter()
            .filter_map(|label| Some((label.clone(), sample.label(label)?.to_owned())))
            .collect();
        if !found.contains(&group) {
            found.push(group);
        }
    }
    found
}
