//! Metrics that AWS services publish: names, units and dimensions in a binding, compared with AWS's documentation.
//!
//! An alarm on a metric that does not exist never has data. Only what is certain is told: a name is wrong where a known one
//! is near, because AWS adds metrics.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use slosmith_spec::spec::{MetricBinding, Text};
use slosmith_text::diag::{Diagnostic, Sink, did_you_mean, one_of};
use slosmith_text::source::{FileId, Spanned};
use slosmith_text::units::Duration;
use slosmith_text::yaml;

/// What is known of a namespace.
#[derive(Deserialize)]
struct Service {
    dimensions: Vec<String>,
    /// The form of a dimension's values, such as `app/NAME/ID`.
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// A dimension of every metric.
    always_with: Option<String>,
    /// Metrics that exist with a dimension alone.
    #[serde(default)]
    needs: BTreeMap<String, String>,
    /// Times that no value passes.
    #[serde(default)]
    highest: BTreeMap<String, Duration>,
    /// Events that another metric counts, too.
    #[serde(default)]
    parts: BTreeMap<String, Vec<String>>,
    /// Names by unit, and those whose unit is not known under `other`.
    #[serde(flatten)]
    metrics: IndexMap<String, Vec<String>>,
}

static SERVICES: LazyLock<BTreeMap<String, Service>> = LazyLock::new(|| {
    let file = FileId(u32::MAX);
    let services = yaml::read(file, include_str!("vended.yaml"));
    services.expect("a test reads the embedded list")
});

/// The unit in which AWS publishes a metric.
pub(super) fn unit(namespace: &str, metric: &str) -> Option<&'static str> {
    let service = SERVICES.get(namespace)?;
    let has = |names: &&Vec<String>| names.iter().any(|name| name == metric);
    let (unit, _) = service.metrics.iter().find(|(_, names)| has(names))?;
    (unit != "other").then_some(unit.as_str())
}

/// The longest time that a metric of AWS can have: a function of Lambda ends after 15 minutes.
pub(crate) fn highest(namespace: &str, metric: &str) -> Option<Duration> {
    SERVICES.get(namespace)?.highest.get(metric).copied()
}

/// True if AWS documents that a metric counts each event of another one.
pub(crate) fn is_part(namespace: &str, part: &str, total: &str) -> bool {
    let service = SERVICES.get(namespace);
    let parts = service.and_then(|service| service.parts.get(total));
    parts.is_some_and(|parts| parts.iter().any(|name| name == part))
}

/// Warns of a metric without data: its name, its dimensions or their values are not AWS's.
pub(super) fn check(sink: &mut Sink, namespace: &Text, binding: &Spanned<MetricBinding>) {
    let Some(service) = SERVICES.get(&namespace.value) else {
        let mut known = SERVICES.keys();
        if let Some(meant) = known.find(|known| known.eq_ignore_ascii_case(&namespace.value)) {
            let message = format!("AWS has no namespace `{namespace}`");
            let warning = Diagnostic::warning("unknown-metric", namespace.span, message);
            sink.push(warning.help(format!("did you mean `{meant}`?")));
        }
        return;
    };
    let b = &binding.value;
    if let Some(metric) = &b.metric {
        check_name(sink, namespace, service, metric);
    }
    for (name, value) in &b.dimensions {
        check_dimension(sink, namespace, service, name, value);
    }
    check_needed(sink, service, b);
    if let Some(dimension) = &service.always_with
        && b.dimensions.is_empty()
        && b.dimension_sets.is_none()
    {
        let at = b.metric.as_ref().map_or(binding.span, |metric| metric.span);
        let message = format!("`{namespace}` has no metric without dimensions");
        let warning = Diagnostic::warning("unknown-label", at, message);
        sink.push(warning.help(format!("add `dimensions: {{{dimension}: …}}`")));
    }
}

/// Warns of a metric that never exists without a dimension.
fn check_needed(sink: &mut Sink, service: &Service, b: &MetricBinding) {
    let metric = b.metric.as_ref();
    let needed = metric.and_then(|metric| Some((metric, service.needs.get(&metric.value)?)));
    let has = |dimension: &String| b.dimensions.keys().any(|own| own.value == *dimension);
    if let Some((metric, dimension)) =
        needed.filter(|(_, dimension)| !b.dimensions.is_empty() && !has(dimension))
    {
        let message = format!("`{metric}` does not exist without the dimension `{dimension}`");
        let warning = Diagnostic::warning("unknown-label", metric.span, message);
        sink.push(warning.help(format!("add `{dimension}` to `dimensions`")));
    }
}

fn check_name(sink: &mut Sink, namespace: &Text, service: &Service, metric: &Text) {
    let known = || service.metrics.values().flatten().map(String::as_str);
    if known().any(|name| name == metric.value) {
        return;
    }
    let same = known().find(|name| name.eq_ignore_ascii_case(&metric.value));
    let help = same.map(|name| format!("did you mean `{name}`?"));
    if let Some(help) = help.or_else(|| did_you_mean(&metric.value, known())) {
        let message = format!("`{namespace}` has no metric `{metric}`");
        let warning = Diagnostic::warning("unknown-metric", metric.span, message);
        sink.push(warning.help(help));
    }
}

fn check_dimension(
    sink: &mut Sink,
    namespace: &Text,
    service: &Service,
    name: &Text,
    value: &Text,
) {
    if !service.dimensions.contains(&name.value) {
        let known = service.dimensions.iter().map(String::as_str);
        let help = did_you_mean(&name.value, known);
        let help = help.unwrap_or_else(|| format!("use {}", one_of(&service.dimensions)));
        let message = format!("`{namespace}` has no dimension `{name}`");
        let warning = Diagnostic::warning("unknown-label", name.span, message);
        sink.push(warning.help(help));
    } else if let Some(form) = service.values.get(&name.value)
        && !has_form(&value.value, form)
    {
        let message = format!("no `{name}` in `{namespace}` has the value `{value}`");
        let warning = Diagnostic::warning("unknown-label-value", value.span, message);
        sink.push(warning.help(format!("AWS writes the value as `{form}`")));
    }
}

/// True where the parts between the slashes are those of the form; capitals stand for any text.
fn has_form(value: &str, form: &str) -> bool {
    let fits = |(part, form): (&str, &str)| match form.chars().all(char::is_uppercase) {
        true => !part.is_empty() && !part.contains(':'),
        false => part == form,
    };
    value.split('/').count() == form.split('/').count()
        && value.split('/').zip(form.split('/')).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloudwatch::unit;

    #[test]
    fn every_unit_of_the_list_is_one_that_a_spec_can_have() {
        for (namespace, service) in SERVICES.iter() {
            for unit in service.metrics.keys().filter(|unit| *unit != "other") {
                assert!(
                    unit::names().any(|known| known == unit),
                    "{namespace}: {unit}"
                );
            }
            let known = |name: &String| service.dimensions.contains(name);
            assert!(service.values.keys().all(known), "{namespace}");
            assert!(service.always_with.iter().all(known), "{namespace}");
        }
    }

    #[test]
    fn values_have_the_form_that_aws_writes() {
        assert!(has_form("app/shop/50dc6c495c0c9188", "app/NAME/ID"));
        assert!(!has_form("shop", "app/NAME/ID"));
        assert!(!has_form("net/shop/1", "app/NAME/ID"));
        assert!(!has_form("arn:aws:sqs:us-east-1:1:jobs", "NAME"));
        assert!(has_form("jobs.fifo", "NAME"));
    }
}
