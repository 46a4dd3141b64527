//! CloudWatch: the settings of a service, and alarms and dashboards for the rest of its plan.
//!
//! Overrides of an alert become a part of its [`AlarmRequest`]; `parity` decides how CloudWatch can express the plan.

pub(super) mod bind;
mod maintenance;
mod published;
mod settings;
mod unit;
pub(super) mod vended;

pub(super) use published::published;

use super::context::Context;
use std::collections::BTreeSet;

use slosmith_cloudwatch::{is_tag, limits};
use slosmith_plan::parity::{AlarmRequest, Builder, Built, Known, description};
use slosmith_plan::plan::cloudwatch::{Actions, Arns, CloudWatch};
use slosmith_plan::plan::{Alert, Condition, Dashboard, Signal, Slo, words};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, FamilyKind, Spec, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::units::Duration;

pub(super) fn resolve(
    cx: &mut Context<'_>,
    slos: &[Slo],
    alerts: &[Alert],
    dashboards: &[Dashboard],
) -> Option<CloudWatch> {
    let spec = cx.spec;
    let Some(service) = &spec.cloudwatch else {
        reject_overrides(cx);
        return None;
    };
    let account = settings::check(cx, service);
    let mut mutes = maintenance::check(cx, service);
    let name = spec.service.name.value.as_str();
    let plain = plain_series(cx);
    let environment = environment(spec);
    let values = values(cx, service);
    let known = Known {
        group_by: &spec.prometheus.group_by,
        target: &spec.prometheus.scrape_labels,
        plain: &plain,
        environment: &environment,
        values: &values,
    };
    let mut builder = Builder::new(name, service.via, &known, &mut cx.sink);
    for slo in slos {
        builder.tiers(slo);
    }
    for alert in alerts {
        one(&mut builder, spec, alert);
    }
    let told = untagged(slos, alerts);
    let dashboards = builder.dashboards(slos, dashboards, account.is_some());
    let Built {
        alarms,
        scraped,
        parity,
    } = builder.finish();
    cx.notes.extend(told);
    settings::check_actions(cx, service, &alarms);
    maintenance::mute(cx, &mut mutes, &alarms);
    let mut tags = pairs(&service.tags, |value| value.value.clone());
    // Terraform and CDK sort them too.
    tags.sort();
    Some(CloudWatch {
        region: service.region.value.clone(),
        account,
        namespace: service
            .namespace
            .as_ref()
            .map_or_else(String::new, |name| name.value.clone()),
        via: service.via,
        actions: actions(spec, service),
        tags,
        alarms,
        dashboards,
        scraped,
        parity,
        environment,
        values,
        mutes,
    })
}

/// Labels of groups that no page has: one agent reads the pages of one environment.
fn environment(spec: &Spec) -> Vec<String> {
    let labels = &spec.prometheus;
    let added = |label: &&Text| {
        let mut all = labels.scrape_labels.iter().chain(&labels.external_labels);
        all.any(|added| added.value == label.value)
    };
    let group_by = spec.prometheus.group_by.iter().filter(added);
    group_by.map(|label| label.value.clone()).collect()
}

fn values(cx: &mut Context<'_>, service: &spec::CloudWatch) -> Vec<(String, Vec<String>)> {
    for (label, values) in &service.values {
        let known = cx
            .ready_signals()
            .any(|signal| signal.labels.contains(&label.value));
        if !known {
            let message = format!("no signal has the label `{label}`");
            let error = Diagnostic::error("unknown-label", label.span, message);
            cx.sink
                .push(error.help("use a label of the signals that alerts use"));
        }
        if values.value.is_empty() {
            let message = format!("the label `{label}` has no values");
            let error = Diagnostic::error("missing-field", values.span, message);
            cx.sink
                .push(error.help("list all values of the label, such as `[a, b]`"));
        }
        for (i, value) in values.value.iter().enumerate() {
            if !limits::is_dimension_value(&value.value) {
                let message = format!("`{value}` is not a valid dimension value");
                let error = Diagnostic::error("bad-name", value.span, message);
                cx.sink.push(
                    error.help("use printable ASCII; the value must not be blank, `.` or `...`"),
                );
            }
            if values.value[..i]
                .iter()
                .any(|before| before.value == value.value)
            {
                let message = format!("`{value}` appears twice");
                let error = Diagnostic::error("duplicate-name", value.span, message);
                cx.sink.push(error.help("remove one of the two"));
            }
        }
    }
    pairs(&service.values, |values| {
        let mut all = texts(&values.value);
        let mut seen = BTreeSet::new();
        all.retain(|value| limits::is_dimension_value(value) && seen.insert(value.clone()));
        all
    })
}

