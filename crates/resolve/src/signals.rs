//! Signals: from declarations to series.
//!
//! `queue_depth: {use: vllm.requests_waiting, across: sum}` is the library's signal under another name; a ratio is
//! made of two signals, and the rest is bound to a family.

use std::rc::Rc;

use super::context::{Absence, Context, Outcome};
use super::family::{self, Unbound};
use super::labels::own_labels;
use super::{derived, doubts, matchers, names, own_promql, own_signals, slis};
use slosmith_catalog::{Embedded, VLLM};
use slosmith_plan::plan::{LeftOut, Signal, SignalKind, Source};
use slosmith_spec::library;
use slosmith_spec::spec::{self, Across, FamilyKind, RatioOf, Selection, Text};
use slosmith_text::diag::{Diagnostic, Fix, did_you_mean, one_of};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Number, Unit};

/// What `scale` means.
const SCALE_HELP: &str = "write what a sample of 1 means, such as `1%` for a metric from 0 to 100";

/// Resolves every declared signal, used or not: each line of a spec must be right.
pub(super) fn resolve_declared(cx: &mut Context<'_>) {
    let spec = cx.spec;
    for name in spec.signals.keys() {
        if let Some(prefix) = library::prefix_of(&name.value) {
            let message = format!("`{name}` begins with `{prefix}`, a prefix of library signals");
            let error = Diagnostic::error("bad-name", name.span, message);
            cx.sink
                .push(error.help(format!("use a name without `{prefix}`")));
        } else {
            cx.check_name(name, false);
        }
        cx.declared(name);
    }
}

/// Notes which signals of the spec nothing reads: an alert that names another one by mistake leaves such a signal behind.
pub(super) fn note_unused(cx: &mut Context<'_>) {
    let own_file = |name: &Text| name.span.file == cx.document.file;
    let unused: Vec<_> = (cx.spec.signals.iter())
        .filter(|(name, signal)| own_file(name) && signal.cloudwatch.is_none())
        .filter(|(name, _)| !cx.used.contains(&name.value))
        .filter(|(name, _)| matches!(cx.known.get(&name.value), Some(Outcome::Ready(_))))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !unused.is_empty() {
        let note = format!(
            "not used by an SLO, alert, panel, record or runbook: {}",
            unused.join(", ")
        );
        cx.notes.push(note);
    }
}

