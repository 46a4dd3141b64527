//! CloudWatch: what of a plan it can watch and show, how nearly, and what it needs for that.

mod alarms;
mod bind;
mod boards;
mod burn;
mod graph;
mod promql;
mod published;
mod timing;
mod unit;
mod value;

pub(super) use bind::bind;
pub(super) use published::published;

use super::context::Context;
use crate::cloudwatch::limits;
use crate::diag::Diagnostic;
use crate::naming;
use crate::plan::alert::Links;
use crate::plan::cloudwatch::{CloudWatch, NotExpressible, Scraped, Value, What};
use crate::plan::{Alert, Condition, Dashboard, Slo, SloKind};
use crate::promql::ast::MatchOp;
use crate::source::Span;
use crate::spec::{self, Text};
use alarms::{AlarmRequest, Builder};
use value::{Purpose, Scrapes, ValueRequest};

/// What the console is to show of what a condition compares.
///
/// # Errors
/// Says why it does not.
pub(super) fn console(via: spec::Via, condition: &Condition) -> Result<Value, NotExpressible> {
    let Condition::Compare(c) = condition else {
        return Err(NotExpressible::Several);
    };
    let found = value::read(ValueRequest {
        signal: &c.signal,
        stat: c.stat,
        purpose: Purpose::Picture,
        statistic: None,
        by: &[],
        via,
    })?;
    Ok(found.value)
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
    let mut builder = Builder {
        via: service.via,
        service: spec.service.name.value.clone(),
        alarms: Vec::new(),
        parity: Vec::new(),
        scraped: Vec::new(),
        cx,
    };
    for slo in slos {
        objective(&mut builder, slo);
    }
    for alert in alerts {
        one(&mut builder, alert);
    }
    let known = account.is_some();
    let boards = boards::boards(&mut builder, slos, dashboards, known);
    let scraped = scraped(&builder.scraped);
    let (alarms, parity) = (builder.alarms, builder.parity);
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

fn objective(builder: &mut Builder<'_, '_>, slo: &Slo) {
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
                alarm: naming::alarm(&builder.service, &slo.alert_name),
                at: declared(builder.cx, |spec| {
                    spec.slos.get_key_value(slo.name.as_str()).map(|(k, _)| k)
                }),
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

fn one(builder: &mut Builder<'_, '_>, alert: &Alert) {
    let spec = builder.cx.spec;
    let over = spec.alerts.get(alert.name.as_str());
    let over = over.and_then(|alert| alert.cloudwatch.as_ref());
    let own = over.and_then(|over| over.value.name.as_ref());
    builder.alert(&AlarmRequest {
        what: What::Alert,
        name: alert.name.clone(),
        alarm: match own {
            Some(name) => name.value.clone(),
            None => naming::alarm(&builder.service, &alert.name),
        },
        at: declared(builder.cx, |spec| {
            spec.alerts
                .get_key_value(alert.name.as_str())
                .map(|(k, _)| k)
        }),
        description: description(&alert.summary, alert.action.as_deref(), &alert.links),
        severity: &alert.severity,
        condition: &alert.condition,
        hold: alert.hold,
        recorded: !alert.records.is_empty(),
        over,
    });
}

fn declared<'a>(cx: &Context<'a>, find: impl Fn(&'a spec::Spec) -> Option<&'a Text>) -> Span {
    find(cx.spec).map_or(cx.spec.service.name.span, |name| name.span)
}

/// What an alarm says: CloudWatch fills in no values, so those of templates become an ellipsis.
fn description(summary: &str, action: Option<&str>, links: &Links) -> String {
    let mut text = String::new();
    let mut rest = summary;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        text.push('…');
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let tail = [action.unwrap_or_default(), &links.runbook];
    let tail: Vec<_> = tail.into_iter().filter(|line| !line.is_empty()).collect();
    let tail = tail.join("\n");
    let room = limits::DESCRIPTION.saturating_sub(tail.chars().count() + 2);
    if text.chars().count() > room {
        text = text
            .chars()
            .take(room.saturating_sub(1))
            .chain(['…'])
            .collect();
    }
    let whole = format!("{text}\n{tail}");
    whole.trim().chars().take(limits::DESCRIPTION).collect()
}

/// What the agent must deliver, sorted.
fn scraped(used: &Scrapes) -> Vec<Scraped> {
    let mut all: Vec<Scraped> = Vec::new();
    for (signal, dimensions) in used {
        let Some(family) = signal.family() else {
            continue;
        };
        let job = family.matchers.iter();
        let job = job
            .filter(|(label, op, _)| label == "job" && *op == MatchOp::Equal)
            .map(|(_, _, value)| value.clone())
            .next();
        for name in &family.names {
            let same = |s: &&mut Scraped| s.family == *name && s.job == job;
            match all.iter_mut().find(same) {
                Some(known) if known.dimension_sets.contains(dimensions) => {}
                Some(known) => known.dimension_sets.push(dimensions.clone()),
                None => all.push(Scraped {
                    family: name.clone(),
                    job: job.clone(),
                    dimension_sets: vec![dimensions.clone()],
                }),
            }
        }
    }
    all.iter_mut().for_each(|s| s.dimension_sets.sort());
    all.sort();
    all
}
