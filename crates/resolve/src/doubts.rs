//! Warnings about a plan that builds and contradicts its own words: a title with `p99` over a p95, a summary with another threshold.

pub(super) mod starts;
mod text;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::context::Context;
use super::matchers::JOB;
use super::names;
use slosmith_plan::plan::cloudwatch::Delivery;
use slosmith_plan::plan::dashboard::{Origin, Series, Threshold};
use slosmith_plan::plan::{
    Alert, Bound, Compare, Condition, EventSli, Signal, SignalKind, Slo, Source,
};
use slosmith_plan::query::SignalQuery;
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith_promql::visit;
use slosmith_spec::spec::{self, Across, MatchValue, Missing, Role, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Number, Unit};
use text::{of_another, percentile};

/// Words in the names of gauges that are 0 in an idle service.
const QUEUES: [&str; 7] = [
    "waiting", "queue", "queued", "pending", "backlog", "lag", "inflight",
];

/// Words of what serves a queue: few of these are a fault.
const SERVERS: [&str; 9] = [
    "workers",
    "consumers",
    "replicas",
    "members",
    "threads",
    "capacity",
    "free",
    "available",
    "slots",
];

/// Warns of an alert whose name or summary contradicts its condition.
pub(super) fn alert(cx: &mut Context<'_>, name: &Text, given: &spec::Alert, alert: &Alert) {
    guard(cx, &given.when.value, &alert.condition);
    empty_queue(cx, &given.when.value, &alert.condition);
    text::fast(cx, name, given, &alert.condition);
    samples(cx, given, &alert.condition);
    let compares = alert.condition.compares();
    let stats: Vec<_> = compares
        .filter(|c| c.signal.kind() == SignalKind::Histogram)
        .map(|c| c.stat)
        .collect();
    single_events(cx, given, alert);
    starts::silent(cx, given, alert);
    breaching(cx, given, alert);
    let summary = given.notice.summary.as_ref();
    for text in [summary, given.description.as_ref(), given.action.as_ref()] {
        text.into_iter()
            .for_each(|text| text::shown(cx, text, alert));
    }
    for text in [Some(name), summary, given.description.as_ref()]
        .into_iter()
        .flatten()
    {
        percentile(cx, text, &stats);
    }
    if let Some(summary) = summary {
        text::compared(cx, summary, (&given.when.value, alert));
        text::total(cx, summary, alert);
        text::one_server(cx, summary, alert);
    }
}

/// Warns of events that are counted over a window that ends before the alert would fire.
fn single_events(cx: &mut Context<'_>, given: &spec::Alert, alert: &Alert) {
    let Condition::Compare(c) = &alert.condition else {
        return;
    };
    let any = matches!(&c.bound, Bound::Fixed(op, value, _) if op.is_upper() && *value == Number::from_integer(0));
    if any && c.stat == Stat::Increase && alert.hold >= c.window {
        let (window, hold) = (c.window, alert.hold);
        let message = format!(
            "one event never fires the alert: it counts for {window}, and the condition must hold for {hold}"
        );
        let warning = Diagnostic::warning("contradiction", given.when.span, message);
        cx.sink.push(warning.help(format!(
            "for an alert on one event, write a `for` below {window}; for one on repeated events, a higher threshold"
        )));
    }
}

/// Warns of a treatment of missing data that contradicts the condition: metrics of AWS have no data while there are no events.
fn breaching(cx: &mut Context<'_>, given: &spec::Alert, alert: &Alert) {
    let alarm = given.cloudwatch.as_ref();
    let Some(missing) = alarm.and_then(|alarm| alarm.value.missing.as_ref()) else {
        return;
    };
    let counts = |upper: bool| {
        alert.condition.compares().any(|c| {
            let is_so = matches!(&c.bound, Bound::Fixed(op, ..) if op.is_upper() == upper);
            is_so
                && c.signal.is_delivered(Delivery::Vended)
                && c.signal.kind() == SignalKind::Counter
        })
    };
    let what = match missing.value {
        Missing::Breaching if counts(true) => "counts as above the threshold",
        Missing::NotBreaching if counts(false) => "does not count as below the threshold",
        _ => return,
    };
    let message = format!(
        "missing data {what}, and a counter in CloudWatch has no data while there are no events"
    );
    let warning = Diagnostic::warning("contradiction", missing.span, message);
    cx.sink
        .push(warning.help("remove `missing`: the default fits the condition"));
}