impl Context<'_> {
    pub(super) fn signal(&mut self, name: &Text) -> Option<Rc<Signal>> {
        match self.outcome(name) {
            Outcome::Ready(signal) => Some(signal),
            Outcome::Failed => None,
            Outcome::LeftOut(Absence { why, note }) => {
                let message = format!("`{name}` cannot be used here: it is optional, and {why}");
                let error = Diagnostic::error("optional-signal", name.span, message)
                    .maybe_help(note)
                    .help("use a signal that every selected release has: alerts, SLOs and runbook steps need all their signals");
                self.sink.push(error);
                None
            }
        }
    }

    pub(super) fn selected(&mut self, name: &Text, of: Selection<'_>) -> Option<Rc<Signal>> {
        let signal = self.signal(name)?;
        family::narrowed(self, &signal, of)
    }

    pub(super) fn optional_signal(&mut self, name: &Text) -> Option<Rc<Signal>> {
        match self.outcome(name) {
            Outcome::Ready(signal) => Some(signal),
            Outcome::Failed | Outcome::LeftOut(_) => None,
        }
    }

    pub(super) fn outcome(&mut self, name: &Text) -> Outcome {
        self.used.insert(name.value.clone());
        self.declared(name)
    }

    /// The same for a signal that is looked at because the spec declares it.
    pub(super) fn declared(&mut self, name: &Text) -> Outcome {
        let outcome = self.outcome_of(name);
        self.failed |= matches!(outcome, Outcome::Failed);
        outcome
    }

    fn outcome_of(&mut self, name: &Text) -> Outcome {
        if name.value.starts_with(library::ANY_ENGINE) {
            return match self.meant(&name.value) {
                Some(meant) if library::signal(&meant).is_some() => {
                    self.outcome_of(&Text::new(meant, name.span))
                }
                Some(meant) => self.not_of_engine(name, &meant),
                None => self.without_engine(name),
            };
        }
        if let Some(known) = self.known.get(&name.value) {
            return known.clone();
        }
        if self.open.contains(&name.value) {
            let from = self.open.iter().position(|n| *n == name.value).unwrap_or(0);
            let circle = self.open[from..].join("` → `");
            let message = format!("`{name}` refers to itself: `{circle}` → `{name}`");
            self.sink
                .push(Diagnostic::error("cyclic-reference", name.span, message));
            return Outcome::Failed;
        }
        let spec = self.spec;
        let (definition, at) = match spec.signals.get_key_value(name.value.as_str()) {
            Some((declared, signal)) => (signal, declared.span),
            None => match library::signal(&name.value) {
                Some(signal) => (signal, name.span),
                None => return self.unknown_signal(name),
            },
        };
        self.open.push(name.value.clone());
        let outcome = resolve(self, name, definition, at);
        self.open.pop();
        // A missing library signal is resolved again at its next use: every line that needs it is named.
        let ready = matches!(outcome, Outcome::Ready(_));
        if ready || library::signal(&name.value).is_none() {
            self.known.insert(name.value.clone(), outcome.clone());
        }
        outcome
    }

    /// The outermost signal that is being resolved, when the spec declares it.
    pub(super) fn is_declaring(&self) -> bool {
        let outermost = self.open.first();
        outermost.is_some_and(|name| self.spec.signals.contains_key(name.as_str()))
    }

    /// A library signal that another is made from has the name that the spec uses.
    pub(super) fn name_in_spec(&self, name: &str) -> String {
        let used = self.open.iter().find(|n| library::signal(n).is_some());
        let inside = library::signal(name).is_some();
        used.filter(|_| inside)
            .map_or(name, String::as_str)
            .to_owned()
    }

    /// `llm.` before a name that the engine has no signal of.
    fn not_of_engine(&mut self, name: &Text, meant: &str) -> Outcome {
        let (engine, own) = meant.split_once('.').unwrap_or((meant, ""));
        let title =
            Embedded::find(engine).map_or(self.catalog.title(), |server| &server.identity.title);
        let message = format!("`{name}`: {title} has no signal `{own}`");
        let near = did_you_mean(own, library::of_product(engine).map(|(known, _)| known));
        let near = near.map(|near| near.replacen('`', "`llm.", 1));
        let option = match engine {
            VLLM => String::new(),
            engine => format!(" --product {engine}"),
        };
        let all = format!("`slosmith signals{option}` lists its signals");
        let error = Diagnostic::error("unknown-signal", name.span, message);
        self.fail(error.maybe_help(near).help(all))
    }

    /// `llm.` in a spec without `runtime`, or with several engines.
    fn without_engine(&mut self, name: &Text) -> Outcome {
        let own = &name.value[library::ANY_ENGINE.len()..];
        let servers = self.spec.servers().map(|(server, _)| server.name);
        let servers = self.spec.vllm().map(|_| VLLM).into_iter().chain(servers);
        let names: Vec<_> = servers.map(|server| format!("{server}.{own}")).collect();
        let (message, help) = match (&self.spec.runtime, names.as_slice()) {
            // A `runtime` without servers was reported.
            (Some(_), []) => return Outcome::Failed,
            (None, _) => (
                format!(
                    "`{name}` needs `runtime`: it is a signal of the engine that the service runs"
                ),
                "set the engine and its releases: `runtime: {vllm: \">=0.20, <0.34\"}`".to_owned(),
            ),
            (Some(_), names) => (
                format!(
                    "`{name}` can be a signal of several servers: `runtime` names more than one"
                ),
                format!("use {}", one_of(names)),
            ),
        };
        let error = Diagnostic::error("missing-field", name.span, message);
        self.fail(error.help(help))
    }

    fn unknown_signal(&mut self, name: &Text) -> Outcome {
        let own = self.spec.signals.keys().map(|k| k.value.as_str());
        let message = format!("unknown signal `{name}`");
        let of_library = || library::meant(&name.value);
        let help = did_you_mean(&name.value, own).unwrap_or_else(|| {
            let prefix = library::prefix_of(&name.value);
            let in_library = prefix.is_some() || name.value.contains(':');
            let server = prefix.filter(|prefix| prefix != library::PREFIX);
            let option = server.map(|server| format!(" --product {}", server.trim_end_matches('.')));
            let option = option.unwrap_or_default();
            match (in_library, of_library()) {
                (true, Some(meant)) => format!("did you mean `{meant}`?"),
                (true, None) => {
                    format!("use a library signal: `slosmith signals{option}` lists them")
                }
                (false, Some(meant)) => {
                    format!("declare `{name}` under `signals`, or use the library signal `{meant}`")
                }
                (false, None) => format!(
                    "declare `{name}` under `signals`, or use a library signal: `slosmith signals` lists them"
                ),
            }
        });
        let error = Diagnostic::error("unknown-signal", name.span, message);
        self.sink.push(error.help(help));
        Outcome::Failed
    }
}

