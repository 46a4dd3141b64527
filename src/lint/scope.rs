//! What queries are judged against: releases, profiles, labels.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ReleaseId, Selection};
use crate::config::Config;
use crate::promql::Release;
use crate::units::Duration;

/// Labels that Prometheus and its operator add when they scrape; vLLM's pages never show them.
const ADDED_BY_SCRAPE: [&str; 8] = [
    "container",
    "endpoint",
    "instance",
    "job",
    "namespace",
    "node",
    "pod",
    "service",
];

/// What most installations scrape by, unless something else is given.
const USUAL_INTERVAL: Duration = Duration::from_secs(15);

/// What the names of families that many exporters have begin with.
const GENERAL: [&str; 5] = ["go_", "http_", "process_", "promhttp_", "python_"];

/// A recorded product and the part of its recordings that counts.
#[derive(Clone, Debug)]
pub struct Product<'c> {
    /// What messages call it.
    pub name: String,
    /// Its recordings.
    pub catalog: &'c Catalog,
    /// The releases that every query must be right on.
    pub selection: Selection,
    /// The serving configurations in use; none means the default one.
    pub profiles: Vec<String>,
}

impl Product<'_> {
    /// Releases in words: `0.12.0–0.33.0`.
    pub fn describe(&self, releases: &[ReleaseId]) -> String {
        self.catalog.describe(releases)
    }

    /// True when the name begins as only this product's do, whether it exists or not.
    pub(super) fn claims(&self, name: &str) -> bool {
        let prefix = self.catalog.prefix();
        !prefix.is_empty() && name.starts_with(prefix)
    }

    /// True when a family of this name, if the product has one, can only be the product's: names such as
    /// `process_start_time_seconds` are everybody's.
    pub(super) fn owns(&self, name: &str) -> bool {
        if self.catalog.prefix().is_empty() {
            !GENERAL.iter().any(|prefix| name.starts_with(prefix))
        } else {
            self.claims(name)
        }
    }
}

/// What queries are judged against.
#[derive(Clone, Debug)]
pub struct Scope<'c> {
    /// vLLM first, then the services whose catalogs were given.
    pub products: Vec<Product<'c>>,
    /// Labels that are added on the way from the page to the query.
    labels: BTreeSet<String>,
    /// The configuration says which labels are added: there are no others.
    has_all_labels: bool,
    /// Matchers that mark a selector as one of vLLM's servers: label and value.
    tied: Vec<(String, String)>,
    /// Series that recording rules of the files at hand write, and that their specs declare.
    recorded: BTreeSet<String>,
    /// How often Prometheus scrapes.
    pub scrape_interval: Duration,
    /// The oldest Prometheus that must read the queries.
    pub prometheus: Option<Release>,
}

impl<'c> Scope<'c> {
    /// A scope in which the usual labels of a scrape are known, and no others.
    pub fn new(products: Vec<Product<'c>>) -> Self {
        Self {
            products,
            labels: ADDED_BY_SCRAPE.map(str::to_owned).into(),
            has_all_labels: false,
            tied: vec![("job".to_owned(), "vllm".to_owned())],
            recorded: BTreeSet::new(),
            scrape_interval: USUAL_INTERVAL,
            prometheus: None,
        }
    }

    /// The scope that a configuration describes.
    pub fn configured(products: Vec<Product<'c>>, config: &Config) -> Self {
        let mut scope = Self::new(products);
        scope
            .labels
            .extend(config.labels.iter().map(|label| label.value.clone()));
        let tied = config
            .selector
            .iter()
            .map(|(label, value)| (label.clone(), value.clone()));
        scope.tied.extend(tied);
        // Whoever selects by a label has it.
        scope.labels.extend(config.selector.keys().cloned());
        scope.has_all_labels = !config.labels.is_empty();
        scope.prometheus = config.prometheus;
        scope.scrape_interval = config.scrape_interval.unwrap_or(scope.scrape_interval);
        scope
    }

    /// Adds series that recording rules write.
    #[must_use]
    pub fn recorded(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.recorded.extend(names);
        self
    }

    /// Adds labels, and series of other exporters, that specs declare.
    #[must_use]
    pub(super) fn declared(mut self, labels: Vec<String>, series: Vec<String>) -> Self {
        let own = |name: &String| self.products.iter().any(|product| product.claims(name));
        let series: Vec<_> = series.into_iter().filter(|name| !own(name)).collect();
        self.labels.extend(labels);
        self.recorded.extend(series);
        self
    }

    /// Labels that are added on the way, sorted.
    pub fn added_labels(&self) -> &BTreeSet<String> {
        &self.labels
    }

    /// True when the labels that are added are known to be all of them.
    pub fn has_all_labels(&self) -> bool {
        self.has_all_labels
    }

    /// True when a recording rule at hand writes the series.
    pub fn is_recorded(&self, name: &str) -> bool {
        self.recorded.contains(name)
    }

    /// True for a series that another exporter has and no product.
    pub(super) fn is_only_foreign(&self, name: &str) -> bool {
        let mut catalogs = self.products.iter().map(|product| product.catalog);
        catalogs.any(|c| {
            name.starts_with(c.prefix())
                && c.foreign().find(name).is_some()
                && c.series_of(name).is_none()
        })
    }

    /// True when a matcher says that vLLM's servers are meant.
    pub(super) fn ties(&self, label: &str, value: &str) -> bool {
        self.tied.iter().any(|(l, v)| l == label && v == value)
    }
}