/// Warns of a title that names another percentile, or another built-in signal, than what it is the title of.
pub(super) fn panel(cx: &mut Context<'_>, title: &Text, series: &[Series]) {
    let shown: Vec<_> = (series.iter())
        .filter_map(|series| match &series.origin {
            Origin::Signal(of) => Some((&of.signal, of.stat)),
            _ => None,
        })
        .collect();
    if shown.len() < series.len() {
        return;
    }
    let histograms = shown.iter();
    let histograms = histograms.filter(|(signal, _)| signal.kind() == SignalKind::Histogram);
    let stats: Vec<_> = histograms.map(|(_, stat)| *stat).collect();
    percentile(cx, title, &stats);
    let signals: Vec<_> = shown.iter().map(|(signal, _)| *signal).collect();
    of_another(cx, title, &signals);
}

/// Warns of a threshold of a panel that is said to be an alert's, where the alerts on the value have others.
pub(super) fn threshold(
    cx: &mut Context<'_>,
    given: &Spanned<spec::Threshold>,
    line: Option<&Threshold>,
    of_alerts: &[Threshold],
) {
    let Some(line) = line.filter(|line| line.role == Role::Alert) else {
        return;
    };
    if let Some(first) = of_alerts.first()
        && of_alerts.iter().all(|other| other.value != line.value)
    {
        let message = format!(
            "the panel has the threshold {} of an alert, and the alert on this value has {}",
            line.text, first.text
        );
        let warning = Diagnostic::warning("contradiction", given.span, message);
        cx.sink
            .push(warning.help("remove the threshold: panels show those of their alerts"));
    }
}

/// The same of the name of a record.
pub(super) fn record(cx: &mut Context<'_>, name: &Text, stat: Stat) {
    if matches!(stat, Stat::Quantile(_)) {
        percentile(cx, name, &[stat]);
    }
}

/// The same of an SLO. The share of fast requests is its objective.
pub(super) fn slo(cx: &mut Context<'_>, name: &Text, slo: &spec::Slo, read: &[&Text]) {
    let Ok(objective) = slo.objective.value.ratio() else {
        return;
    };
    let is_latency = slo.sli.value.latency.is_some();
    for text in [Some(name), slo.title.as_ref()].into_iter().flatten() {
        if is_latency {
            percentile(cx, text, &[Stat::Quantile(objective)]);
        }
    }
    text::numbers(cx, slo, objective);
    if let Some(title) = &slo.title {
        let read: Vec<_> = read
            .iter()
            .filter_map(|name| cx.optional_signal(name))
            .collect();
        let read: Vec<_> = read.iter().map(|signal| &**signal).collect();
        of_another(cx, title, &read);
    }
}

/// Warns of a limit on the traffic of a share beside it that has the wrong direction or is joined the wrong way.
fn guard(cx: &mut Context<'_>, given: &spec::Condition, condition: &Condition) {
    let (list, parts, is_all) = match (&given.all, &given.any, condition) {
        (Some(list), _, Condition::All(parts, _)) => (list, parts, true),
        (_, Some(list), Condition::Any(parts, _)) => (list, parts, false),
        _ => return,
    };
    let shares: Vec<_> = parts.iter().flat_map(Condition::compares).collect();
    let is_denominator = |signal: &Signal| {
        shares
            .iter()
            .any(|share| match (&share.signal.source, &share.bound) {
                (Source::Ratio { over, .. }, Bound::Fixed(op, ..)) if op.is_upper() => {
                    let both = over.family().zip(signal.family());
                    both.is_some_and(|(over, of)| over.served == of.served)
                }
                _ => false,
            })
    };
    for (part, spec) in parts.iter().zip(&list.value) {
        let Condition::Compare(limit) = part else {
            continue;
        };
        let Bound::Fixed(op, ..) = &limit.bound else {
            continue;
        };
        let (holds, help) = match (is_all, op.is_upper()) {
            (true, false) => (
                "only with little traffic",
                "write `at_least` instead of an upper limit",
            ),
            (false, true) if limit.stat == Stat::Increase => {
                ("with any normal traffic", "write `all` instead of `any`")
            }
            _ => continue,
        };
        if limit.signal.kind() == SignalKind::Counter && is_denominator(&limit.signal) {
            let name = &limit.signal.name;
            let message = format!(
                "the condition holds {holds}: `{name}` is the denominator of the share beside it"
            );
            let at = spec
                .value
                .signal
                .as_ref()
                .map_or(spec.span, |name| name.span);
            cx.sink
                .push(Diagnostic::warning("contradiction", at, message).help(help));
        }
    }
}

