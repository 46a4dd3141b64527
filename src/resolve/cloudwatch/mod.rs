//! CloudWatch: the settings of a service, and alarms and dashboards for the rest of its plan.
//!
//! Here are its settings, and what the author of an alert wants otherwise: `cloudwatch: {actions: {critical: [six ARNs]}}`
//! is refused at `critical`. What CloudWatch can say of the plan is decided in `parity`.

pub(super) mod bind;
mod published;
mod unit;

pub(super) use published::published;

use super::context::Context;
use super::query::{self, Read};
use super::{bound, slos};
use crate::cloudwatch::limits;
use crate::diag::Diagnostic;
use crate::naming;
use crate::parity::{AlarmRequest, Builder, Built, Queries, description};
use crate::plan::cloudwatch::{CloudWatch, What};
use crate::plan::dashboard::Reading;
use crate::plan::{Alert, Dashboard, EventSlo, Slo, SloKind, ValueUnit};
use crate::promql::ast::Expr;
use crate::source::Span;
use crate::spec::{self, Spec, Text};
use crate::units::Duration;

/// PromQL from the counters themselves, grouped as the service's dashboards are.
struct Direct<'a>(&'a [Text]);

impl Queries for Direct<'_> {
    fn bad_ratio(&self, slo: &Slo, events: &EventSlo, window: Duration) -> Expr {
        slos::direct_ratio(&events.sli, &slo.labels, window)
    }

    fn reading(&self, reading: &Reading, window: Duration, unit: ValueUnit) -> Expr {
        let signal = &reading.signal;
        let labels = self.0.iter().map(|label| &label.value).chain(&reading.by);
        let labels = labels.filter(|label| signal.labels.contains(label));
        let read = Read {
            signal,
            stat: reading.stat,
            window,
            zoomed: false,
            labels: labels.cloned().collect(),
        };
        bound::per_time(query::query(&read, None).expr, unit)
    }
}

/// Everything that CloudWatch gets; nothing when the spec does not ask for it.
pub(super) fn resolve(
    cx: &mut Context<'_>,
    slos: &[Slo],
    alerts: &[Alert],
    dashboards: &[Dashboard],
) -> Option<CloudWatch> {
    let spec = cx.spec;
    let Some(service) = &spec.cloudwatch else {
        refuse_overrides(cx);
        return None;
    };
    let account = check(cx, service);
    let queries = Direct(&spec.prometheus.group_by);
    let name = spec.service.name.value.as_str();
    let mut builder = Builder::new(name, service.via, &queries, &mut cx.sink);
    for slo in slos {
        objective(&mut builder, spec, slo);
    }
    for alert in alerts {
        one(&mut builder, spec, alert);
    }
    let boards = builder.boards(slos, dashboards, account.is_some());
    let Built {
        alarms,
        scraped,
        parity,
    } = builder.finish();
    let mut tags = pairs(&service.tags, |value| value.value.clone());
    // Terraform and CDK sort them too.
    tags.sort();
    Some(CloudWatch {
        region: service.region.value.clone(),
        account,
        namespace: service.namespace.value.clone(),
        via: service.via,
        actions: pairs(&service.actions, |arns| {
            arns.iter().map(|arn| arn.value.clone()).collect()
        }),
        tags,
        alarms,
        boards,
        scraped,
        parity,
    })
}

fn pairs<T, U>(map: &spec::Map<T>, value: impl Fn(&T) -> U) -> Vec<(String, U)> {
    let pairs = map.iter();
    pairs.map(|(k, v)| (k.value.clone(), value(v))).collect()
}

fn refuse_overrides(cx: &mut Context<'_>) {
    for alert in cx.spec.alerts.values() {
        if let Some(over) = &alert.cloudwatch {
            let at = cx.document.key(over.span, "cloudwatch");
            let message = "an alarm of CloudWatch, but the service has no `cloudwatch`";
            let error = Diagnostic::error("missing-field", at, message);
            let help = "add `cloudwatch: {region: …, namespace: …}` at the top";
            cx.sink.push(error.help(help));
        }
    }
}

