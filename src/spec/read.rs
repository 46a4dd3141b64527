//! From a file's text to a spec whose fields do not contradict each other.

mod dashboard;
mod exclusive;

use std::rc::Rc;
use std::sync::Arc;

use super::text;
use super::{API_VERSION, Condition, Signal, Sli, Slo, Spec, Tier};
use crate::diag::{Diagnostic, Sink};
use crate::source::{FileId, Span, Spanned};
use crate::yaml::{self, Draft, Joined, Mended, Told};
use exclusive::{Exclusive, Field};

/// A spec and the file it is in.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub file: FileId,
    /// Its text, to find places inside long values.
    pub text: Arc<str>,
    /// What it says. Where there are `errors`, something stands in for what could not be read.
    pub spec: Spec,
    /// What is wrong with its shape; resolution tells it with all that it finds itself.
    pub errors: Errors,
}

/// What is wrong with a spec, and how to know what follows from that.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    found: Vec<Diagnostic>,
    told: Told,
}

impl Errors {
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// These, and those of `others` that do not follow from them.
    pub fn with(&self, others: Sink, text: &str) -> Sink {
        let mut sink = Sink::default();
        self.found.iter().for_each(|error| sink.push(error.clone()));
        let new = others.into_sorted().into_iter();
        new.filter(|found| !self.explain(found, text))
            .for_each(|found| sink.push(found));
        sink
    }

    /// True for what follows from what was told.
    fn explain(&self, found: &Diagnostic, text: &str) -> bool {
        let at = found.span.range();
        let word = text.get(at.clone()).unwrap_or_default();
        let word = word.trim_matches(['"', '\'']);
        let same = |told: &Diagnostic| told.span.start == found.span.start;
        self.told.is_in_text(at.start)
            || (self.told.is_owner(at.start) && found.code != "bad-name")
            || (self.told.is_beside(at.start) && found.code == "missing-field")
            || (self.told.is_gone(word) && found.code.starts_with("un"))
            || self.found.iter().any(same)
    }
}

impl Document {
    /// The service's name, unless it is missing.
    pub fn service(&self) -> Option<&super::Text> {
        let name = &self.spec.service.name;
        (!self.errors.told.is_owner(name.span.range().start)).then_some(name)
    }

    /// The key `name` of the value at `value`, or the value itself where the key is not in front of it.
    pub fn key(&self, value: Span, name: &str) -> Span {
        key(self.file, &self.text, value, name)
    }

    /// Some bytes of a text that the spec holds; the whole of it where they cannot be told apart.
    pub fn inside(&self, text: &super::Text, part: std::ops::Range<usize>) -> Span {
        if text.span.file != self.file {
            return text.span;
        }
        yaml::inside(&self.text, text.span.range(), &text.value, part)
            .map_or(text.span, |range| Span::new(self.file, range))
    }
}

fn key(file: FileId, text: &str, value: Span, name: &str) -> Span {
    let found = (value.file == file)
        .then(|| yaml::key(text, value.range().start, name))
        .flatten();
    found.map_or(value, |range| Span::new(file, range))
}

/// So many faults are told at once; who has more mends these first.
const MANY: usize = 100;

/// Reads a spec and checks that fields which exclude each other are not combined. Where that is not so, the rest of it
/// is read as if it were.
///
/// # Errors
/// Where the text is no YAML, or no mapping.
pub fn read(file: FileId, text: &str) -> Result<Document, Sink> {
    let mut sink = Sink::default();
    let Some(root) = sink.take(yaml::document(file, text)) else {
        return Err(sink);
    };
    let texts = text::check(file, text, &root, &mut sink);
    let files = Rc::new(Joined::one(file, text));
    let mut found = sink.into_sorted();
    let mut draft = Draft::new(root, texts);
    for _ in 0..2 * MANY {
        match yaml::typed::<Spec>(&files, draft.root()) {
            Err(fault) => {
                let mended = draft.mend(&fault);
                let told = fault.diagnostic(&files);
                let told = told.maybe_help(fault.owner(&files).and_then(example));
                match mended {
                    Some(Mended::Known) => {}
                    Some(Mended::Of(at)) => {
                        let unknown = found.iter_mut().find(|d| d.span.range().start == at);
                        unknown
                            .into_iter()
                            .for_each(|d| d.help.push(told.message.clone()));
                    }
                    Some(Mended::New) => found.push(told),
                    Some(Mended::Instead(fault)) => found.push(fault.diagnostic(&files)),
                    None => {
                        found.push(told);
                        break;
                    }
                }
            }
            Ok(spec) => {
                let mut document = Document {
                    file,
                    text: text.into(),
                    spec,
                    errors: Errors::default(),
                };
                let contradictions = check(&document);
                document.errors = Errors {
                    found: std::mem::take(&mut found),
                    told: draft.told().clone(),
                };
                if contradictions.is_empty() {
                    check_version(&mut document);
                    return Ok(document);
                }
                for contradiction in contradictions {
                    if !draft.take_out_at(contradiction.span.range().start) {
                        break;
                    }
                    if !document.errors.explain(&contradiction, text) {
                        document.errors.found.push(contradiction);
                    }
                }
                found = document.errors.found;
            }
        }
    }
    let mut sink = Sink::default();
    found.into_iter().for_each(|error| sink.push(error));
    Err(sink)
}