/// Warns of an alert that fires while a queue is empty.
fn empty_queue(cx: &mut Context<'_>, given: &spec::Condition, condition: &Condition) {
    let (Some(name), Condition::Compare(compare)) = (&given.signal, condition) else {
        return;
    };
    let Bound::Fixed(op, bound, _) = &compare.bound else {
        return;
    };
    let has = |words: &[&str]| names::has_word(&compare.signal, &name.value, words);
    let is_low = !op.is_upper() && *bound > Number::from_integer(0);
    let is_gauge = compare.signal.kind() == SignalKind::Gauge;
    if is_low && is_gauge && has(&QUEUES) && !has(&SERVERS) {
        let message = format!("the alert fires while `{name}` is 0, as in an idle service");
        let warning = Diagnostic::warning("contradiction", name.span, message);
        cx.sink.push(warning.help("write `above` for a long queue"));
    }
}

/// Warns of a statistic of an AWS metric that adds the samples of a gauge, that holds only for all of them, or that is no percentile.
fn samples(cx: &mut Context<'_>, given: &spec::Alert, condition: &Condition) {
    let own = given.cloudwatch.as_ref();
    let Some(statistic) = own.and_then(|own| own.value.statistic.as_ref()) else {
        return;
    };
    let is_vended = |compare: &&Compare| compare.signal.is_delivered(Delivery::Vended);
    for compare in condition.compares().filter(is_vended) {
        let Bound::Fixed(op, ..) = &compare.bound else {
            continue;
        };
        let word = op.as_str();
        let (message, help) = match (statistic.value.as_str(), op.is_upper()) {
            ("Average", _) if matches!(compare.stat, Stat::Quantile(_)) => (
                format!(
                    "the alarm compares the mean, and the condition is on the {}",
                    compare.stat
                ),
                "remove `statistic`, or write the percentile",
            ),
            _ if compare.signal.kind() != SignalKind::Gauge => continue,
            ("Sum", _) => (
                "`Sum` adds all samples of a period, and the metric is a gauge".to_owned(),
                "use `Maximum`, `Minimum` or `Average`",
            ),
            ("Minimum", true) => (
                format!(
                    "`{word}` on `Minimum` holds only if all samples of a period are {word} the threshold"
                ),
                "use `Maximum` or `Average`",
            ),
            ("Maximum", false) => (
                format!(
                    "`{word}` on `Maximum` holds only if all samples of a period are {word} the threshold"
                ),
                "use `Minimum` or `Average`",
            ),
            _ => continue,
        };
        let warning = Diagnostic::warning("contradiction", statistic.span, message);
        cx.sink.push(warning.help(help));
    }
}

/// Warns of a percentage in PromQL that is compared as a share of 1.
pub(super) fn percent(cx: &mut Context<'_>, text: &Text, expr: &Expr, unit: Unit) {
    let is_hundred =
        |side: &Expr| matches!(&visit::bare(side).kind, ExprKind::Number(n) if n.text == "100");
    let mut found = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Binary(b) = &node.kind
            && b.op == BinaryOp::Mul
            && (is_hundred(&b.lhs) || is_hundred(&b.rhs))
        {
            found = Some(b.op_span.clone());
        }
    });
    if let Some(at) = found.filter(|_| unit == Unit::Ratio) {
        let message = "the query returns a percentage, which is read as a share of 1";
        let at = cx.document.inside(text, at);
        let warning = Diagnostic::warning("wrong-unit", at, message);
        cx.sink.push(warning.help("remove `100 *` from the query"));
    }
}