pub(super) fn resolve(
    cx: &mut Context<'_>,
    name: &Text,
    definition: &spec::Signal,
    at: Span,
) -> Outcome {
    matchers::check(cx, &definition.matchers);
    let outcome = if let Some(base) = &definition.base {
        alias(cx, name, definition, base, at)
    } else if let Some(of) = definition.ratio.as_ref().or(definition.per.as_ref()) {
        ratio(cx, name, definition, &of.value, at)
    } else {
        bound(cx, name, definition, at)
    };
    match outcome {
        Outcome::Ready(mut signal) => {
            if let Some(across) = definition.across {
                doubt_sum(cx, &signal, across);
            }
            if let Some(across) = definition.across
                && family::combine(cx, Rc::make_mut(&mut signal), across).is_none()
            {
                return Outcome::Failed;
            }
            let mut judge = super::cloudwatch::bind::Judge {
                document: cx.document,
                sink: &mut cx.sink,
            };
            super::cloudwatch::bind::bind(&mut judge, name, definition, Rc::make_mut(&mut signal));
            Outcome::Ready(signal)
        }
        Outcome::LeftOut(absence) if cx.spec.signals.contains_key(name.value.as_str()) => {
            cx.left_out.push(LeftOut {
                signal: name.value.clone(),
                why: absence.to_string(),
            });
            Outcome::LeftOut(absence)
        }
        other => other,
    }
}

/// Warns of a sum of values that do not add up.
fn doubt_sum(cx: &mut Context<'_>, signal: &Signal, across: Spanned<Across>) {
    /// Words of times that are no amount of work.
    const AGES: [&str; 7] = ["age", "delay", "lag", "last", "latency", "oldest", "uptime"];
    let adds_up = match signal.unit {
        Unit::Ratio | Unit::Celsius => false,
        Unit::Seconds => !names::has_word(signal, &signal.name, &AGES),
        _ => true,
    };
    if !adds_up && across.value == Across::Sum && signal.kind() == SignalKind::Gauge {
        let message = format!(
            "`across: sum` adds values in `{}`, which do not add up",
            signal.unit.as_str()
        );
        let warning = Diagnostic::warning("contradiction", across.span, message);
        cx.sink
            .push(warning.help("write `across: avg` or `across: max`"));
    }
}

fn is_library(name: &str) -> bool {
    library::signal(name).is_some()
}

/// The place of a reference; users cannot edit the library, so its references are reported at `at`.
fn place(name: &Text, reference: &Text, at: Span) -> Text {
    let span = if is_library(&name.value) {
        at
    } else {
        reference.span
    };
    Text::new(reference.value.clone(), span)
}

