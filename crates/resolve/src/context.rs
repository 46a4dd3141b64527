//! What all parts of one resolution share.
//!
//! The spec, the releases it must run on, the findings so far, and the signals that were resolved already: a signal that
//! three alerts use is looked up once, and a fault in it is reported once.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::Options;
use slosmith_catalog::{Catalog, NoRelease, Product, Range, RangeError, Selection, VLLM};
use slosmith_plan::plan::{EVALUATION, LeftOut, Server, Signal, SpanCount};
use slosmith_spec::library;
use slosmith_spec::spec::{self, Document, Spec};
use slosmith_text::diag::{Diagnostic, Sink, did_you_mean, one_of};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::Duration;

/// Prometheus's own default would be 1m; most vLLM set-ups scrape four times as often.
const SCRAPE_INTERVAL: Duration = Duration::from_secs(15);

pub(super) struct Context<'a> {
    pub(super) document: &'a Document,
    pub(super) spec: &'a Spec,
    pub(super) sink: Sink,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Vec<String>,
    pub(super) span_counts: Vec<SpanCount>,
    pub(super) catalog: &'static Catalog,
    /// Other servers, and services of the project with recordings.
    pub(super) recorded: Vec<Product<'a>>,
    pub(super) range: Option<Selected>,
    /// True when the build overrides the range of the spec.
    pub(super) overridden: bool,
    pub(super) profiles: Vec<String>,
    /// While set, a missing family leaves a signal out instead of failing it.
    pub(super) tolerant: bool,
    pub(super) known: BTreeMap<String, Outcome>,
    /// The signals that something names.
    pub(super) used: BTreeSet<String>,
    /// True once the missing `runtime` was reported.
    pub(super) runtime_told: Cell<bool>,
    pub(super) failed: bool,
    /// Signals that are being resolved, outermost first.
    pub(super) open: Vec<String>,
    /// The own evaluation interval of the alert that is being resolved.
    pub(super) own_evaluation: Option<Duration>,
    /// Jobs that PromQL of the spec reads, and whether it reads buckets of their histograms.
    pub(super) read_jobs: BTreeMap<String, bool>,
    /// True once PromQL of the spec used `$selector`.
    pub(super) selects: bool,
}

pub(super) struct Selected {
    pub(super) text: String,
    pub(super) selection: Selection,
}