/// Warns of a threshold that only all replicas together can pass, where the signal's `across` was written for the other direction.
pub(super) fn across(
    cx: &mut Context<'_>,
    given: &spec::Condition,
    read: &SignalQuery<'_>,
    bound: &Bound,
) {
    let signal = read.signal;
    let own = cx.spec.signals.get(signal.name.as_str());
    let (Some(name), Some(own), Bound::Fixed(op, ..)) =
        (&given.signal, own.and_then(|signal| signal.across), bound)
    else {
        return;
    };
    let is_reverse = match own.value {
        Across::Max => !op.is_upper(),
        Across::Min => op.is_upper(),
        Across::Sum | Across::Avg => false,
    };
    let is_one = |label: &String| matches!(label.as_str(), "instance" | "pod");
    if given.across.is_some()
        || signal.unit == Unit::Bool
        || !is_reverse
        || read.labels.iter().any(is_one)
    {
        return;
    }
    let (word, any) = (
        own.value.as_str(),
        if op.is_upper() { "max" } else { "min" },
    );
    let message = format!(
        "`{}` on `{name}` holds only for all replicas together: the signal has `across: {word}`",
        op.as_str()
    );
    let warning = Diagnostic::warning("contradiction", name.span, message)
        .related(own.span, "`across` is set here");
    cx.sink.push(warning.help(format!(
        "add `across: {any}` to the condition if one replica is enough, or `across: {word}` if not"
    )));
}

/// Warns of two gauges whose replicas are combined in two ways: their quotient depends on the number of replicas.
pub(super) fn sides(
    cx: &mut Context<'_>,
    (of, of_name): (&Signal, &Text),
    (over, over_name): (&Signal, &Text),
) {
    let is_gauge =
        |signal: &Signal| signal.family().is_some() && signal.kind() == SignalKind::Gauge;
    let is_declared = cx.spec.signals.contains_key(of_name.value.as_str())
        && cx.spec.signals.contains_key(over_name.value.as_str());
    if is_declared && is_gauge(of) && is_gauge(over) && of.across != over.across {
        let message = format!(
            "`{of_name}` has `across: {}`, and `{over_name}` has `across: {}`: the quotient changes with the number of replicas",
            of.across.as_str(),
            over.across.as_str()
        );
        let warning = Diagnostic::warning("contradiction", over_name.span, message);
        cx.sink.push(warning.help("combine both in the same way"));
    }
}

/// True for a name that lacks a letter of another, has one more, or has two in the other order. `app1` beside `app2`, and a
/// word beside its plural, are two names.
fn is_slip(a: &str, b: &str) -> bool {
    let is_longer = a.len() != b.len() && !b.starts_with(a) && !a.starts_with(b);
    let letters = |text: &str| {
        let mut letters: Vec<_> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    a.len() >= 5 && strsim::osa_distance(a, b) == 1 && (is_longer || letters(a) == letters(b))
}

/// Warns of a runbook that the spec does not declare, one letter away from another one.
pub(super) fn runbook<'n>(
    cx: &mut Context<'_>,
    name: &Text,
    others: impl Iterator<Item = &'n str>,
) {
    let plural = |other: &str| name.value.trim_end_matches('s') == other.trim_end_matches('s');
    let mut near = others.filter(|other| is_slip(&name.value, other) || plural(other));
    if let Some(other) = near.next() {
        let message =
            format!("`{name}` is a runbook of its own, one letter away from the runbook `{other}`");
        let warning = Diagnostic::warning("unknown-name", name.span, message);
        cx.sink
            .push(warning.help(format!("did you mean `{other}`?")));
    }
}

/// Warns of an alert that does not link to the runbook with its steps, to which nothing links.
pub(super) fn linked(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let alerts = spec.alerts.values().map(|alert| &alert.notice);
    let notices: Vec<_> = alerts
        .chain(spec.slos.values().map(|slo| &slo.notice))
        .collect();
    let is_linked = |name: &str| {
        let mut links = notices.iter().filter_map(|notice| notice.runbook.as_ref());
        links.any(|link| link.value == name)
    };
    let of_alert = |runbook: &spec::Runbook, alert: &str| {
        let mut steps = runbook
            .steps
            .iter()
            .filter_map(|step| step.value.alert.as_ref());
        steps.any(|of| of.value == alert)
    };
    for (name, alert) in &spec.alerts {
        let link = alert.notice.runbook.as_ref();
        let Some(link) = link.filter(|link| spec.runbooks.contains_key(link.value.as_str())) else {
            continue;
        };
        let mut others = spec
            .runbooks
            .iter()
            .filter(|(other, _)| other.value != link.value);
        let other = others
            .find(|(other, runbook)| !is_linked(&other.value) && of_alert(runbook, &name.value));
        if let Some((other, _)) = other {
            let message = format!(
                "`{name}` links to the runbook `{link}`, and its steps are in `{other}`, to which no alert links"
            );
            let warning = Diagnostic::warning("contradiction", link.span, message);
            cx.sink
                .push(warning.help(format!("did you mean `{other}`?")));
        }
    }
}

