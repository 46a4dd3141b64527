//! Dimensions: under which of them a signal's metric is found.
//!
//! `latency` where `method` is `GET`, by `route`, is found under the smallest set that has `Method` and `Route`,
//! with `Method` fixed to `GET`.

use crate::plan::Signal;
use crate::plan::cloudwatch::{Delivery, Dimensions, Groups, Metric, NotExpressible};
use slosmith_cloudwatch::{is_searchable, limits};
use slosmith_promql::ast::MatchOp;

#[derive(Clone, Copy, Default)]
pub(super) struct Slice<'a> {
    /// Labels whose values stay apart.
    pub(super) by: &'a [String],
    /// Labels with the one value that is wanted, where the signal has them.
    pub(super) only: &'a [(String, String)],
}

/// The series of a signal's metric, with all its selections: one, or one for each value of some labels.
pub(super) fn dimensions(
    signal: &Signal,
    metric: &Metric,
    of: Slice<'_>,
) -> Result<Dimensions, NotExpressible> {
    let fixed = selected(signal, metric, of.only)?;
    if !of.by.is_empty() {
        return groups(metric, fixed, of.by).map(Dimensions::Each);
    }
    let names: Vec<_> = fixed.iter().map(|(name, _)| name.clone()).collect();
    let published = metric.delivery == Delivery::Published && metric.dimensions.is_empty();
    if published && !metric.dimension_sets.contains(&names) {
        let metric = metric.names.newest().to_owned();
        return Err(match names.is_empty() {
            true => NotExpressible::OnlyUnderDimensions(metric),
            false => NotExpressible::NotPublishedAlone {
                metric,
                dimensions: names,
            },
        });
    }
    Ok(Dimensions::Exactly(fixed))
}

/// Dimensions that have one value, sorted.
fn selected(
    signal: &Signal,
    metric: &Metric,
    only: &[(String, String)],
) -> Result<Vec<(String, String)>, NotExpressible> {
    let selected = signal.family().map_or(&[][..], |family| &family.matchers);
    let extra = selected.iter().filter(|m| !metric.covers.contains(m));
    let mut all = metric.dimensions.clone();
    for (label, op, value) in extra {
        if *op != MatchOp::Equal {
            return Err(NotExpressible::SelectedByPattern {
                signal: signal.name.clone(),
                label: label.clone(),
            });
        }
        all.push((dimension(metric, label)?, value.clone()));
    }
    let only = only.iter();
    for (label, value) in only.filter(|(label, _)| signal.labels.contains(label)) {
        let name = dimension(metric, label)?;
        if !all.iter().any(|(known, _)| *known == name) {
            all.push((name, value.clone()));
        }
    }
    let unfit = |value: &str| !limits::is_dimension_value(value);
    if let Some((name, _)) = all.iter().find(|(_, value)| unfit(value)) {
        return Err(NotExpressible::DimensionValue(name.clone()));
    }
    all.sort();
    Ok(all)
}

fn dimension(metric: &Metric, label: &str) -> Result<String, NotExpressible> {
    let known = metric.labels.iter().find(|(known, _)| known == label);
    match (known, metric.delivery) {
        (Some((_, dimension)), _) => Ok(dimension.clone()),
        (None, Delivery::Scraped) => Ok(label.to_owned()),
        (None, _) => Err(NotExpressible::NoDimension {
            metric: metric.names.newest().to_owned(),
            label: label.to_owned(),
        }),
    }
}

/// The smallest set of dimensions that distinguishes the values of some labels.
fn groups(
    metric: &Metric,
    fixed: Vec<(String, String)>,
    by: &[String],
) -> Result<Groups, NotExpressible> {
    let shown: Vec<String> = by
        .iter()
        .map(|label| dimension(metric, label))
        .collect::<Result<_, _>>()?;
    let mut wanted = shown.clone();
    let more = fixed.iter().map(|(name, _)| name.clone());
    wanted.extend(more.filter(|name| !shown.contains(name)));
    let set = if metric.delivery == Delivery::Scraped {
        wanted
    } else {
        let has_all = |set: &&Vec<String>| wanted.iter().all(|name| set.contains(name));
        let sets = metric.dimension_sets.iter().filter(has_all);
        let smallest = sets.min_by_key(|set| set.len()).cloned();
        smallest.ok_or_else(|| NotExpressible::NotPublished {
            metric: metric.names.newest().to_owned(),
            dimensions: wanted,
        })?
    };
    let texts = fixed.iter().flat_map(|(name, value)| [name, value]);
    let texts = texts
        .chain(&set)
        .chain(metric.names.iter())
        .chain([&metric.namespace]);
    if !texts.into_iter().all(|text| is_searchable(text)) {
        return Err(NotExpressible::Unsearchable(
            metric.names.newest().to_owned(),
        ));
    }
    Ok(Groups { set, fixed, shown })
}
