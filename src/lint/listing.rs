//! The metrics that CloudWatch had when `slosmith cloudwatch list-metrics` asked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::artifact::{Dimensions, NamedMetric, Resource};
use crate::diag::nearest;

/// Dimensions of a series with their values.
pub(super) type Series<'a> = BTreeMap<&'a str, &'a str>;

/// What is known of a metric of a namespace that was listed.
pub(super) enum Found<'a> {
    /// CloudWatch had these series of it.
    Series(Vec<Series<'a>>),
    /// CloudWatch had none of it.
    Nothing {
        /// The day.
        date: &'a str,
        /// A name of that namespace that may be meant.
        nearest: Option<&'a str>,
    },
}

/// All metrics of some namespaces.
pub(super) struct Listing<'a> {
    /// When they were listed: `2026-11-22`.
    date: &'a str,
    namespaces: BTreeSet<&'a str>,
    series: BTreeMap<(&'a str, &'a str), Vec<Series<'a>>>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(resource: &'a Resource) -> Self {
        let items = |key: &str| resource.request[key].as_array().into_iter().flatten();
        let mut series: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for metric in items("Metrics") {
            let text = |key: &str| metric[key].as_str().unwrap_or_default();
            let key = (text("Namespace"), text("MetricName"));
            series.entry(key).or_default().push(dimensions(metric));
        }
        Self {
            date: resource.request["Date"].as_str().unwrap_or_default(),
            namespaces: items("Namespaces").filter_map(Value::as_str).collect(),
            series,
        }
    }

    /// What is known of a metric, if its namespace was listed.
    pub(super) fn find(&self, metric: &NamedMetric) -> Option<Found<'a>> {
        let namespace = *self.namespaces.get(metric.namespace.as_str())?;
        if let Some(series) = self.series.get(&(namespace, metric.name.as_str())) {
            return Some(Found::Series(series.clone()));
        }
        let names = self.series.keys().filter(|(of, _)| *of == namespace);
        Some(Found::Nothing {
            date: self.date,
            nearest: nearest(&metric.name, names.map(|(_, name)| *name)),
        })
    }
}

fn dimensions(metric: &Value) -> Series<'_> {
    let all = metric["Dimensions"].as_array().into_iter().flatten();
    all.filter_map(|d| Some((d["Name"].as_str()?, d["Value"].as_str()?)))
        .collect()
}

/// True for a series that dimensions may mean.
pub(super) fn is(series: &Series<'_>, wanted: &Dimensions) -> bool {
    let fits = |(name, value): (&String, &Option<String>)| {
        let own = series.get(name.as_str());
        own.is_some_and(|own| value.as_ref().is_none_or(|value| value == own))
    };
    series.len() == wanted.len() && wanted.iter().all(fits)
}
