//! The releases, profiles and labels that queries are checked against.

use std::collections::{BTreeMap, BTreeSet};

use super::live::Live;
use super::pins::Pin;
use super::spec::{Declared, Own, RecordedSlo, Shapes};
use slosmith_catalog::{ADDED_BY_SCRAPE, Product, Range, ReleaseId, Shape, VLLM, meant};
use slosmith_promql::Release;
use slosmith_spec::config::Config;
use slosmith_text::source::FileId;
use slosmith_text::units::Duration;

/// The usual scrape interval, unless another one is configured.
const USUAL_INTERVAL: Duration = Duration::from_secs(15);

#[derive(Clone, Debug)]
pub struct Scope<'c> {
    /// vLLM first if it is among them, then other servers, then the services whose catalogs were given.
    pub products: Vec<Product<'c>>,
    labels: BTreeSet<String>,
    has_all_labels: bool,
    tied: Vec<(String, String)>,
    /// Series that recording rules of the same files write.
    recorded: BTreeSet<String>,
    declared: Shapes,
    /// The queries are those of the spec that declares the series.
    is_spec: bool,
    /// The labels of all declared series.
    pub(super) targets: Vec<String>,
    /// SLOs of the specs among the same files.
    slos: Vec<RecordedSlo>,
    /// What the specs among the same files say of their own queries.
    own: BTreeMap<FileId, Own>,
    pub names: Vec<String>,
    published: BTreeSet<String>,
    pub scrape_interval: Duration,
    /// The oldest Prometheus that must support the queries.
    pub prometheus: Option<Release>,
    pins: Vec<Pin>,
    own_labels: BTreeSet<&'c str>,
    /// Series of other exporters that begin as those of a product do.
    only_foreign: BTreeSet<&'c str>,
    /// A file of the project replaces bucket boundaries of the servers.
    replaces_buckets: bool,
    /// The server that rules may ask.
    live: Option<Live<'c>>,
}

/// The help of a finding about boundaries that servers can replace.
pub(super) const UNLESS: &str = "if the servers run with `--custom-histogram-buckets`, set `custom_histogram_buckets` in the spec, or add the deployment to the files";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundaries {
    /// Servers cannot replace them.
    Recorded,
    /// An option of the server replaces them, and no file of the project has the option.
    Replaceable,
    /// A file of the project has the option.
    Replaced,
}