fn alias(
    cx: &mut Context<'_>,
    name: &Text,
    definition: &spec::Signal,
    base: &Text,
    at: Span,
) -> Outcome {
    let base = place(name, base, at);
    let outcome = family::tolerating(cx, definition.optional, |cx| cx.outcome(&base));
    let Outcome::Ready(found) = outcome else {
        return outcome;
    };
    let mut signal = Signal::clone(&found);
    signal.name.clone_from(&name.value);
    if definition.title.is_some() {
        signal.title = title(name, definition);
    } else if !definition.matchers.is_empty() {
        signal.title = narrower(&signal.title, &title(name, definition));
    }
    if definition.description.is_some() {
        signal.description = description(definition);
    }
    for (field, span) in [
        ("unit", definition.unit.map(|u| u.span)),
        ("scale", definition.scale.as_ref().map(|s| s.span)),
        (
            "has_labels",
            definition
                .has_labels
                .as_ref()
                .and_then(|l| l.first())
                .map(|l| l.span),
        ),
    ] {
        if let Some(span) = span {
            let message =
                format!("`{field}` cannot be combined with `use`: `{base}` already sets it");
            cx.reject_field(field, span, message);
        }
    }
    if !definition.matchers.is_empty()
        && family::narrow(cx, &mut signal, &definition.matchers).is_none()
    {
        return Outcome::Failed;
    }
    Outcome::Ready(Rc::new(signal))
}

fn ratio(
    cx: &mut Context<'_>,
    name: &Text,
    definition: &spec::Signal,
    ratio: &RatioOf,
    at: Span,
) -> Outcome {
    let sides = [&ratio.of, &ratio.over];
    let [of, over] = sides.map(|side| place(name, &side.signal, at));
    let [of_where, over_where] = sides.map(|side| &side.matchers);
    if of.value == over.value && of_where == over_where {
        let message = format!("`of` and `over` must differ: `{of}` divided by itself is always 1");
        return cx.fail(Diagnostic::error("contradiction", over.span, message));
    }
    let before = family::ratio_before(cx, &of.value, &over.value)
        .filter(|_| of_where.is_empty() && over_where.is_empty());
    let tolerate = definition.optional || before.is_some();
    let parts = family::tolerating(cx, tolerate, |cx| {
        let first = cx.outcome(&of);
        // Inside the library both parts have one place: one fault there is enough.
        let enough = is_library(&name.value) && matches!(first, Outcome::Failed);
        let second = if enough {
            Outcome::Failed
        } else {
            cx.outcome(&over)
        };
        [first, second]
    });
    let (of_signal, over_signal) = match parts {
        [Outcome::Ready(of), Outcome::Ready(over)] => (of, over),
        [Outcome::LeftOut(why), _] | [_, Outcome::LeftOut(why)] => {
            return match before {
                Some(old) if !definition.optional => old_gauge(name, definition, *old),
                _ => Outcome::LeftOut(why),
            };
        }
        _ => return Outcome::Failed,
    };
    let of_signal = family::side(cx, &of_signal, &ratio.of);
    let over_signal = family::side(cx, &over_signal, &ratio.over);
    let Some((of_signal, over_signal)) = of_signal.zip(over_signal) else {
        return Outcome::Failed;
    };
    if let Err(error) = check_parts(&of_signal, &over_signal, of.span, over.span) {
        return cx.fail(error);
    }
    let is_share = of_signal.counts().shares(over_signal.counts());
    if is_share != definition.per.is_none() {
        let (said, meant) = match is_share {
            true => ("per", "ratio"),
            false => ("ratio", "per"),
        };
        let is = match is_share {
            true => "count the same: their quotient is a share",
            false => "count different things: their quotient is not a share",
        };
        let message = format!(
            "`{of}` (`{}`) and `{over}` (`{}`) {is}",
            of_signal.counts().as_str(),
            over_signal.counts().as_str()
        );
        let error = Diagnostic::error("wrong-unit", over.span, message);
        return cx.fail(error.help(format!("write `{meant}` instead of `{said}`")));
    }
    doubts::sides(cx, (&of_signal, &of), (&over_signal, &over));
    let sides = [(&*of_signal, &of, "of"), (&*over_signal, &over, "over")];
    if is_share {
        if slis::sides::check_parts(cx, sides[0], sides[1]).is_none() {
            return Outcome::Failed;
        }
        slis::sides::doubt_total(cx, sides[0], sides[1]);
    }
    let mut labels = of_signal.labels.clone();
    labels.retain(|l| over_signal.labels.contains(l));
    for ((side, _, _), (other, at, _)) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        let Some(own) = own_labels(side) else {
            continue;
        };
        if let Some(label) = own.iter().find(|label| !other.labels.contains(label)) {
            let message = format!(
                "the query of `{}` returns the label `{label}`, which `{at}` does not have: the sides never match",
                side.name
            );
            let error = Diagnostic::error("label-mismatch", at.span, message);
            return cx.fail(error.help("aggregate both sides by the same labels"));
        }
        labels.retain(|label| own.contains(label));
    }
    let covered = family::covers_range(cx, &of_signal) && family::covers_range(cx, &over_signal);
    Outcome::Ready(Rc::new(Signal {
        name: name.value.clone(),
        title: title(name, definition),
        description: description(definition),
        unit: match is_share {
            true => Unit::Ratio,
            false => of_signal.counts(),
        },
        scale: Number::from_integer(1),
        across: Across::Sum,
        labels,
        source: Source::Ratio {
            of: Box::new(Signal::clone(&of_signal)),
            over: Box::new(Signal::clone(&over_signal)),
            before: before.filter(|_| !covered),
        },
        cloudwatch: None,
    }))
}