/// Warns of two metrics of the service whose names differ in one letter: the series of one of them do not exist.
pub(super) fn similar_metrics(cx: &mut Context<'_>) {
    // No exporter has longer names, and the work grows with the square of the length.
    const LONGEST: usize = 200;
    let bindings = cx.spec.signals.values();
    let metrics = bindings.filter_map(|signal| signal.prometheus.as_ref()?.value.metric.as_ref());
    // By the hash of what is left of a name without one of its letters: two names with a slip share that.
    let mut known: HashMap<u64, &Text> = HashMap::new();
    for metric in metrics.filter(|metric| metric.value.len() <= LONGEST) {
        let is_near = |other: &&Text| {
            let plain = |name: &Text| name.value.replace("https", "http");
            is_slip(&metric.value, &other.value) && plain(metric) != plain(other)
        };
        let letters = metric.value.char_indices();
        let without = letters.map(|(i, c)| {
            let (before, rest) = metric.value.split_at(i);
            hash([before, &rest[c.len_utf8()..]])
        });
        let keys: Vec<_> = without.chain([hash([&metric.value, ""])]).collect();
        let found = keys.iter().filter_map(|key| known.get(key).copied());
        if let Some(other) = { found }.find(is_near) {
            let message = format!("`{metric}` and `{other}` differ in one letter");
            let warning = Diagnostic::warning("unknown-metric", metric.span, message)
                .related(other.span, "the other metric");
            cx.sink
                .push(warning.help("correct the name that the service does not send"));
        }
        for key in keys {
            known.entry(key).or_insert(metric);
        }
    }
}

fn hash(text: [&str; 2]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.iter().for_each(|part| hasher.write(part.as_bytes()));
    hasher.finish()
}

/// Warns of a signal whose name says another thing than what it counts: `5xx` of `HTTPCode_Target_4XX_Count`, and unhealthy hosts of
/// `HealthyHostCount`.
pub(super) fn other_names(cx: &mut Context<'_>) {
    for (name, signal) in &cx.spec.signals {
        let binding = signal.cloudwatch.as_ref();
        let Some(metric) = binding.and_then(|binding| binding.value.metric.as_ref()) else {
            continue;
        };
        let texts = [Some(name), signal.title.as_ref()].into_iter().flatten();
        let said = texts.filter_map(|text| subject(&text.value)).next();
        let counted = subject(&metric.value);
        if let Some((said, counted)) = said.zip(counted).filter(|(said, counted)| said != counted) {
            let message =
                format!("`{name}` has `{said}` in its name, and `{metric}` counts `{counted}`");
            let warning = Diagnostic::warning("contradiction", metric.span, message);
            cx.sink.push(warning.help("change the metric or the name"));
        }
    }
}

/// The word of a name that excludes another one: a class of HTTP statuses, or the health of hosts.
fn subject(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let health = ["unhealthy", "healthy"]
        .into_iter()
        .find(|word| text.contains(word));
    let class = || {
        let at = text.find("xx")?;
        let digit = text.get(at.checked_sub(1)?..at)?;
        let is_class = digit.chars().all(|c| ('1'..='5').contains(&c));
        is_class.then(|| format!("{digit}xx"))
    };
    health.map(str::to_owned).or_else(class)
}

