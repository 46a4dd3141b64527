//! Settings of a service: region, namespace, account, actions, tags.
//!
//! `actions: {critical: [six ARNs]}` is an error at `critical`; without `account`, the first ARN gives the account.

use crate::context::Context;
use crate::{names, service};
use slosmith_cloudwatch::{Sort, elsewhere, is_region, is_reserved, limits, partition, refused};
use slosmith_plan::plan::cloudwatch::{Alarm, AlarmKind, Test, Value};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::{Diagnostic, one_of};

/// Checks what belongs to the service; gives back its account.
pub(super) fn check(cx: &mut Context<'_>, service: &spec::CloudWatch) -> Option<String> {
    let mut reject = |text: &Text, message: String, help: &str| {
        let error = Diagnostic::error("bad-name", text.span, message);
        cx.sink.push(error.help(help.to_owned()));
    };
    if !is_region(&service.region.value) {
        let message = format!("`{}` is not a valid AWS region", service.region);
        reject(&service.region, message, "use a region such as `us-east-1`");
    }
    if let Some(namespace) = &service.namespace {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._/#:- ".contains(c);
        let length = namespace.value.chars().count();
        let wrong = !(1..=limits::NAME).contains(&length)
            || namespace.value.starts_with(':')
            || limits::is_repetition(&namespace.value)
            || namespace.value.starts_with("AWS/")
            || !namespace.value.chars().all(fits);
        if wrong {
            let message = format!("`{namespace}` is not a valid namespace for custom metrics");
            let most = limits::NAME;
            let help = format!(
                "use 1 to {most} letters, digits and `._/#:-`; do not begin with `:` or `AWS/`"
            );
            reject(namespace, message, &help);
        }
    }
    if let Some(account) = &service.account
        && !is_account(&account.value)
    {
        let message = format!("`{account}` is not a valid AWS account ID");
        reject(account, message, "write the twelve digits in quotes");
    }
    for (severity, arns) in service.all_actions() {
        if arns.len() > limits::ACTIONS {
            let message = format!(
                "`{severity}` has {} actions; an alarm can have {}",
                arns.len(),
                limits::ACTIONS
            );
            let help = format!("list at most {} actions", limits::ACTIONS);
            reject(severity, message, &help);
        }
    }
    for (i, (key, value)) in service.tags.iter().enumerate() {
        let length = |text: &Text| text.value.chars().count();
        if i == limits::TAGS {
            let message = format!("`tags` has {} entries", service.tags.len());
            reject(key, message, &format!("use at most {} tags", limits::TAGS));
        }
        if !(1..=limits::TAG_NAME).contains(&length(key)) || is_reserved(&key.value) {
            let most = limits::TAG_NAME;
            let help = format!("use 1 to {most} characters; do not begin with `aws:`");
            reject(key, format!("`{key}` is not a valid tag key"), &help);
        }
        if length(value) > limits::TAG_VALUE {
            let message = format!("this tag value has {} characters", length(value));
            let help = format!("use at most {} characters", limits::TAG_VALUE);
            reject(value, message, &help);
        }
    }
    invalid_actions(cx, service);
    unknown_severities(cx, service);
    let own = service
        .account
        .as_ref()
        .map(|account| account.value.clone());
    let arns = service.all_actions().flat_map(|(_, arns)| arns);
    let mut named = arns.filter_map(|arn| arn.value.split(':').nth(4));
    own.or_else(|| named.find(|text| is_account(text)).map(str::to_owned))
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit())
}

fn invalid_actions(cx: &mut Context<'_>, service: &spec::CloudWatch) {
    let region = service.region.value.as_str();
    let example = format!("arn:{}:sns:{region}:123456789012:topic", partition(region));
    for (state, _, arn) in arns(service) {
        let why = refused(&arn.value, state, Sort::Metric);
        let placed = || elsewhere(&arn.value, region).filter(|_| is_region(region));
        if let Some(why) = why.or_else(placed) {
            let error = Diagnostic::error("bad-name", arn.span, why);
            let help = format!("use the ARN of an SNS topic, such as `{example}`");
            let of = arn
                .value
                .split(':')
                .nth(3)
                .filter(|of| is_region(of) && *of != region);
            let other = of.map(|of| format!("or set `region: {of}`, if the service runs there"));
            cx.sink.push(error.help(help).maybe_help(other));
        }
    }
}