fn texts(all: &[Text]) -> Vec<String> {
    all.iter().map(|text| text.value.clone()).collect()
}

/// Names of gauges and counters, which have no histogram series.
fn plain_series(cx: &Context<'_>) -> Vec<String> {
    let families = cx.ready_signals().filter_map(Signal::family);
    let plain = families.filter(|family| family.kind != FamilyKind::Histogram);
    plain
        .flat_map(|family| family.names.iter().cloned())
        .collect()
}

fn untagged(slos: &[Slo], alerts: &[Alert]) -> Vec<String> {
    let of_slos = slos.iter().flat_map(Slo::marks).map(|(_, marks)| marks);
    let all = of_slos.chain(alerts.iter().map(|alert| &alert.marks));
    let labels = all.flat_map(|marks| &marks.labels);
    let odd = labels.filter(|(name, value)| value.contains("{{") || !is_tag(name, value));
    let told: BTreeSet<_> = odd.map(|(name, _)| name).collect();
    let told = told.into_iter();
    told.map(|name| {
        format!(
            "the label `{name}` is not added as an alarm tag: CloudWatch does not allow its value"
        )
    })
    .collect()
}

/// Notification targets of paging alerts also get the OK notification, unless the spec has `ok_actions`.
fn actions(spec: &Spec, service: &spec::CloudWatch) -> Actions {
    let arns = |map: &spec::Map<Vec<Text>>| pairs(map, |arns| texts(arns));
    let alarm: Arns = arns(&service.actions);
    let ok = match &service.ok_actions {
        Some(given) => arns(given),
        None => {
            let page = &spec.severities.page.name.value;
            let of_pages = alarm.iter().filter(|(severity, _)| severity == page);
            let told = of_pages.map(|(severity, arns)| {
                let own = arns.iter().filter(|arn| tells(arn)).cloned();
                (severity.clone(), own.collect())
            });
            told.collect()
        }
    };
    Actions {
        ok,
        insufficient_data: arns(&service.insufficient_data_actions),
        alarm,
    }
}

/// True for an action that sends a notification, and does not stop an instance or open an incident.
fn tells(arn: &str) -> bool {
    matches!(arn.split(':').nth(2), Some("sns" | "lambda"))
}

fn pairs<T, U>(map: &spec::Map<T>, value: impl Fn(&T) -> U) -> Vec<(String, U)> {
    let pairs = map.iter();
    pairs.map(|(k, v)| (k.value.clone(), value(v))).collect()
}

fn reject_overrides(cx: &mut Context<'_>) {
    for alert in cx.spec.alerts.values() {
        if let Some(over) = &alert.cloudwatch {
            let at = cx.document.key(over.span, "cloudwatch");
            let message = "this alert has `cloudwatch` settings, but the spec has no top-level `cloudwatch` block";
            let error = Diagnostic::error("missing-field", at, message);
            let help = "add `cloudwatch: {region: …, namespace: …}` at the top level";
            cx.sink.push(error.help(help));
        }
    }
}

fn one(builder: &mut Builder<'_>, spec: &Spec, alert: &Alert) {
    let over = spec.alerts.get(alert.name.as_str());
    let over = over.and_then(|alert| alert.cloudwatch.as_ref());
    let own = over.and_then(|over| over.value.name.as_ref());
    builder.alert(&AlarmRequest {
        alert,
        alarm: match own {
            Some(name) => name.value.clone(),
            None => naming::alarm(&spec.service.name.value, &alert.name),
        },
        at: declared(spec, spec.alerts.get_key_value(alert.name.as_str())),
        description: described(alert),
        over,
    });
}

/// The condition as a line of a description.
fn held(condition: &Condition, hold: Duration) -> String {
    let stored = condition.signals().into_iter().all(Signal::is_stored);
    let place = if stored {
        "Prometheus condition"
    } else {
        "Condition"
    };
    format!("{place}: {}", words::condition_held(condition, hold))
}

/// The description of an alarm. A summary that repeats the condition is left out, and so is PromQL from the spec.
fn described(alert: &Alert) -> String {
    let line = held(&alert.condition, alert.hold);
    let held = words::condition_held(&alert.condition, alert.hold);
    let is_promql = matches!(&alert.condition, Condition::Raw(raw) if raw.words.is_none());
    let (summary, condition) = match (alert.summary_is_own, is_promql) {
        (_, true) => (alert.summary.clone(), None),
        (true, false) => (alert.summary.clone(), Some(line.as_str())),
        (false, false) => (words::capital(&held), None),
    };
    description(&summary, condition, alert.action.as_deref(), &alert.links)
}

fn declared<T>(spec: &Spec, entry: Option<(&Text, &T)>) -> Span {
    entry.map_or(spec.service.name.span, |(name, _)| name.span)
}
