//! Specs: what `build` would say of them, and what they say about the files beside them.

use crate::diag::Sink;
use crate::plan::Plan;
use crate::promql::Series;
use crate::resolve::{Options, resolve};
use crate::source::FileId;
use crate::spec::{self, Spec};

/// What specs know of the queries that were made from them.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Labels that no page shows.
    pub(super) labels: Vec<String>,
    /// Series of exporters that no catalog knows; a general name is then not vLLM's.
    pub(super) series: Vec<String>,
}

/// Everything that is wrong with a spec, or worth a warning.
pub(super) fn lint(parts: &[(FileId, &str)], vllm: Option<&str>, declared: &mut Declared) -> Sink {
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
        ..Options::default()
    };
    match resolve(&document, options) {
        Ok((plan, warnings)) => {
            declared.add(&document.spec, plan);
            warnings
        }
        Err(errors) => errors,
    }
}

impl Declared {
    fn add(&mut self, spec: &Spec, plan: Plan) {
        self.labels.extend(plan.scrape.labels);
        self.labels.extend(plan.scrape.external);
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