impl<'c> Scope<'c> {
    pub fn new(products: Vec<Product<'c>>) -> Self {
        Self {
            own_labels: products.iter().flat_map(Product::own_labels).collect(),
            only_foreign: products.iter().flat_map(Product::only_foreign).collect(),
            products,
            labels: ADDED_BY_SCRAPE.map(str::to_owned).into(),
            has_all_labels: false,
            tied: vec![("job".to_owned(), "vllm".to_owned())],
            recorded: BTreeSet::new(),
            declared: Shapes::new(),
            is_spec: false,
            targets: Vec::new(),
            slos: Vec::new(),
            own: BTreeMap::new(),
            names: Vec::new(),
            published: BTreeSet::new(),
            scrape_interval: USUAL_INTERVAL,
            prometheus: None,
            pins: Vec::new(),
            replaces_buckets: false,
            live: None,
        }
    }

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
        // A label in `selector` exists.
        scope.labels.extend(config.selector.keys().cloned());
        scope.has_all_labels = !config.labels.is_empty();
        scope.names = config.names.iter().map(|at| at.value.clone()).collect();
        scope.prometheus = config.prometheus;
        scope.scrape_interval = config.scrape_interval.unwrap_or(scope.scrape_interval);
        scope
    }

    /// With a server that rules may ask.
    #[must_use]
    pub fn asking(mut self, live: Option<Live<'c>>) -> Self {
        self.live = live;
        self
    }

    pub fn live(&self) -> Option<Live<'c>> {
        self.live
    }

    #[must_use]
    pub fn recorded(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.recorded.extend(names);
        self
    }

    /// What has recordings beside vLLM: other servers, and services of the project.
    pub(super) fn others(&self) -> &[Product<'c>] {
        let begins = self
            .products
            .first()
            .is_some_and(|product| product.key == VLLM);
        self.products.get(usize::from(begins)..).unwrap_or_default()
    }

    /// SLOs of the specs among the same files.
    pub(super) fn slos(&self) -> &[RecordedSlo] {
        &self.slos
    }

    #[must_use]
    pub fn published(mut self, names: impl IntoIterator<Item = String>) -> Self {
        let bare = |name: String| bare(&name).to_owned();
        self.published.extend(names.into_iter().map(bare));
        self
    }

    /// The prefixes that a product's names have in the store: `sglang_` is SGLang's. Others are vLLM's.
    pub(super) fn names_of(&self, product: &Product<'_>) -> Vec<&str> {
        let stem = |product: &Product<'c>| {
            let prefix = product.catalog.prefix();
            prefix.trim_end_matches([':', '_']).to_owned()
        };
        let owner = |name: &str| {
            let mut others = self.others().iter();
            let owns =
                |other: &&Product<'c>| !stem(other).is_empty() && name.contains(&stem(other));
            others.find(owns).map_or(VLLM, |other| other.key.as_str()) == product.key
        };
        let names = self.names.iter().map(String::as_str);
        names.filter(|name| owner(name)).collect()
    }

    #[must_use]
    pub fn pinned(mut self, pins: impl IntoIterator<Item = Pin>) -> Self {
        self.pins.extend(pins);
        self
    }

    #[must_use]
    pub fn replacing_buckets(mut self, replaces: bool) -> Self {
        self.replaces_buckets = replaces;
        self
    }

    /// Whether servers of a release may have other boundaries of a histogram than the recorded ones.
    pub(super) fn boundaries(
        &self,
        product: &Product<'_>,
        family: &str,
        release: ReleaseId,
    ) -> Boundaries {
        let option = product.catalog.lineage().open.own_buckets.as_ref();
        let version = product.catalog.release(release).version();
        match option.filter(|option| option.key(family).is_some() && option.first <= *version) {
            None => Boundaries::Recorded,
            Some(_) if self.replaces_buckets => Boundaries::Replaced,
            Some(_) => Boundaries::Replaceable,
        }
    }

    pub(super) fn pin_with(&self, product: &Product<'_>, family: &str) -> Option<&Pin> {
        let catalog = product.catalog;
        let has = |pin: &&Pin| {
            let selection = catalog.select(&pin.release).ok();
            let coverage = selection.map(|s| catalog.coverage(family, &s, &product.profiles));
            coverage.is_some_and(|coverage| !coverage.present.is_empty())
        };
        self.pins
            .iter()
            .filter(|_| product.is_guess && product.key == VLLM)
            .find(has)
    }

    #[must_use]
    pub fn adding(mut self, labels: impl IntoIterator<Item = String>) -> Self {
        self.labels.extend(labels);
        self
    }

    #[must_use]
    pub(super) fn declared(mut self, declared: Declared) -> Self {
        let Declared {
            labels,
            series,
            names,
            slos,
            own,
        } = declared;
        self.own.extend(own);
        self.slos.extend(slos);
        self.declared = series;
        // The queries of other files may have labels that scrapes of theirs add.
        let shapes = self.declared.values_mut().flatten();
        shapes.for_each(|shape| shape.open_labels = true);
        self.labels.extend(labels);
        // Specs that have the served names say nothing of the stores of other files.
        if names.iter().any(|name| !self.is_own_prefix(name)) {
            self.names.extend(names);
        }
        self
    }

    fn is_own_prefix(&self, name: &str) -> bool {
        let mut products = self.products.iter();
        products.any(|product| product.catalog.prefix() == name)
    }

    #[must_use]
    pub(super) fn of_spec(mut self, file: FileId) -> Self {
        let Some(own) = self.own.get(&file).cloned() else {
            return self;
        };
        self.has_all_labels |= own.has_all_labels;
        self.scrape_interval = own.scrape_interval;
        self.declared = own.series;
        self.is_spec = true;
        self.targets = own.targets;
        let range = own.range.and_then(|range| Range::parse(&range).ok());
        let mut products = self.products.iter_mut();
        let vllm = products.find(|product| product.key == VLLM);
        if let Some((vllm, range)) = vllm.zip(range)
            && let Ok(selection) = vllm.catalog.select(&range)
        {
            vllm.selection = selection;
            vllm.is_guess = false;
        }
        self
    }

    pub fn added_labels(&self) -> &BTreeSet<String> {
        &self.labels
    }

    pub(super) fn own_labels(&self) -> &BTreeSet<&'c str> {
        &self.own_labels
    }

    pub fn is_spec(&self) -> bool {
        self.is_spec
    }

    pub fn has_all_labels(&self) -> bool {
        self.has_all_labels
    }

    pub fn is_recorded(&self, name: &str) -> bool {
        self.recorded.contains(name)
    }

    /// What a spec declares of a series; what a recording has is known better.
    pub(super) fn declared_shape(&self, name: &str) -> Option<&Option<Shape>> {
        let shape = self.declared.get(name)?;
        let is_recorded = |product: &Product<'_>| {
            product.claims(name) || product.owns(name) && product.catalog.series_of(name).is_some()
        };
        (!self.products.iter().any(is_recorded)).then_some(shape)
    }

    /// The declared series that was probably meant by a name in a query of the spec.
    pub(super) fn declared_name(&self, name: &str) -> Option<String> {
        if !self.is_spec {
            return None;
        }
        let known: Vec<_> = self.declared.keys().map(String::as_str).collect();
        // The list of metrics is not complete: short words, as in `rx_bytes` and `tx_bytes`, may be others.
        let is_long = |(one, other): (&str, &str)| one == other || one.len().min(other.len()) > 4;
        let meant = meant(name, &known)?;
        let mut words = name.split('_').zip(meant.split('_'));
        words.all(is_long).then(|| meant.to_owned())
    }

    pub(super) fn is_published(&self, name: &str) -> bool {
        !self.published.is_empty() && self.published.contains(bare(name))
    }

    pub(super) fn is_only_foreign(&self, name: &str) -> bool {
        self.only_foreign.contains(name)
    }

    pub(super) fn ties(&self, label: &str, value: &str) -> bool {
        self.tied.iter().any(|(l, v)| l == label && v == value)
    }
}

/// What client libraries and OpenTelemetry append to the name of a metric.
const APPENDED: [&str; 12] = [
    "_bucket",
    "_bytes",
    "_count",
    "_created",
    "_info",
    "_max",
    "_milliseconds",
    "_min",
    "_ratio",
    "_seconds",
    "_sum",
    "_total",
];

/// A name without what is appended to it.
fn bare(mut name: &str) -> &str {
    while let Some(rest) = APPENDED.iter().find_map(|end| name.strip_suffix(end)) {
        name = rest;
    }
    name
}
