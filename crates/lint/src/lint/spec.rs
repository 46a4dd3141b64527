//! Specs: the diagnostics of `build`, and the labels and series that specs declare for the files beside them.

use std::collections::BTreeMap;

use super::rules::policy;
use slosmith_catalog::{MetricType, Product, Shape};
use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo};
use slosmith_promql::Series;
use slosmith_resolve::{Options, resolve};
use slosmith_spec::config::Policy;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, FamilyKind, Signal, Spec};
use slosmith_text::diag::Sink;
use slosmith_text::source::FileId;
use slosmith_text::units::{Duration, Number, Quantity, decimal};

/// The series that declared metrics may have, and what is known of those that they have.
pub(super) type Shapes = BTreeMap<String, Option<Shape>>;

/// Facts from specs about the queries that were generated from them.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) labels: Vec<String>,
    pub(super) series: Shapes,
    pub(super) names: Vec<String>,
    pub(super) slos: Vec<RecordedSlo>,
    pub(super) own: BTreeMap<FileId, Own>,
}

/// What the PromQL in a file of a spec is checked against.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// The vLLM releases, if the service runs vLLM.
    pub(super) range: Option<String>,
    pub(super) has_all_labels: bool,
    pub(super) scrape_interval: Duration,
    pub(super) series: Shapes,
    pub(super) targets: Vec<String>,
}

