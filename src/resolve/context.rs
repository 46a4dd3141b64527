//! What all parts of one resolution share.
//!
//! The spec, the releases it must run on, the findings so far, and the signals that were resolved already: a signal that
//! three alerts use is looked up once, and a fault in it is told once.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::Options;
use crate::catalog::{Catalog, Range, RangeError, Selection, Version};
use crate::diag::{Diagnostic, Sink, did_you_mean};
use crate::plan::{LeftOut, Runtime, Signal};
use crate::source::Span;
use crate::spec::{Document, Spec, Text};
use crate::units::Duration;

/// Prometheus's own default would be 1m; most vLLM set-ups scrape four times as often.
const SCRAPE_INTERVAL: Duration = Duration::from_secs(15);

/// The state of one resolution.
pub(super) struct Context<'a> {
    pub(super) document: &'a Document,
    pub(super) spec: &'a Spec,
    pub(super) sink: Sink,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Vec<String>,
    pub(super) catalog: &'static Catalog,
    pub(super) range: Option<Selected>,
    /// True when the build asks for another range than the spec.
    pub(super) overridden: bool,
    pub(super) profiles: Vec<String>,
    /// While set, a missing family leaves a signal out instead of failing it.
    pub(super) tolerant: bool,
    /// Signals that were resolved so far.
    pub(super) known: BTreeMap<String, Outcome>,
    /// Signals that are being resolved, outermost first.
    pub(super) open: Vec<String>,
}

/// The releases a spec must run on.
pub(super) struct Selected {
    pub(super) text: String,
    pub(super) selection: Selection,
}

/// Why an optional signal is left out.
#[derive(Clone, Debug)]
pub(super) struct Absence {
    /// Where its family is, in a few words.
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

/// How far a signal got.
#[derive(Clone)]
pub(super) enum Outcome {
    Ready(Rc<Signal>),
    LeftOut(Absence),
    Failed,
}

impl<'a> Context<'a> {
    pub(super) fn new(document: &'a Document, options: Options<'_>) -> Self {
        let mut cx = Context {
            document,
            spec: &document.spec,
            sink: Sink::default(),
            left_out: Vec::new(),
            notes: Vec::new(),
            catalog: Catalog::vllm(),
            range: None,
            overridden: options.vllm.is_some(),
            profiles: vec!["default".into()],
            tolerant: false,
            known: BTreeMap::new(),
            open: Vec::new(),
        };
        cx.select(options);
        cx
    }

    fn select(&mut self, options: Options<'_>) {
        let Some(runtime) = &self.spec.runtime else {
            return;
        };
        let text = options.vllm.unwrap_or(&runtime.vllm.value);
        match select(self.catalog, text) {
            Ok(selection) => {
                self.notes.extend(selection.notes.iter().cloned());
                self.range = Some(Selected {
                    text: text.to_owned(),
                    selection,
                });
            }
            Err((why, help)) => {
                let why = match options.vllm {
                    Some(_) => format!("`--vllm`: {why}"),
                    None => why,
                };
                let error = Diagnostic::error("bad-version-range", runtime.vllm.span, why);
                self.sink.push(error.maybe_help(help));
            }
        }
        self.select_profiles(&runtime.profiles);
    }

    fn select_profiles(&mut self, profiles: &[Text]) {
        let mut known: Vec<&str> = self
            .catalog
            .releases()
            .iter()
            .flat_map(|r| r.profiles())
            .collect();
        known.sort_unstable();
        known.dedup();
        for profile in profiles {
            if !known.contains(&profile.value.as_str()) {
                let message = format!("no release was recorded with the profile `{profile}`");
                let meant = did_you_mean(&profile.value, known.iter().copied());
                let help = meant.unwrap_or_else(|| format!("there are {}", known.join(", ")));
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

    pub(super) fn title(&self) -> &'a str {
        let service = &self.spec.service;
        service
            .title
            .as_ref()
            .map_or(&service.name.value, |t| &t.value)
    }

    pub(super) fn runtime(&self) -> Option<Runtime> {
        let range = self.range.as_ref()?;
        let uses_vllm = self.ready_signals().any(Signal::is_recorded);
        uses_vllm.then(|| Runtime {
            range: range.text.clone(),
            releases: self.catalog.describe(&range.selection.releases),
        })
    }

    /// All signals that were resolved so far, by name.
    pub(super) fn ready_signals(&self) -> impl Iterator<Item = &Signal> {
        self.known.values().filter_map(|outcome| match outcome {
            Outcome::Ready(signal) => Some(signal.as_ref()),
            Outcome::LeftOut(_) | Outcome::Failed => None,
        })
    }

    /// True when at least one signal was asked for.
    pub(super) fn any_signal(&self) -> bool {
        !self.known.is_empty()
    }

    /// Complains at the key of a field that is out of place.
    pub(super) fn reject_field(&mut self, name: &str, value: Span, message: impl Into<String>) {
        let at = self.document.key(value, name);
        self.sink
            .push(Diagnostic::error("contradiction", at, message));
    }

    /// Complains, and fails the signal.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) -> Outcome {
        self.sink.push(diagnostic);
        Outcome::Failed
    }
}

/// The releases of a range, or why there are none and what to do about it.
pub(super) fn select(catalog: &Catalog, text: &str) -> Result<Selection, (String, Option<String>)> {
    if text.trim().is_empty() {
        return Err((
            "the version range is empty".into(),
            Some(RangeError::HELP.into()),
        ));
    }
    let help = || Some(RangeError::HELP.to_owned());
    let range = text.parse::<Range>().map_err(|e| (e.to_string(), help()))?;
    catalog.select(&range).map_err(|error| {
        if is_empty(&range) {
            let message = format!("`{range}` holds no version");
            return (
                message,
                Some("its lower bound lies above its upper one".into()),
            );
        }
        (error.to_string(), None)
    })
}

/// True when a range ends before it begins.
fn is_empty(range: &Range) -> bool {
    let text = range.to_string();
    let bounds = |side: char| {
        let own = text.split(',').map(str::trim);
        let own = own.filter(move |bound| bound.starts_with(side));
        own.filter_map(|bound| bound.trim_start_matches(['<', '>', '=', ' ']).parse().ok())
    };
    let lower: Option<Version> = bounds('>').max();
    let upper: Option<Version> = bounds('<').min();
    lower.zip(upper).is_some_and(|(lower, upper)| lower > upper)
}