/// What a mapping looks like that is often written as something else.
fn example(field: &str) -> Option<String> {
    let example = match field {
        "service" => "{name: NAME}",
        "selector" => "{job: vllm}",
        "when" | "unless" => "{signal: NAME, above: 10}` or `{promql: \"…\"}",
        "sli" => "{ratio: {bad: NAME, total: NAME}}` or `{latency: {signal: NAME, within: 500ms}}",
        "signals" | "slos" | "alerts" | "runbooks" | "dashboards" | "fixes" => "{NAME: {…}}",
        _ => return None,
    };
    Some(format!("write `{field}: {example}`"))
}

fn check_version(document: &mut Document) {
    let version = &document.spec.api_version;
    if version.value != API_VERSION && !document.errors.told.is_owner(version.span.range().start) {
        let message = format!("unknown apiVersion `{version}`");
        let error = Diagnostic::error("unknown-version", version.span, message);
        let error = error.help(format!("this build reads `{API_VERSION}`"));
        document.errors.found.push(error);
    }
}

/// Fields that contradict each other.
fn check(document: &Document) -> Vec<Diagnostic> {
    let spec = &document.spec;
    let mut sink = Sink::default();
    let mut check = Exclusive {
        document,
        sink: &mut sink,
    };
    for (name, signal) in &spec.signals {
        check.signal(name.span, signal);
    }
    for slo in spec.slos.values() {
        check.sli(&slo.sli);
        check.burn(slo);
    }
    for alert in spec.alerts.values() {
        check.condition(&alert.when);
    }
    for runbook in spec.runbooks.values() {
        for step in &runbook.steps {
            check.step(step);
        }
    }
    for dashboard in spec.dashboards.values() {
        check.dashboard(dashboard);
    }
    sink.into_sorted()
}

fn place<T>(value: Option<&Spanned<T>>) -> Option<Span> {
    value.map(|v| v.span)
}