pub(super) fn check_actions(cx: &mut Context<'_>, service: &spec::CloudWatch, alarms: &[Alarm]) {
    without_actions(cx, service, alarms);
    doubt_topics(cx, service);
    for (state, severity, arn) in arns(service) {
        let mut own = alarms
            .iter()
            .filter(|alarm| alarm.severity.as_ref() == Some(&severity.value));
        let why = own.find_map(|alarm| Some((alarm, refused(&arn.value, state, sort(alarm))?)));
        let known = refused(&arn.value, state, Sort::Metric).is_some();
        if let Some((alarm, why)) = why.filter(|_| !known) {
            let message = format!("the alarm `{}` cannot use this action: {why}", alarm.name);
            let error = Diagnostic::error("alarm-limit", arn.span, message);
            cx.sink
                .push(error.help("move this action to another severity, or use an SNS topic"));
        }
    }
}

/// Warns of alarms that notify no one while others do.
fn without_actions(cx: &mut Context<'_>, service: &spec::CloudWatch, alarms: &[Alarm]) {
    let Some((first, _)) = service.actions.iter().next() else {
        return;
    };
    if cx.sink.has_errors() {
        return;
    }
    let severities = alarms.iter().filter_map(|alarm| alarm.severity.as_ref());
    let mut without: Vec<_> = severities
        .filter(|severity| !service.actions.contains_key(severity.as_str()))
        .collect();
    without.sort();
    without.dedup();
    for severity in without {
        let message = format!("alarms of the severity `{severity}` have no action");
        let warning = Diagnostic::warning("missing-field", first.span, message);
        cx.sink.push(warning.help(format!(
            "add `{severity}: [ARN]` to `actions`, or `{severity}: []` for alarms that notify no one"
        )));
    }
}

/// Warns of pages that go to a topic for tickets, and of tickets that page.
fn doubt_topics(cx: &mut Context<'_>, service: &spec::CloudWatch) {
    const PAGES: [&str; 5] = ["critical", "page", "pager", "pages", "urgent"];
    const TICKETS: [&str; 6] = ["email", "info", "ticket", "tickets", "warning", "warnings"];
    let severities = service::severities(cx);
    for (severity, arns) in &service.actions {
        let (what, wrong, right) = match severity.value {
            ref name if *name == severities.page => ("pages", &TICKETS[..], &PAGES[..]),
            ref name if *name == severities.ticket => ("tickets", &PAGES[..], &TICKETS[..]),
            _ => continue,
        };
        for arn in arns {
            let topic = arn.value.rsplit(':').next().unwrap_or_default();
            let words = names::words(topic);
            let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
            if has(wrong) && !has(right) {
                let message = format!(
                    "alarms of the severity `{severity}` are {what}, and the action is `{topic}`"
                );
                let warning = Diagnostic::warning("contradiction", arn.span, message);
                cx.sink.push(
                    warning.help("exchange the actions of the severities, or the severities"),
                );
            }
        }
    }
}

/// Each action with its state, as the API calls it, and its severity.
fn arns(service: &spec::CloudWatch) -> impl Iterator<Item = (&'static str, &Text, &Text)> {
    let ok = service.ok_actions.iter();
    let all = [
        ("AlarmActions", &service.actions),
        (
            "InsufficientDataActions",
            &service.insufficient_data_actions,
        ),
    ];
    let all = all.into_iter().chain(ok.map(|ok| ("OKActions", ok)));
    all.flat_map(|(state, map)| {
        map.iter()
            .flat_map(move |(severity, arns)| arns.iter().map(move |arn| (state, severity, arn)))
    })
}

fn sort(alarm: &Alarm) -> Sort {
    match &alarm.kind {
        AlarmKind::Composite(_) => Sort::Composite,
        AlarmKind::PromQl(_) => Sort::Metric,
        AlarmKind::Metric(metric) => match (&metric.test, &metric.value) {
            (Test::Band(..), _) => Sort::Band,
            (_, Value::Statistic(_)) => Sort::Metric,
            _ => Sort::Math,
        },
    }
}

fn unknown_severities(cx: &mut Context<'_>, service: &spec::CloudWatch) {
    let spec = cx.spec;
    let alerts = spec.alerts.values().map(|alert| &alert.severity);
    let tiers = spec
        .slos
        .values()
        .flat_map(|slo| slo.burn.iter().flat_map(|burn| burn.value.tiers()))
        .filter_map(|tier| tier.value.severity.as_ref());
    let severities = &spec.severities;
    let mut known: Vec<&str> = [&severities.page.name, &severities.ticket.name]
        .into_iter()
        .chain(alerts)
        .chain(tiers)
        .map(|severity| severity.value.as_str())
        .collect();
    known.sort_unstable();
    known.dedup();
    for (severity, _) in service.all_actions() {
        if !known.contains(&severity.value.as_str()) {
            let message = format!("no alert has the severity `{severity}`");
            let help = slosmith_text::diag::did_you_mean(&severity.value, known.iter().copied());
            let help = help.unwrap_or_else(|| format!("use {}", one_of(&known)));
            let error = Diagnostic::error("unknown-name", severity.span, message);
            cx.sink.push(error.help(help));
        }
    }
}
