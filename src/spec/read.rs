//! From a file's text to a spec whose fields do not contradict each other.

use super::{API_VERSION, Condition, Signal, Sli, Spec, Tier};
use crate::diag::{Diagnostic, Sink};
use crate::source::{FileId, Span, Spanned};
use crate::yaml;

/// A spec and the file it stands in.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub file: FileId,
    /// What it says.
    pub spec: Spec,
}

/// Reads a spec and checks that fields which exclude each other do not stand together.
///
/// # Errors
/// The first thing wrong with the shape, or all contradictions.
pub fn read(file: FileId, text: &str) -> Result<Document, Sink> {
    let mut sink = Sink::default();
    match yaml::read::<Spec>(file, text) {
        Ok(spec) => {
            check(&spec, &mut sink);
            if !sink.has_errors() {
                return Ok(Document { file, spec });
            }
        }
        Err(diagnostic) => sink.push(diagnostic),
    }
    Err(sink)
}

fn check(spec: &Spec, sink: &mut Sink) {
    if spec.api_version.value != API_VERSION {
        let message = format!("unknown apiVersion `{}`", spec.api_version);
        let error = Diagnostic::error("unknown-version", spec.api_version.span, message);
        sink.push(error.help(format!("this build reads `{API_VERSION}`")));
    }
    for (name, signal) in &spec.signals {
        check_signal(name.span, signal, sink);
    }
    for slo in spec.slos.values() {
        check_sli(&slo.sli, sink);
        for tier in slo.burn.iter().flat_map(|b| b.value.tiers.iter().flatten()) {
            check_tier(tier, sink);
        }
    }
    for alert in spec.alerts.values() {
        check_condition(&alert.when, sink);
    }
}

/// A field that is set, and where.
type Field<'a> = (&'a str, Option<Span>);

fn place<T>(value: Option<&Spanned<T>>) -> Option<Span> {
    value.map(|v| v.span)
}

/// Wants exactly one of `fields`; complains at the second, or at `owner` when there is none.
fn exactly_one(owner: Span, fields: &[Field<'_>], sink: &mut Sink) {
    if at_most_one(fields, sink) == 0 {
        let names: Vec<_> = fields.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("one of {} is needed", names.join(", "));
        sink.push(Diagnostic::error("missing-field", owner, message));
    }
}

/// Complains at the second of `fields` that is set; says how many are.
fn at_most_one(fields: &[Field<'_>], sink: &mut Sink) -> usize {
    let mut set: Vec<_> = fields
        .iter()
        .filter_map(|(name, span)| Some((span.as_ref()?, name)))
        .collect();
    set.sort();
    if let [(first, a), (second, b), ..] = set[..] {
        let message = format!("`{b}` cannot stand beside `{a}`");
        let error = Diagnostic::error("contradiction", *second, message);
        sink.push(error.related(*first, format!("`{a}` stands here")));
    }
    set.len()
}

fn check_signal(name: Span, signal: &Signal, sink: &mut Sink) {
    let ratio = signal.ratio.as_ref().map(|r| r.of.span);
    let kind = place(signal.kind.as_ref());
    let source = [
        ("use", place(signal.base.as_ref())),
        ("ratio", ratio),
        ("kind", kind),
    ];
    exactly_one(name, &source, sink);
    let Some(binding) = &signal.prometheus else {
        return;
    };
    let of = [
        ("metric", place(binding.metric.as_ref())),
        ("expr", place(binding.expr.as_ref())),
    ];
    exactly_one(name, &of, sink);
    for (other, span) in &source[..2] {
        if let Some(span) = span {
            let message = format!("`{other}` cannot stand beside `prometheus`");
            sink.push(Diagnostic::error("contradiction", *span, message));
        }
    }
}

fn check_sli(sli: &Spanned<Sli>, sink: &mut Sink) {
    let kinds = [
        ("ratio", place(sli.value.ratio.as_ref())),
        ("latency", place(sli.value.latency.as_ref())),
        ("percentile", place(sli.value.percentile.as_ref())),
    ];
    exactly_one(sli.span, &kinds, sink);
    if let Some(ratio) = &sli.value.ratio {
        let events = [
            ("bad", place(ratio.value.bad.as_ref())),
            ("good", place(ratio.value.good.as_ref())),
        ];
        exactly_one(ratio.span, &events, sink);
    }
}

fn check_tier(tier: &Spanned<Tier>, sink: &mut Sink) {
    let t = &tier.value;
    let by = [
        ("consumes", place(t.consumes.as_ref())),
        ("ratio", place(t.ratio.as_ref())),
        ("factor", place(t.factor.as_ref())),
    ];
    exactly_one(tier.span, &by, sink);
    let window = [
        ("in", place(t.within.as_ref())),
        ("long", place(t.long.as_ref())),
    ];
    exactly_one(tier.span, &window, sink);
}

fn check_condition(condition: &Spanned<Condition>, sink: &mut Sink) {
    let c = &condition.value;
    let first = |list: Option<&Vec<Spanned<Condition>>>| {
        list.map(|l| l.first().map_or(condition.span, |c| c.span))
    };
    let subject = [
        ("signal", place(c.signal.as_ref())),
        ("promql", place(c.promql.as_ref())),
        ("all", first(c.all.as_ref())),
        ("any", first(c.any.as_ref())),
    ];
    exactly_one(condition.span, &subject, sink);
    let tests = [
        ("above", place(c.above.as_ref())),
        ("below", place(c.below.as_ref())),
        ("at_least", place(c.at_least.as_ref())),
        ("at_most", place(c.at_most.as_ref())),
        ("outside", place(c.outside.as_ref())),
        ("absent", place(c.absent.as_ref())),
    ];
    if c.signal.is_some() {
        exactly_one(condition.span, &tests, sink);
    } else {
        at_most_one(&tests, sink);
    }
    if c.all.is_some() || c.any.is_some() {
        refuse_leaf_fields(c, &tests, sink);
    }
    for list in [&c.all, &c.any].into_iter().flatten() {
        if list.is_empty() {
            let message = "an empty list of conditions never holds";
            sink.push(Diagnostic::error("empty-list", condition.span, message));
        }
    }
    let parts = [&c.all, &c.any].into_iter().flatten().flatten();
    for part in parts.chain(c.unless.as_deref()) {
        check_condition(part, sink);
    }
}

/// A combination has no value of its own to compare or to read over time.
fn refuse_leaf_fields(c: &Condition, tests: &[Field<'_>], sink: &mut Sink) {
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
            sink.push(Diagnostic::error("contradiction", *span, message));
        }
    }
}
