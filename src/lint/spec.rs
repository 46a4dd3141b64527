//! Specs: the diagnostics of `build`, and the labels and series that specs declare for the files beside them.

use std::collections::BTreeMap;

use crate::catalog::Product;
use crate::diag::Sink;
use crate::plan::{BASE_WINDOW, Plan};
use crate::promql::Series;
use crate::resolve::{Options, resolve};
use crate::source::FileId;
use crate::spec::{self, Spec};
use crate::units::Duration;

/// Facts from specs about the queries that were generated from them.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) labels: Vec<String>,
    pub(super) series: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) slos: Vec<RecordedSlo>,
    pub(super) own: BTreeMap<FileId, Own>,
}

/// What the PromQL in a file of a spec is checked against.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// The vLLM releases, if the service runs vLLM.
    pub(super) range: Option<String>,
    /// The spec lists the labels of its targets.
    pub(super) has_all_labels: bool,
    pub(super) scrape_interval: Duration,
}

/// An SLO whose series the rules of a spec record.
#[derive(Clone, Debug)]
pub(super) struct RecordedSlo {
    pub(super) service: String,
    pub(super) name: String,
    /// Values of the label `window`.
    pub(super) windows: Vec<String>,
}

pub(super) fn lint(
    parts: &[(FileId, &str)],
    vllm: Option<&str>,
    recorded: &[Product<'_>],
    declared: &mut Declared,
) -> Sink {
    let defaults = parts
        .last()
        .is_some_and(|(file, text)| spec::is_defaults(*file, text));
    if defaults {
        return Sink::default();
    }
    let document = match spec::read_parts(parts) {
        Ok(document) => document,
        Err(errors) => return errors,
    };
    let options = Options {
        vllm,
        recorded,
        ..Options::default()
    };
    match resolve(&document, options) {
        Ok((plan, warnings)) => {
            declared.add(parts, &document.spec, &plan);
            warnings
        }
        Err(errors) => errors,
    }
}

impl Declared {
    fn add_slos(&mut self, spec: &Spec, plan: &Plan) {
        for slo in &plan.slos {
            let events = &slo.events;
            let counted = events.increases.iter().chain(&events.sums);
            let ratios = events.ratios.iter().map(|ratio| ratio.window);
            let windows = counted.map(|counted| counted.window).chain(ratios);
            let windows = windows.chain([BASE_WINDOW, slo.period]);
            let before = spec.slos.get(slo.name.as_str());
            let before = before.and_then(|written| written.renamed_from.as_ref());
            let names = [Some(&slo.name), before.map(|name| &name.value)];
            let windows: Vec<_> = windows.map(|window| window.to_string()).collect();
            self.slos
                .extend(names.into_iter().flatten().map(|name| RecordedSlo {
                    service: plan.service.name.clone(),
                    name: name.clone(),
                    windows: windows.clone(),
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
            range: plan.runtime.as_ref().map(|runtime| runtime.range.clone()),
            has_all_labels: !scrape.labels.is_empty(),
            scrape_interval: scrape.interval,
        };
        for (file, _) in parts {
            // Several services may extend a file.
            self.own.entry(*file).or_insert_with(|| own.clone());
        }
        let bindings = spec
            .signals
            .values()
            .filter_map(|signal| signal.prometheus.as_ref());
        for metric in bindings.filter_map(|binding| binding.value.metric.as_ref()) {
            let parts = Series::OF_HISTOGRAM.into_iter().chain([Series::Whole]);
            let series = parts.map(|part| format!("{}{}", metric.value, part.suffix()));
            self.series.extend(series);
        }
    }
}
