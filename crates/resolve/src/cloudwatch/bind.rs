//! Bindings: the CloudWatch metric of a signal.
//!
//! `cloudwatch: {metric: TTFTMs, unit: Milliseconds}` makes of a histogram in seconds a published metric whose unit is
//! worth a thousandth of a second; a gauge of vLLM without a word is what the agent scrapes.

use super::{unit, vended};
use slosmith_cloudwatch::limits;
use slosmith_plan::plan::cloudwatch::{Delivery, Metric};
use slosmith_plan::plan::{Family, Names, Signal, Source};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Document, FamilyKind, MetricBinding, Text, Via};
use slosmith_text::diag::{Diagnostic, Sink, did_you_mean, one_of};
use slosmith_text::source::Spanned;
use slosmith_text::units::Number;

/// The spec that a binding is checked against, and the sink for findings.
pub(crate) struct Judge<'a> {
    pub(crate) document: &'a Document,
    pub(crate) sink: &'a mut Sink,
}

/// Binds a resolved signal as declared, or because the agent scrapes its metric anyway.
pub(crate) fn bind(
    judge: &mut Judge<'_>,
    name: &Text,
    definition: &spec::Signal,
    signal: &mut Signal,
) {
    let Some(service) = &judge.document.spec.cloudwatch else {
        if let Some(binding) = &definition.cloudwatch {
            let at = judge.document.key(binding.span, "cloudwatch");
            let message = format!(
                "`{name}` has `cloudwatch` settings, but the spec has no top-level `cloudwatch` block"
            );
            let error = Diagnostic::error("missing-field", at, message);
            let help = "add `cloudwatch: {region: …, namespace: …}` at the top level";
            judge.sink.push(error.help(help));
        }
        return;
    };
    let is_scraped = match &signal.source {
        Source::Family(family) => {
            let is_gauge = family.kind != FamilyKind::Histogram;
            let is_own = definition.base.is_none() && family.recorded;
            is_own && is_gauge && service.via == Via::Agent
        }
        Source::Ratio { .. } | Source::Raw(_) => false,
    };
    if definition.cloudwatch.is_none() && !is_scraped {
        return;
    }
    let own = service.namespace.as_ref().map(|own| own.value.clone());
    let binding = definition.cloudwatch.as_ref();
    let elsewhere = binding.and_then(|binding| binding.value.namespace.clone());
    let Some(namespace) = own.or(elsewhere.map(|name| name.value)) else {
        let at = binding.map_or(name.span, |binding| {
            judge.document.key(binding.span, "cloudwatch")
        });
        let message = format!("the metric of `{name}` has no namespace");
        let error = Diagnostic::error("missing-field", at, message);
        judge.sink.push(error.help(
            "add `namespace` here for a metric of another service, else to the top-level `cloudwatch`",
        ));
        return;
    };
    match binding {
        Some(binding) => signal.cloudwatch = explicit(judge, binding, signal, namespace),
        None => {
            if let Some(family) = signal.family() {
                signal.cloudwatch = scraped(family, signal, namespace);
            }
        }
    }
}

fn scraped(family: &Family, signal: &Signal, namespace: String) -> Option<Metric> {
    (family.kind != FamilyKind::Histogram).then(|| Metric {
        namespace,
        names: family.names.clone(),
        worth: signal.scale,
        unit: "None",
        delivery: Delivery::Scraped,
        dimensions: Vec::new(),
        dimension_sets: Vec::new(),
        labels: Vec::new(),
        covers: family.matchers.clone(),
    })
}