/// An SLO whose series the rules of a spec record.
#[derive(Clone, Debug)]
pub(super) struct RecordedSlo {
    pub(super) service: String,
    pub(super) name: String,
    /// The recorded series, with the value of the label `window`; none for a spec with errors.
    pub(super) series: Option<Vec<(&'static str, Option<Duration>)>>,
}

pub(super) fn lint(
    parts: &[(FileId, &str)],
    (vllm, policy): (Option<&str>, Option<&Policy>),
    recorded: &[Product<'_>],
    declared: &mut Declared,
) -> Sink {
    let defaults = parts
        .last()
        .is_some_and(|(file, text)| spec::is_defaults(*file, text));
    if defaults {
        return Sink::default();
    }
    let options = Options {
        vllm,
        recorded,
        ..Options::default()
    };
    let mut found = spec::Findings::default();
    for environment in spec::environments(parts) {
        let environment = environment.as_deref();
        let document = match spec::read_environment(parts, environment) {
            Ok(document) => document,
            Err(errors) => {
                found.add(environment, errors);
                continue;
            }
        };
        let spec = &document.spec;
        match resolve(&document, options) {
            Ok((plan, mut findings)) => {
                declared.add(parts, spec, &plan);
                let policies = policy.into_iter();
                let violations =
                    policies.flat_map(|policy| policy::check(policy, &document, &plan));
                violations.for_each(|violation| findings.push(violation));
                found.add(environment, findings);
            }
            Err(errors) => {
                let service = spec.service.name.value.as_str();
                let slos = spec.slos.keys();
                let slos = slos.map(|name| RecordedSlo::unknown(service, &name.value));
                declared.slos.extend(slos);
                found.add(environment, errors);
            }
        }
    }
    found.told()
}

impl RecordedSlo {
    fn unknown(service: &str, name: &str) -> Self {
        Self {
            service: service.to_owned(),
            name: name.to_owned(),
            series: None,
        }
    }
}

fn recorded(slo: &Slo) -> Vec<(&'static str, Option<Duration>)> {
    let events = &slo.events;
    let increases = events.increases.iter().chain(&events.sums);
    let increases = increases.map(|increase| (increase.name, increase.window));
    let counted = events.counted.iter();
    let counted = counted.flat_map(|_| [naming::TOTAL_EVENTS, naming::BAD_EVENTS]);
    let ratios = events.ratios.iter();
    let ratios = ratios.map(|ratio| (naming::ERROR_RATIO, ratio.window));
    let windows = increases
        .chain(counted.map(|name| (name, BASE_WINDOW)))
        .chain(ratios)
        .chain([(naming::BUDGET_REMAINING, slo.period)]);
    let windows = windows.map(|(name, window)| (name, Some(window)));
    let constants = [naming::OBJECTIVE, naming::ERROR_BUDGET];
    windows.chain(constants.map(|name| (name, None))).collect()
}

impl Declared {
    fn add_slos(&mut self, spec: &Spec, plan: &Plan) {
        for slo in &plan.slos {
            let before = spec.slos.get(slo.name.as_str());
            let before = before.and_then(|written| written.renamed_from.as_ref());
            let names = [Some(&slo.name), before.map(|name| &name.value)];
            let names = names.into_iter().flatten();
            self.slos.extend(names.map(|name| RecordedSlo {
                series: Some(recorded(slo)),
                ..RecordedSlo::unknown(&plan.service.name, name)
            }));
        }
    }

    pub(super) fn add(&mut self, parts: &[(FileId, &str)], spec: &Spec, plan: &Plan) {
        self.add_slos(spec, plan);
        let scrape = &plan.scrape;
        let labels = scrape.labels.iter().chain(&scrape.external);
        self.labels.extend(labels.cloned());
        self.names.push(scrape.names.clone());
        let own = Own {
            range: plan.vllm().map(|server| server.range.clone()),
            has_all_labels: !scrape.labels.is_empty(),
            scrape_interval: scrape.interval,
            series: shapes(spec),
            targets: scrape.labels.clone(),
        };
        for (name, shape) in own.series.clone() {
            merge(&mut self.series, name, shape);
        }
        for (file, _) in parts {
            // Several services may extend a file.
            self.own.entry(*file).or_insert_with(|| own.clone());
        }
    }
}

fn shapes(spec: &Spec) -> Shapes {
    let mut found = Shapes::new();
    for signal in spec.signals.values() {
        let binding = signal.prometheus.as_ref();
        let Some(metric) = binding.and_then(|binding| binding.value.metric.as_ref()) else {
            continue;
        };
        let kind = signal.kind.as_ref().map(|kind| kind.value);
        for part in [Series::Whole].into_iter().chain(Series::OF_HISTOGRAM) {
            let kind = match (kind, part) {
                (Some(FamilyKind::Gauge), Series::Whole) => Some(MetricType::Gauge),
                (Some(FamilyKind::Counter), Series::Whole) => Some(MetricType::Counter),
                // The base name has samples where Prometheus stores native histograms.
                (Some(FamilyKind::Histogram), Series::Bucket | Series::Sum | Series::Count) => {
                    Some(MetricType::Counter)
                }
                _ => None,
            };
            let labels = signal.has_labels.iter().flatten();
            let is_bucket = part == Series::Bucket;
            let le = is_bucket.then(|| "le".to_owned());
            let shape = kind.map(|kind| Shape {
                kind,
                labels: labels.map(|label| label.value.clone()).chain(le).collect(),
                open_labels: signal.has_labels.is_none(),
                buckets: buckets(signal).filter(|_| is_bucket).unwrap_or_default(),
                ..Shape::default()
            });
            let series = format!("{}{}", metric.value, part.suffix());
            merge(&mut found, series, shape);
        }
    }
    found
}

/// The declared boundaries of a histogram, as its metric has them.
fn buckets(signal: &Signal) -> Option<Vec<String>> {
    let bounds = signal.prometheus.as_ref()?.value.buckets.as_ref()?;
    let unit = signal.unit?.value;
    let of = |quantity: &Quantity| quantity.of(unit, false).ok();
    let zero = Number::from_integer(0);
    let scale = match &signal.scale {
        Some(scale) => of(&scale.value).filter(|scale| *scale > zero)?,
        None => Number::from_integer(1),
    };
    let finite = bounds
        .iter()
        .map(|bound| Some(decimal(of(&bound.value)? / scale)));
    finite.chain([Some("+Inf".to_owned())]).collect()
}

/// Several signals may read one metric; each declares the labels that it needs.
fn merge(all: &mut Shapes, name: String, shape: Option<Shape>) {
    let known = all.entry(name).or_default();
    let (Some(one), Some(other)) = (&mut *known, &shape) else {
        *known = known.take().or(shape);
        return;
    };
    if one.kind != other.kind {
        one.kind = MetricType::Untyped;
    }
    one.open_labels &= other.open_labels;
    one.labels.extend(other.labels.iter().cloned());
    one.labels.sort();
    one.labels.dedup();
    if one.buckets != other.buckets {
        one.buckets.clear();
    }
}