/// Checks what belongs to the service; gives back its account.
fn check(cx: &mut Context<'_>, service: &spec::CloudWatch) -> Option<String> {
    let mut refuse = |text: &Text, message: String, help: &str| {
        let error = Diagnostic::error("bad-name", text.span, message);
        cx.sink.push(error.help(help.to_owned()));
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if service.region.value.is_empty() || !service.region.value.chars().all(plain) {
        let message = format!("`{}` is no region", service.region);
        refuse(&service.region, message, "write one like `us-east-1`");
    }
    let namespace = &service.namespace;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._/#:- ".contains(c);
    let length = namespace.value.chars().count();
    if !(1..=limits::NAME).contains(&length)
        || namespace.value.starts_with(':')
        || namespace.value.starts_with("AWS/")
        || !namespace.value.chars().all(fits)
    {
        let message = format!("`{namespace}` is no namespace that one can publish to");
        let most = limits::NAME;
        let help =
            format!("1 to {most} letters, digits and `._/#:-`, not beginning with `:` or `AWS/`");
        refuse(namespace, message, &help);
    }
    if let Some(account) = &service.account
        && !is_account(&account.value)
    {
        let message = format!("`{account}` is no account");
        refuse(account, message, "it has twelve digits; write it in quotes");
    }
    for (severity, arns) in &service.actions {
        if arns.len() > limits::ACTIONS {
            let message = format!("`{severity}` has {} actions", arns.len());
            let help = format!("an alarm tells {} at most", limits::ACTIONS);
            refuse(severity, message, &help);
        }
        for arn in arns {
            if !arn.value.starts_with("arn:") || arn.value.chars().count() > limits::ACTION {
                let message = format!("`{arn}` is no ARN");
                refuse(
                    arn,
                    message,
                    "write it like `arn:aws:sns:us-east-1:123456789012:topic`",
                );
            }
        }
    }
    for (key, value) in &service.tags {
        let length = |text: &Text| text.value.chars().count();
        if !(1..=limits::TAG_NAME).contains(&length(key)) || key.value.starts_with("aws:") {
            let most = limits::TAG_NAME;
            let help = format!("1 to {most} characters, not beginning with `aws:`");
            refuse(key, "this cannot be the name of a tag".to_owned(), &help);
        }
        if length(value) > limits::TAG_VALUE {
            let message = format!("the value of a tag has {} characters", length(value));
            let help = format!("{} are allowed", limits::TAG_VALUE);
            refuse(value, message, &help);
        }
    }
    unknown_severities(cx, service);
    let own = service
        .account
        .as_ref()
        .map(|account| account.value.clone());
    let arns = service.actions.values().flatten();
    let mut told = arns.filter_map(|arn| arn.value.split(':').nth(4));
    own.or_else(|| told.find(|text| is_account(text)).map(str::to_owned))
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit())
}

/// Actions that no alert would ever take.
fn unknown_severities(cx: &mut Context<'_>, service: &spec::CloudWatch) {
    let spec = cx.spec;
    let alerts = spec.alerts.values().map(|alert| &alert.severity);
    let tiers = spec
        .slos
        .values()
        .filter_map(|slo| slo.burn.as_ref()?.value.tiers.as_ref())
        .flat_map(|tiers| &tiers.value)
        .filter_map(|tier| tier.value.severity.as_ref());
    let percentiles = spec
        .slos
        .values()
        .filter_map(|slo| slo.alert.as_ref()?.value.severity.as_ref());
    let mut known: Vec<&str> = [&spec.severities.page, &spec.severities.ticket]
        .into_iter()
        .chain(alerts)
        .chain(tiers)
        .chain(percentiles)
        .map(|severity| severity.value.as_str())
        .collect();
    known.sort_unstable();
    known.dedup();
    for severity in service.actions.keys() {
        if !known.contains(&severity.value.as_str()) {
            let message = format!("no alert has the severity `{severity}`");
            let help = crate::diag::did_you_mean(&severity.value, known.iter().copied());
            let help = help.unwrap_or_else(|| format!("there are {}", known.join(", ")));
            let error = Diagnostic::error("unknown-name", severity.span, message);
            cx.sink.push(error.help(help));
        }
    }
}

fn objective(builder: &mut Builder<'_>, spec: &Spec, slo: &Slo) {
    match &slo.kind {
        SloKind::Events(events) => builder.tiers(slo, events),
        SloKind::Percentile(percentile) => {
            let Some(alert) = &percentile.alert else {
                return;
            };
            let summary = format!("{}: the objective is missed", slo.title);
            builder.alert(&AlarmRequest {
                what: What::Slo,
                name: format!("{}: {}", slo.name, slo.alert_name),
                alarm: naming::alarm(&spec.service.name.value, &slo.alert_name),
                at: declared(spec, spec.slos.get_key_value(slo.name.as_str())),
                description: description(&summary, None, &slo.links),
                severity: &alert.severity,
                condition: &alert.condition,
                hold: alert.hold,
                recorded: false,
                over: None,
            });
        }
    }
}

fn one(builder: &mut Builder<'_>, spec: &Spec, alert: &Alert) {
    let over = spec.alerts.get(alert.name.as_str());
    let over = over.and_then(|alert| alert.cloudwatch.as_ref());
    let own = over.and_then(|over| over.value.name.as_ref());
    builder.alert(&AlarmRequest {
        what: What::Alert,
        name: alert.name.clone(),
        alarm: match own {
            Some(name) => name.value.clone(),
            None => naming::alarm(&spec.service.name.value, &alert.name),
        },
        at: declared(spec, spec.alerts.get_key_value(alert.name.as_str())),
        description: description(&alert.summary, alert.action.as_deref(), &alert.links),
        severity: &alert.severity,
        condition: &alert.condition,
        hold: alert.hold,
        recorded: !alert.records.is_empty(),
        over,
    });
}

fn declared<T>(spec: &Spec, entry: Option<(&Text, &T)>) -> Span {
    entry.map_or(spec.service.name.span, |(name, _)| name.span)
}