fn explicit(
    judge: &mut Judge<'_>,
    binding: &Spanned<MetricBinding>,
    signal: &Signal,
    own: String,
) -> Option<Metric> {
    let b = &binding.value;
    let family = signal.family();
    let covers: Vec<_> = family.map_or_else(Vec::new, |family| family.matchers.clone());
    if b.scraped {
        return from_page(judge, binding, signal, own).map(|metric| Metric { covers, ..metric });
    }
    let names = match (&b.metric, family) {
        (Some(name), _) => Names::one(&name.value),
        (None, Some(family)) => Names::one(family.served.newest()),
        (None, None) => {
            let message = format!("`cloudwatch` of `{}` lacks the field `metric`", signal.name);
            judge
                .sink
                .push(Diagnostic::error("missing-field", binding.span, message));
            return None;
        }
    };
    for (name, value) in &binding.value.dimensions {
        check_length(judge, Some(name), limits::NAME);
        check_length(judge, Some(value), limits::DIMENSION_VALUE);
    }
    check_length(judge, b.metric.as_ref(), limits::NAME);
    check_length(judge, b.namespace.as_ref(), limits::NAME);
    let of_aws = b.namespace.as_ref().and_then(|namespace| {
        vended::check(judge.sink, namespace, binding);
        vended::unit(&namespace.value, names.newest())
    });
    let (unit, worth) = judge.sink.take(unit_of(binding, signal, of_aws))?;
    let namespace = b.namespace.as_ref().map(|n| n.value.clone());
    let service = judge.document.spec.cloudwatch.as_ref();
    let published = service.and_then(|service| service.namespace.as_ref());
    let vended = namespace.is_some() && namespace.as_ref() != published.map(|own| &own.value);
    let mut metric = Metric {
        delivery: if vended {
            Delivery::Vended
        } else {
            Delivery::Published
        },
        namespace: namespace.unwrap_or(own),
        names,
        worth,
        unit,
        dimensions: fixed(b),
        dimension_sets: vec![Vec::new()],
        labels: Vec::new(),
        covers,
    };
    if let Some(sets) = &b.dimension_sets {
        metric.dimension_sets = dimension_sets(judge, sets, signal, &mut metric.labels)?;
    }
    Some(metric)
}

/// The unit of the values, with what one of it is worth; `of_aws` is the unit in which AWS publishes the metric.
fn unit_of(
    binding: &Spanned<MetricBinding>,
    signal: &Signal,
    of_aws: Option<&str>,
) -> Result<(&'static str, Number), Diagnostic> {
    let b = &binding.value;
    match (&b.unit, of_aws) {
        (None, None) => Ok((unit::usual(signal.unit), Number::from_integer(1))),
        (Some(text), Some(published)) if !is_worth_the_same(&text.value, published, signal) => {
            let message = format!("AWS publishes this metric in `{published}`, not in `{text}`");
            let error = Diagnostic::error("wrong-unit", text.span, message);
            Err(error.help("remove `unit`"))
        }
        (Some(text), _) => unit::find(&text.value, signal.unit)
            .map_err(|fitting| wrong_unit(text, signal, &fitting)),
        (None, Some(published)) => unit::find(published, signal.unit).map_err(|_| {
            let at = b.metric.as_ref().map_or(binding.span, |metric| metric.span);
            let unit = signal.unit.as_str();
            let message = format!(
                "AWS publishes this metric in `{published}`, which does not fit `unit: {unit}` of the signal"
            );
            Diagnostic::error("wrong-unit", at, message)
        }),
    }
}

/// True for `None` in place of `Count`: the unit changes nothing.
fn is_worth_the_same(one: &str, other: &str, signal: &Signal) -> bool {
    let worth = |name| unit::find(name, signal.unit).ok().map(|(_, worth)| worth);
    worth(one) == worth(other)
}

fn fixed(b: &MetricBinding) -> Vec<(String, String)> {
    let pairs = b.dimensions.iter();
    pairs
        .map(|(name, value)| (name.value.clone(), value.value.clone()))
        .collect()
}

/// A family that the agent scrapes from the page that Prometheus scrapes too.
fn from_page(
    judge: &mut Judge<'_>,
    binding: &Spanned<MetricBinding>,
    signal: &Signal,
    namespace: String,
) -> Option<Metric> {
    let b = &binding.value;
    let via = judge
        .document
        .spec
        .cloudwatch
        .as_ref()
        .map(|service| service.via);
    let why = match (signal.family(), via) {
        (None, _) => Some("only a single metric can be scraped"),
        (Some(family), via) if family.kind == FamilyKind::Histogram && via != Some(Via::Otlp) => {
            Some("the CloudWatch agent drops histograms; publish the values instead")
        }
        _ if b.metric.is_some() || b.unit.is_some() || b.namespace.is_some() => {
            Some("a scraped metric cannot have its own `metric`, `unit` or `namespace`")
        }
        (_, Some(Via::Otlp)) if !b.dimensions.is_empty() => {
            Some("with `via: otlp`, it has the labels of Prometheus and no `dimensions`")
        }
        _ => None,
    };
    match (why, signal.family()) {
        // Only PromQL reads what arrives by OpenTelemetry: an alarm on the metric would never have data.
        (None, Some(_)) if via == Some(Via::Otlp) => None,
        (None, Some(family)) => scraped(family, signal, namespace).map(|metric| Metric {
            dimensions: fixed(b),
            ..metric
        }),
        (why, _) => {
            let at = judge.document.key(binding.span, "cloudwatch");
            let message = format!(
                "`{}` cannot be scraped: {}",
                signal.name,
                why.unwrap_or_default()
            );
            judge
                .sink
                .push(Diagnostic::error("contradiction", at, message));
            None
        }
    }
}

