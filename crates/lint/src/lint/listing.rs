//! The metrics that `slosmith cloudwatch list-metrics` found in CloudWatch.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::artifact::{Dimensions, NamedMetric, Resource};
use slosmith_text::diag::nearest;

pub(super) type Series<'a> = BTreeMap<&'a str, &'a str>;

pub(super) enum Found<'a> {
    Series(Vec<Series<'a>>),
    Nothing {
        date: &'a str,
        nearest: Option<&'a str>,
    },
}

#[derive(Default)]
pub(super) struct Listing<'a> {
    /// The day of the latest listing: `2026-11-22`.
    date: &'a str,
    namespaces: BTreeSet<&'a str>,
    series: BTreeMap<(&'a str, &'a str), Vec<Series<'a>>>,
}

impl<'a> Listing<'a> {
    pub(super) fn of(resources: impl Iterator<Item = &'a Resource>) -> Self {
        let mut all = Self::default();
        for Resource { request, .. } in resources {
            let items = |key: &str| request[key].as_array().into_iter().flatten();
            for metric in items("Metrics") {
                let text = |key: &str| metric[key].as_str().unwrap_or_default();
                let key = (text("Namespace"), text("MetricName"));
                all.series.entry(key).or_default().push(dimensions(metric));
            }
            all.namespaces
                .extend(items("Namespaces").filter_map(Value::as_str));
            all.date = all.date.max(request["Date"].as_str().unwrap_or_default());
        }
        all
    }

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

pub(super) fn is(series: &Series<'_>, wanted: &Dimensions) -> bool {
    let fits = |(name, value): (&String, &Option<String>)| {
        let own = series.get(name.as_str());
        own.is_some_and(|own| value.as_ref().is_none_or(|value| value == own))
    };
    series.len() == wanted.len() && wanted.iter().all(fits)
}