#[derive(Clone, Debug)]
pub(super) struct Absence {
    pub(super) why: String,
    /// What lineage adds, when that is short.
    pub(super) note: Option<String>,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.note {
            Some(note) => write!(f, "{}; {note}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

#[derive(Clone)]
pub(super) enum Outcome {
    Ready(Rc<Signal>),
    LeftOut(Absence),
    Failed,
}

impl<'a> Context<'a> {
    pub(super) fn new(document: &'a Document, options: Options<'a>) -> Self {
        let mut cx = Context {
            document,
            spec: &document.spec,
            sink: Sink::default(),
            left_out: Vec::new(),
            notes: Vec::new(),
            span_counts: Vec::new(),
            catalog: Catalog::vllm(),
            recorded: options.recorded.to_vec(),
            range: None,
            overridden: options.vllm.is_some(),
            profiles: vec!["default".into()],
            tolerant: false,
            known: BTreeMap::new(),
            used: BTreeSet::new(),
            runtime_told: Cell::new(false),
            failed: false,
            open: Vec::new(),
            own_evaluation: None,
            read_jobs: BTreeMap::new(),
            selects: false,
        };
        cx.select(options);
        cx
    }

    fn select(&mut self, options: Options<'_>) {
        let Some(Spanned {
            value: runtime,
            span,
        }) = &self.spec.runtime
        else {
            return;
        };
        if runtime.vllm.is_none() && runtime.servers.0.is_empty() {
            let message = "`runtime` names no server";
            let error = Diagnostic::error("missing-field", *span, message);
            let help = "set the servers and their releases: `runtime: {vllm: \">=0.20, <0.34\"}`";
            self.sink.push(error.help(help));
        }
        if let Some(vllm) = &runtime.vllm {
            let text = options.vllm.unwrap_or(&vllm.value);
            match select(self.catalog, text) {
                Ok(selection) => {
                    self.notes.extend(selection.notes.iter().cloned());
                    self.range = Some(Selected {
                        text: text.to_owned(),
                        selection,
                    });
                }
                Err(why) => {
                    let message = match options.vllm {
                        Some(_) => format!("`--vllm`: {why}"),
                        None => why.to_string(),
                    };
                    self.sink.push(bad_range(vllm.span, message, &why));
                }
            }
        }
        self.select_servers();
        self.select_profiles(runtime);
    }

    /// The releases of other servers: those of the spec go before those of the project.
    fn select_servers(&mut self) {
        let spec = self.spec;
        for (server, range) in spec.servers() {
            // The project can have recordings of newer releases.
            let own = self.recorded.iter().find(|own| own.key == server.name);
            let catalog = own.map_or_else(|| server.catalog(), |own| own.catalog);
            let selection = match select(catalog, &range.value) {
                Ok(selection) => selection,
                Err(why) => {
                    self.sink.push(bad_range(range.span, why.to_string(), &why));
                    continue;
                }
            };
            let product = Product::on(server.name, catalog, selection);
            self.notes.extend(product.selection.notes.iter().cloned());
            self.recorded.retain(|other| other.key != product.key);
            self.recorded.push(product);
        }
    }

    /// True for a built-in signal of the server that the service is: its series are selected as those of vLLM are.
    pub(super) fn is_of_own_server(&self, signal: &str) -> bool {
        let server = self.spec.own_server().filter(|name| *name != VLLM);
        let own = server.and_then(|server| signal.strip_prefix(server));
        own.is_some_and(|rest| rest.starts_with('.')) && library::signal(signal).is_some()
    }

    /// A built-in signal, also by its name for any engine.
    pub(super) fn built_in(&self, name: &str) -> Option<&'static spec::Signal> {
        let meant = self.meant(name);
        library::signal(meant.as_deref().unwrap_or(name))
    }

    /// The built-in signal that a name stands for: `sglang.requests_waiting` for `llm.requests_waiting`.
    pub(super) fn meant(&self, name: &str) -> Option<String> {
        let of_engine = name.strip_prefix(library::ANY_ENGINE)?;
        Some(format!("{}.{of_engine}", self.spec.engine()?))
    }

    fn select_profiles(&mut self, runtime: &spec::Runtime) {
        if let (None, Some(first)) = (&runtime.vllm, runtime.profiles.first()) {
            let message = "`profiles` are profiles of vLLM: the spec has no `runtime.vllm`";
            self.reject_field("profiles", first.span, message);
            return;
        }
        let mut known: Vec<&str> = self
            .catalog
            .releases()
            .iter()
            .flat_map(|r| r.profiles())
            .collect();
        known.sort_unstable();
        known.dedup();
        for profile in &runtime.profiles {
            if !known.contains(&profile.value.as_str()) {
                let message = format!("the catalog has no vLLM profile `{profile}`");
                let meant = did_you_mean(&profile.value, known.iter().copied());
                let help = meant.unwrap_or_else(|| format!("use {}", one_of(&known)));
                let error = Diagnostic::error("unknown-profile", profile.span, message);
                self.sink.push(error.help(help));
            } else if !self.profiles.contains(&profile.value) {
                self.profiles.push(profile.value.clone());
            }
        }
    }

    pub(super) fn scrape_interval(&self) -> Duration {
        let given = self.spec.prometheus.scrape_interval;
        given.map_or(SCRAPE_INTERVAL, |i| i.value)
    }

    pub(super) fn evaluation_interval(&self) -> Duration {
        self.own_evaluation
            .unwrap_or_else(|| self.recording_interval())
    }

    /// How often values are recorded, also for an alert with its own interval.
    pub(super) fn recording_interval(&self) -> Duration {
        let given = self.spec.prometheus.evaluation_interval;
        given.map_or(EVALUATION, |interval| interval.value)
    }

    pub(super) fn title(&self) -> &'a str {
        let service = &self.spec.service;
        service
            .title
            .as_ref()
            .map_or(&service.name.value, |t| &t.value)
    }

    /// vLLM, if a signal is its, and the other servers of the spec.
    pub(super) fn servers(&self) -> Vec<Server> {
        let uses_vllm = self.ready_signals().any(Signal::is_recorded);
        let range = self.range.as_ref().filter(|_| uses_vllm);
        let vllm = range.map(|range| Server {
            key: VLLM.to_owned(),
            title: self.catalog.title().to_owned(),
            range: range.text.clone(),
            releases: self.catalog.describe(&range.selection.releases),
        });
        let others = self.spec.servers().filter_map(|(server, range)| {
            let mut products = self.recorded.iter();
            let product = products.find(|product| product.key == server.name)?;
            Some(Server {
                key: product.key.clone(),
                title: product.name.clone(),
                range: range.value.clone(),
                releases: product.describe(&product.selection.releases),
            })
        });
        vllm.into_iter().chain(others).collect()
    }

    pub(super) fn ready_signals(&self) -> impl Iterator<Item = &Signal> {
        self.known.values().filter_map(|outcome| match outcome {
            Outcome::Ready(signal) => Some(signal.as_ref()),
            Outcome::LeftOut(_) | Outcome::Failed => None,
        })
    }

    pub(super) fn any_signal(&self) -> bool {
        !self.known.is_empty()
    }

    /// Reports a misplaced field at its key.
    pub(super) fn reject_field(&mut self, name: &str, value: Span, message: impl Into<String>) {
        let at = self.document.key(value, name);
        self.sink
            .push(Diagnostic::error("contradiction", at, message));
    }

    pub(super) fn fail(&mut self, diagnostic: Diagnostic) -> Outcome {
        self.sink.push(diagnostic);
        Outcome::Failed
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error("the version range is empty")]
    Missing,
    #[error(transparent)]
    Range(#[from] RangeError),
    #[error("`{0}` contains no version")]
    Inverted(Range),
    #[error(transparent)]
    NoRelease(#[from] NoRelease),
}

impl SelectError {
    /// What to write instead, where the message does not show it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Missing => Some(RangeError::HELP.to_owned()),
            Self::Range(error) => Some(error.help()),
            Self::Inverted(_) => Some(
                "swap the two versions, so that the lower limit is below the upper limit"
                    .to_owned(),
            ),
            Self::NoRelease(_) => None,
        }
    }
}

fn bad_range(at: Span, message: String, why: &SelectError) -> Diagnostic {
    let error = Diagnostic::error("bad-version-range", at, message);
    error.maybe_help(why.help())
}

pub(super) fn select(catalog: &Catalog, text: &str) -> Result<Selection, SelectError> {
    if text.trim().is_empty() {
        return Err(SelectError::Missing);
    }
    let range = text.parse::<Range>()?;
    match catalog.select(&range) {
        Err(_) if range.is_inverted() => Err(SelectError::Inverted(range)),
        selected => Ok(selected?),
    }
}