fn check_length(judge: &mut Judge<'_>, text: Option<&Text>, most: usize) {
    // The model of the API allows more than the service does.
    let odd = |c: &char| !matches!(c, ' '..='~');
    if let Some(text) = text
        && let Some(c) = text.value.chars().find(odd)
    {
        let message = format!("CloudWatch names must be ASCII; `{text}` contains `{c}`");
        let error = Diagnostic::error("bad-name", text.span, message);
        judge
            .sink
            .push(error.help("use ASCII letters, digits, spaces and punctuation"));
    }
    if let Some(text) = text.filter(|t| limits::is_repetition(&t.value)) {
        let message = format!(
            "`{text}` cannot be a CloudWatch name: in dashboards, this text repeats a field of the previous metric"
        );
        let error = Diagnostic::error("bad-name", text.span, message);
        judge.sink.push(error.help("use a name with letters"));
    }
    if let Some(text) = text.filter(|t| !(1..=most).contains(&t.value.chars().count())) {
        let message = format!("a CloudWatch name must have 1 to {most} characters");
        judge
            .sink
            .push(Diagnostic::error("bad-name", text.span, message));
    }
}

fn wrong_unit(text: &Text, signal: &Signal, fitting: &[&str]) -> Diagnostic {
    let known = unit::names().any(|name| name == text.value);
    let message = match known {
        true => format!(
            "the CloudWatch unit `{text}` does not fit a signal with `unit: {}`",
            signal.unit.as_str()
        ),
        false => format!("`{text}` is not a supported CloudWatch unit"),
    };
    let meant = did_you_mean(&text.value, fitting.iter().copied()).filter(|_| !known);
    let error = Diagnostic::error("wrong-unit", text.span, message);
    error.help(meant.unwrap_or_else(|| format!("use {}", one_of(fitting))))
}

/// Each dimension is a label of the signal, spelled as the label or in CloudWatch style.
fn dimension_sets(
    judge: &mut Judge<'_>,
    sets: &Spanned<Vec<Vec<Text>>>,
    signal: &Signal,
    labels: &mut Vec<(String, String)>,
) -> Option<Vec<Vec<String>>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for set in &sets.value {
        let mut names = Vec::new();
        for dimension in set {
            let label = dimension_label(judge, dimension, signal)?;
            let pair = (label, dimension.value.clone());
            if !labels.contains(&pair) {
                labels.push(pair);
            }
            names.push(dimension.value.clone());
        }
        names.sort();
        if all.contains(&names) {
            let message = "this dimension set appears twice";
            let at = set.first().map_or(sets.span, |dimension| dimension.span);
            judge
                .sink
                .push(Diagnostic::error("duplicate-name", at, message));
        }
        all.push(names);
    }
    Some(all)
}

fn dimension_label(judge: &mut Judge<'_>, dimension: &Text, signal: &Signal) -> Option<String> {
    let same =
        |label: &&String| **label == dimension.value || naming::pascal(label) == dimension.value;
    if let Some(label) = signal.labels.iter().find(same) {
        return Some(label.clone());
    }
    let message = format!(
        "`{}` has no label for the dimension `{dimension}`",
        signal.name
    );
    let spelled: Vec<_> = signal.labels.iter().map(|l| naming::pascal(l)).collect();
    let help = did_you_mean(&dimension.value, spelled.iter().map(String::as_str));
    let help = help.unwrap_or_else(|| format!("use {}", one_of(&spelled)));
    let error = Diagnostic::error("unknown-label", dimension.span, message);
    judge.sink.push(error.help(help));
    None
}