/// On a range that ends before the two counters exist, the gauge alone is the signal.
fn old_gauge(name: &Text, definition: &spec::Signal, old: Signal) -> Outcome {
    Outcome::Ready(Rc::new(Signal {
        name: name.value.clone(),
        title: title(name, definition),
        description: description(definition),
        ..old
    }))
}

fn check_parts(of: &Signal, over: &Signal, at: Span, over_at: Span) -> Result<(), Diagnostic> {
    use slosmith_plan::plan::SignalKind::{Counter, Gauge, Histogram, Ratio};
    for (signal, span) in [(of, at), (over, over_at)] {
        if signal.kind() == Ratio {
            let message = format!("`{}` is a ratio: it cannot be divided again", signal.name);
            return Err(Diagnostic::error("wrong-kind", span, message)
                .help("divide counters by counters, or gauges by gauges; compare two ratios in `promql`, as `A > 2 * B`"));
        }
    }
    let events = |s: &Signal| matches!(s.kind(), Counter | Histogram);
    if (of.kind() == Gauge) == (over.kind() == Gauge) && events(of) == events(over) {
        return Ok(());
    }
    let message = format!(
        "the {} `{}` cannot be divided by the {} `{}`",
        of.kind().as_str(),
        of.name,
        over.kind().as_str(),
        over.name
    );
    Err(Diagnostic::error("wrong-kind", over_at, message)
        .help("divide counters by counters, or gauges by gauges"))
}

/// The title of a selection: `requests (failed)`, and `failed requests` where its name has the word.
fn narrower(whole: &str, own: &str) -> String {
    let all = own.split(' ').map(str::to_lowercase).collect::<Vec<_>>();
    let mut words = whole.split(' ').map(str::to_lowercase);
    match words.any(|word| all.contains(&word)) {
        true => own.to_owned(),
        false => format!("{whole} ({own})"),
    }
}

pub(super) fn description(definition: &spec::Signal) -> Option<String> {
    definition.description.as_ref().map(|d| d.value.clone())
}

pub(super) fn title(name: &Text, definition: &spec::Signal) -> String {
    match &definition.title {
        Some(title) => title.value.clone(),
        None => name.value.replace(['_', '-'], " "),
    }
}