/// Warns of a step with a cause that is true while the alert on the same threshold is not.
pub(super) fn step(
    cx: &mut Context<'_>,
    given: &Spanned<spec::Condition>,
    condition: &Condition,
    alerts: &[Alert],
) {
    let simple = |condition: &Condition| {
        let compare = condition.compare()?;
        let Bound::Fixed(op, bound, _) = &compare.bound else {
            return None;
        };
        let signal = compare.signal.name.clone();
        Some((signal, compare.stat, *bound, op.is_upper()))
    };
    let Some((signal, stat, bound, is_upper)) = simple(condition) else {
        return;
    };
    let reverse = Some((signal, stat, bound, !is_upper));
    if let Some(alert) = alerts
        .iter()
        .find(|alert| simple(&alert.condition) == reverse)
    {
        let message = format!(
            "the step is true while `{}` is not: both compare with the same threshold",
            alert.name
        );
        let warning = Diagnostic::warning("contradiction", given.span, message);
        cx.sink.push(warning.help(format!(
            "turn the comparison round, or write `alert: {}`",
            alert.name
        )));
    }
}

/// Latencies of vLLM, and those that are a part of each: none is longer than the whole.
const PARTS: [(&str, &[&str]); 2] = [
    (
        "vllm:e2e_request_latency_seconds",
        &[
            "vllm:request_decode_time_seconds",
            "vllm:request_inference_time_seconds",
            "vllm:request_prefill_time_seconds",
            "vllm:request_queue_time_seconds",
            "vllm:time_to_first_token_seconds",
        ],
    ),
    (
        "vllm:time_to_first_token_seconds",
        &["vllm:request_queue_time_seconds"],
    ),
];

/// Warns of an SLO on a part of a latency that the SLO on the whole includes.
pub(super) fn latencies(cx: &mut Context<'_>, slos: &[Slo]) {
    let latency = |slo: &Slo| match &slo.events.sli {
        EventSli::Latency { family, within, .. } => {
            Some((family.served.newest().to_owned(), within.bound))
        }
        _ => None,
    };
    for whole in slos {
        let Some((name, within)) = latency(whole) else {
            continue;
        };
        let parts = PARTS.iter().find(|(of, _)| *of == name);
        let parts = parts.map_or(&[][..], |(_, parts)| parts);
        let included = slos.iter().find(|slo| {
            let of = latency(slo);
            let is_longer = |(name, at_most): &(String, Number)| {
                parts.contains(&name.as_str()) && *at_most >= within
            };
            of.as_ref().is_some_and(is_longer)
                && slo.events.budget.objective <= whole.events.budget.objective
                && slo.labels == whole.labels
        });
        let written = included.and_then(|slo| cx.spec.slos.get_key_value(slo.name.as_str()));
        if let Some((name, part)) = written {
            let message = format!(
                "`{name}` is met whenever `{}` is: its latency is a part of the other one, and its threshold is not lower",
                whole.name
            );
            let warning = Diagnostic::warning("contradiction", part.sli.span, message);
            cx.sink
                .push(warning.help("correct one of the thresholds, or remove the SLO"));
        }
    }
}

/// Warns of a job that one signal alone names, one letter away from another job.
pub(super) fn jobs(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let bindings = spec
        .signals
        .values()
        .filter_map(|signal| signal.prometheus.as_ref());
    let jobs: Vec<&Text> = bindings
        .filter_map(|binding| binding.value.job.as_ref())
        .collect();
    let selected = spec
        .prometheus
        .selector
        .iter()
        .filter(|(label, _)| label.value == JOB);
    let selected = selected.flat_map(|(_, value)| match value {
        MatchValue::Is { values, .. } => values.as_slice(),
        _ => &[],
    });
    let all: Vec<&Text> = jobs.iter().copied().chain(selected).collect();
    for job in &jobs {
        let others = || all.iter().filter(|other| other.value != job.value);
        let is_single = others().count() + 1 == all.len();
        let near = others().find(|other| is_slip(&job.value, &other.value));
        let Some(other) =
            near.filter(|_| is_single && !spec.prometheus.jobs.contains_key(job.value.as_str()))
        else {
            continue;
        };
        let message =
            format!("`{job}` is a scrape job of its own, one letter away from the job `{other}`");
        let warning = Diagnostic::warning("unknown-name", job.span, message);
        cx.sink.push(warning.help(format!(
            "did you mean `{other}`? If not, declare the job: `prometheus: {{jobs: {{{job}: {{}}}}}}`"
        )));
    }
}