impl Exclusive<'_> {
    fn signal(&mut self, name: Span, signal: &Signal) {
        let binding = signal.prometheus.as_ref();
        let source = [
            ("use", place(signal.base.as_ref())),
            ("ratio", place(signal.ratio.as_ref())),
            ("prometheus", place(binding)),
        ];
        let kind = [
            ("use", place(signal.base.as_ref())),
            ("ratio", place(signal.ratio.as_ref())),
            ("kind", place(signal.kind.as_ref())),
        ];
        // A kind or a unit without a binding misses just that; resolution says so.
        if kind[2].1.is_none() && signal.unit.is_none() {
            self.exactly_one(name, &source);
        } else if self.at_most_one(&source) < 2 {
            self.at_most_one(&kind);
        }
        if let Some(binding) = binding {
            let of = [
                ("metric", place(binding.value.metric.as_ref())),
                ("expr", place(binding.value.expr.as_ref())),
            ];
            self.exactly_one(binding.span, &of);
        }
    }

    fn sli(&mut self, sli: &Spanned<Sli>) {
        let kinds = [
            ("ratio", place(sli.value.ratio.as_ref())),
            ("latency", place(sli.value.latency.as_ref())),
            ("percentile", place(sli.value.percentile.as_ref())),
        ];
        self.exactly_one(sli.span, &kinds);
        if let Some(ratio) = &sli.value.ratio {
            let events = [
                ("bad", place(ratio.value.bad.as_ref())),
                ("good", place(ratio.value.good.as_ref())),
            ];
            self.exactly_one(ratio.span, &events);
        }
    }

    fn burn(&mut self, slo: &Slo) {
        let Some(burn) = &slo.burn else {
            return;
        };
        let by = [
            ("policy", place(burn.value.policy.as_ref())),
            ("tiers", place(burn.value.tiers.as_ref())),
        ];
        self.exactly_one(burn.span, &by);
        if let Some(tiers) = &burn.value.tiers {
            if tiers.value.is_empty() {
                let message = "an empty list of tiers alerts on nothing";
                let error = Diagnostic::error("empty-list", tiers.span, message);
                self.sink
                    .push(error.help("write `burn: {policy: none}` when that is meant"));
            }
            for tier in &tiers.value {
                self.tier(tier);
            }
        }
    }

    fn tier(&mut self, tier: &Spanned<Tier>) {
        let t = &tier.value;
        let by = [
            ("consumes", place(t.consumes.as_ref())),
            ("ratio", place(t.ratio.as_ref())),
            ("factor", place(t.factor.as_ref())),
        ];
        self.exactly_one(tier.span, &by);
        let window = [
            ("in", place(t.within.as_ref())),
            ("long", place(t.long.as_ref())),
        ];
        self.exactly_one(tier.span, &window);
    }

    fn condition(&mut self, condition: &Spanned<Condition>) {
        let c = &condition.value;
        let subject = [
            ("signal", place(c.signal.as_ref())),
            ("promql", place(c.promql.as_ref())),
            ("all", place(c.all.as_ref())),
            ("any", place(c.any.as_ref())),
        ];
        let tests = [
            ("above", place(c.above.as_ref())),
            ("below", place(c.below.as_ref())),
            ("at_least", place(c.at_least.as_ref())),
            ("at_most", place(c.at_most.as_ref())),
            ("outside", place(c.outside.as_ref())),
            ("correlated", place(c.correlated.as_ref())),
            ("absent", place(c.absent.as_ref())),
        ];
        // What does not fit one of two subjects may fit the other: one fault, one finding.
        if self.exactly_one(condition.span, &subject) {
            match (&c.signal, &c.promql) {
                (Some(signal), _) => {
                    self.exactly_one(signal.span, &tests);
                }
                (None, Some(_)) => self.raw(c, &tests),
                (None, None) => self.combination(c, &tests),
            }
        }
        for list in [&c.all, &c.any].into_iter().flatten() {
            if list.value.is_empty() {
                let message = "an empty list of conditions never holds";
                self.sink
                    .push(Diagnostic::error("empty-list", list.span, message));
            }
        }
        let parts = [&c.all, &c.any].into_iter().flatten();
        let parts = parts.flat_map(|list| &list.value);
        for part in parts.chain(c.unless.as_deref()) {
            self.condition(part);
        }
    }

    /// A command comes with the question what to look for.
    fn step(&mut self, step: &Spanned<super::Step>) {
        let s = &step.value;
        let ask = s.ask.as_ref().filter(|_| s.run.is_none());
        let checks = [
            ("when", place(s.when.as_ref())),
            ("alert", place(s.alert.as_ref())),
            ("run", place(s.run.as_ref())),
            ("ask", place(ask)),
        ];
        self.exactly_one(step.span, &checks);
        let outcomes = [
            ("fix", place(s.fix.as_ref())),
            ("then", place(s.then.as_ref())),
        ];
        self.at_most_one(&outcomes);
        if let Some(when) = &s.when {
            self.condition(when);
        }
    }

    /// Raw PromQL is read and grouped as it is written.
    fn raw(&mut self, c: &Condition, tests: &[Field<'_>]) {
        self.at_most_one(tests);
        let unfit = [
            ("stat", place(c.stat.as_ref())),
            ("window", place(c.window.as_ref())),
            ("by", c.by.first().map(|b| b.span)),
            ("where", c.matchers.keys().next().map(|k| k.span)),
            ("outside", place(c.outside.as_ref())),
            ("correlated", place(c.correlated.as_ref())),
            ("absent", place(c.absent.as_ref())),
        ];
        for (name, span) in unfit {
            if let Some(span) = span {
                let message = format!("`{name}` cannot change raw PromQL: write it there");
                self.error(name, span, message);
            }
        }
    }

    /// A combination has no value of its own to compare or to read over time.
    fn combination(&mut self, c: &Condition, tests: &[Field<'_>]) {
        let own = [
            ("stat", place(c.stat.as_ref())),
            ("window", place(c.window.as_ref())),
            ("unit", place(c.unit.as_ref())),
            ("by", c.by.first().map(|b| b.span)),
            ("where", c.matchers.keys().next().map(|k| k.span)),
        ];
        for (name, span) in own.iter().chain(tests) {
            if let Some(span) = span {
                let message = format!("`{name}` belongs to a part, not to a combination");
                self.error(name, *span, message);
            }
        }
    }
}