fn bound(cx: &mut Context<'_>, name: &Text, definition: &spec::Signal, at: Span) -> Outcome {
    let missing = |field: &str, help: &str| {
        let message = format!("`{name}` lacks the field `{field}`");
        Diagnostic::error("missing-field", at, message).help(help)
    };
    let Some(kind) = definition.kind else {
        return cx.fail(missing(
            "kind",
            "add `kind: gauge`, `kind: counter` or `kind: histogram`",
        ));
    };
    if let Some(text) = library::promql(&name.value) {
        let unbound = Unbound {
            name: name.value.clone(),
            title: title(name, definition),
            description: description(definition),
            unit: definition.unit.map_or(Unit::Count, |unit| unit.value),
            scale: Number::from_integer(1),
            across: Across::Max,
        };
        let is_price = definition.unit.is_none();
        return match parts(cx, &name.value, at) {
            Ok(parts) => derived::resolve(cx, unbound, is_price, &parts, text, at),
            Err(outcome) => outcome,
        };
    }
    let Some(unit) = definition.unit else {
        return cx.fail(missing("unit", "add the unit, such as `unit: seconds`"));
    };
    let elsewhere = definition
        .cloudwatch
        .as_ref()
        .filter(|_| definition.prometheus.is_none());
    if definition.prometheus.is_none() && elsewhere.is_none() {
        return cx.fail(missing(
            "prometheus",
            "add the metric: `prometheus: {metric: NAME}`, or `cloudwatch: {metric: NAME}`",
        ));
    }
    let scale = match definition
        .scale
        .as_ref()
        .map(|s| (s, s.value.of(unit.value, false)))
    {
        None => Number::from_integer(1),
        Some((_, Ok(scale))) if scale > Number::from_integer(0) => scale,
        Some((s, Ok(_))) => {
            let message = format!("`scale` must be above 0; found `{s}`");
            return cx.fail(Diagnostic::error("bad-scale", s.span, message).help(SCALE_HELP));
        }
        Some((s, Err(m))) => {
            let error = Diagnostic::error("wrong-unit", s.span, m.message);
            return cx.fail(error.help(SCALE_HELP));
        }
    };
    let unbound = Unbound {
        name: name.value.clone(),
        title: title(name, definition),
        description: description(definition),
        unit: unit.value,
        scale,
        across: definition.across.map_or(Across::Sum, |a| a.value),
    };
    if definition.across.is_none()
        && kind.value == FamilyKind::Gauge
        && definition
            .prometheus
            .as_ref()
            .is_none_or(|b| b.value.promql.is_none())
    {
        let error = missing(
            "across",
            "say how the values of several replicas become one: `across: sum`, `across: max`, `across: min` or `across: avg`",
        );
        let usual = format!("across: {}", usual_across(unit.value).as_str());
        let edit = cx.document.beside("kind", kind.span, &usual);
        let fix = edit.map(|edit| {
            Fix::unsafe_edits(
                format!("write `{usual}`, which was the default"),
                vec![edit],
            )
        });
        return cx.fail(error.maybe_fix(fix));
    }
    let Some(binding) = &definition.prometheus else {
        return family::elsewhere(cx, unbound, definition, kind.value);
    };
    match (&binding.value.metric, &binding.value.promql) {
        (Some(metric), _) => family::bind(cx, unbound, definition, metric, at),
        (None, Some(text)) => in_promql(cx, unbound, definition, kind.value, text),
        (None, None) => Outcome::Failed,
    }
}

/// A signal in PromQL of the author's.
fn in_promql(
    cx: &mut Context<'_>,
    unbound: Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
    text: &Text,
) -> Outcome {
    let tolerant = definition.optional || cx.tolerant;
    if let Some(absence) = tolerant.then(|| own_promql::absence(cx, text)).flatten() {
        return Outcome::LeftOut(absence);
    }
    match own_signals::resolve(cx, &unbound, definition, kind, text) {
        Some((raw, labels)) => {
            let source = Source::Raw(Box::new(raw));
            Outcome::Ready(Rc::new(unbound.with(source, labels)))
        }
        None => Outcome::Failed,
    }
}

/// How gauges were combined that did not say it.
fn usual_across(unit: Unit) -> Across {
    match unit {
        Unit::Bool => Across::Min,
        Unit::Count | Unit::Requests | Unit::Tokens | Unit::Bytes | Unit::Watts => Across::Sum,
        _ => Across::Max,
    }
}

/// The library's signals of the metrics that a signal is computed from.
fn parts(cx: &mut Context<'_>, name: &str, at: Span) -> Result<Vec<Rc<Signal>>, Outcome> {
    let families = library::families(name).into_iter();
    let parts = families.filter_map(library::of_family).map(|part| {
        match cx.outcome(&Text::new(part, at)) {
            Outcome::Ready(signal) => Ok(signal),
            other => Err(other),
        }
    });
    parts.collect()
}
