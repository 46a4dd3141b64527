//! Warnings about a plan that builds and contradicts its own words: a title with `p99` over a p95, a summary with another threshold.

use std::sync::LazyLock;

use regex::Regex;

use super::context::Context;
use super::names;
use crate::diag::Diagnostic;
use crate::library;
use crate::plan::cloudwatch::Delivery;
use crate::plan::dashboard::{Origin, Series};
use crate::plan::{Alert, Bound, Compare, Condition, Signal, SignalKind, Source};
use crate::query::SignalQuery;
use crate::source::Span;
use crate::spec::{self, Across, FamilyKind, Stat, Text};
use crate::units::{Number, Quantity, Unit, decimal, parse_decimal};

/// Percentiles in a title or a name: `p99 TTFT`, `HighP95Latency`, `ttft-p99.9`.
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:\bp|_p|[a-z]P|\bP)([5-9]\d(?:\.\d+)?|99\d{1,2})(?:$|[^0-9a-z.])")
});

/// Units of time and shares in words.
const UNITS: &str =
    r"(%|ms\b|milliseconds?\b|s\b|seconds?\b|min\b|minutes?\b|h\b|hours?\b|d\b|days?\b|percent\b)?";

/// What a sentence compares with: `more than 500 orders`, `over 26 hours`.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?:more|less|fewer|longer|older|higher|lower|greater|larger) than|over|above|below|under|at least|at most|exceeds?|for";
    pattern(&format!(
        r"(?i)\b(?:{words}) (\d+(?:\.\d+)?) ?{UNITS}([\w/]*)"
    ))
});

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

/// A number with its unit.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?i)\b(\d+(?:\.\d+)?) ?{UNITS}")));

/// Beginnings of comparisons with an upper limit.
const LOWER: [&str; 6] = ["less", "fewer", "lower", "below", "under", "at most"];

/// What a number may end in without being what it seems.
const SCALED: [&str; 6] = ["k", "K", "M", "G", "GiB", "th"];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Warns of an alert whose name or summary contradicts its condition.
pub(super) fn alert(cx: &mut Context<'_>, name: &Text, given: &spec::Alert, alert: &Alert) {
    guard(cx, &given.when.value, &alert.condition);
    empty_queue(cx, &given.when.value, &alert.condition);
    samples(cx, given, &alert.condition);
    let stats: Vec<_> = compares(&alert.condition)
        .filter(|c| c.signal.kind() == SignalKind::Histogram)
        .map(|c| c.stat)
        .collect();
    let summary = given.notice.summary.as_ref();
    for text in [Some(name), summary].into_iter().flatten() {
        percentile(cx, text, &stats);
    }
    if let Some(summary) = summary {
        compared(cx, summary, alert);
    }
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
    numbers(cx, slo, objective);
    if let Some(title) = &slo.title {
        let read: Vec<_> = read
            .iter()
            .filter_map(|name| cx.optional_signal(name))
            .collect();
        let read: Vec<_> = read.iter().map(|signal| &**signal).collect();
        of_another(cx, title, &read);
    }
}

/// Warns of a title or a description with another objective, and of a title with another latency.
fn numbers(cx: &mut Context<'_>, slo: &spec::Slo, objective: Number) {
    let latency = slo.sli.value.latency.as_ref().map(|l| &l.value.at_most);
    let at_most = latency.and_then(|at_most| at_most.value.of(Unit::Seconds, false).ok());
    let one = Number::from_integer(1);
    let shares = [objective, one - objective];
    let times: Vec<_> = at_most
        .into_iter()
        .chain([slo.period.value.number()])
        .collect();
    let title = slo.title.as_ref();
    let checks = [
        (title, Unit::Ratio, &shares[..], &slo.objective),
        (
            slo.description.as_ref(),
            Unit::Ratio,
            &shares[..],
            &slo.objective,
        ),
        (
            title.filter(|_| at_most.is_some()),
            Unit::Seconds,
            &times[..],
            latency.unwrap_or(&slo.objective),
        ),
    ];
    for (text, unit, known, given) in checks {
        let Some(text) = text else { continue };
        let said: Vec<_> = quantities(&text.value)
            .filter(|said| said.unit == unit)
            .collect();
        if let Some(first) = said.first()
            && !said.iter().any(|said| known.contains(&said.value))
        {
            let (number, is) = (first.text.trim(), &given.value);
            let message = format!("the text has `{number}`, and the SLO has `{is}`");
            let warning = Diagnostic::warning("contradiction", text.span, message)
                .related(given.span, "the SLO's number");
            cx.sink.push(warning.help("change the text or the number"));
        }
    }
}

fn compares(condition: &Condition) -> impl Iterator<Item = &Compare> {
    condition
        .leaves()
        .into_iter()
        .filter_map(|leaf| match leaf {
            Condition::Compare(compare) => Some(&**compare),
            _ => None,
        })
}

fn percentile(cx: &mut Context<'_>, text: &Text, stats: &[Stat]) {
    let shares = PERCENTILE.captures_iter(&text.value).filter_map(|found| {
        let digits = &found[1];
        let digits = match digits.len() > 2 && !digits.contains('.') {
            true => format!("{}.{}", &digits[..2], &digits[2..]),
            false => digits.to_owned(),
        };
        parse_decimal(&digits).ok()
    });
    let shares: Vec<_> = shares.collect();
    let is_shown = |share: &Number| {
        let quantile = Stat::Quantile(*share / Number::from_integer(100));
        stats.contains(&quantile)
    };
    let Some(share) = shares.first().filter(|_| !stats.is_empty()) else {
        return;
    };
    if shares.iter().any(is_shown) {
        return;
    }
    let read: Vec<_> = stats.iter().map(Stat::to_string).collect();
    let message = format!(
        "`{text}` names the p{}, and the value is the {}",
        decimal(*share),
        read.join(" or the ")
    );
    let warning = Diagnostic::warning("contradiction", text.span, message);
    cx.sink
        .push(warning.help("change the text or the percentile"));
}

/// Warns of a title that is the title of another built-in signal.
fn of_another(cx: &mut Context<'_>, title: &Text, signals: &[&Signal]) {
    let is_ours = |signal: &&Signal| signal.is_recorded() && signal.kind() == SignalKind::Histogram;
    if signals.is_empty() || !signals.iter().all(is_ours) {
        return;
    }
    let is_other = |name: &&String| {
        library::signal(name).is_some_and(|known| {
            let is_titled = |of: &Text| of.value.eq_ignore_ascii_case(&title.value);
            known.title.as_ref().is_some_and(is_titled)
                && known
                    .kind
                    .is_some_and(|kind| kind.value == FamilyKind::Histogram)
        })
    };
    let names = library::names();
    let Some(other) = names.iter().find(is_other) else {
        return;
    };
    let of_other = library::families(other);
    let mut read = signals.iter();
    let is_of_other = |signal: &&Signal| {
        let family = signal.family();
        let is_titled = signal.title.eq_ignore_ascii_case(&title.value);
        is_titled || family.is_some_and(|f| of_other.contains(&f.served.newest()))
    };
    if !read.any(is_of_other) {
        let message = format!("`{title}` is the title of `{other}`, which is not read here");
        let warning = Diagnostic::warning("contradiction", title.span, message);
        cx.sink
            .push(warning.help(format!("read `{other}`, or change the title")));
    }
}

/// Warns of a limit on the traffic of a share beside it that has the wrong direction or is joined the wrong way.
fn guard(cx: &mut Context<'_>, given: &spec::Condition, condition: &Condition) {
    let (list, parts, is_all) = match (&given.all, &given.any, condition) {
        (Some(list), _, Condition::All(parts, _)) => (list, parts, true),
        (_, Some(list), Condition::Any(parts, _)) => (list, parts, false),
        _ => return,
    };
    let shares: Vec<_> = parts.iter().flat_map(compares).collect();
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

/// Warns of a statistic that adds the samples of a gauge of AWS, or that holds only for all of them.
fn samples(cx: &mut Context<'_>, given: &spec::Alert, condition: &Condition) {
    let own = given.cloudwatch.as_ref();
    let Some(statistic) = own.and_then(|own| own.value.statistic.as_ref()) else {
        return;
    };
    let is_gauge = |compare: &&Compare| {
        let metric = compare.signal.cloudwatch.as_ref();
        let is_vended = metric.is_some_and(|metric| metric.delivery == Delivery::Vended);
        is_vended && compare.signal.kind() == SignalKind::Gauge
    };
    for compare in compares(condition).filter(is_gauge) {
        let Bound::Fixed(op, ..) = &compare.bound else {
            continue;
        };
        let word = op.as_str();
        let (message, help) = match (statistic.value.as_str(), op.is_upper()) {
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

/// What a summary compares with.
struct Said<'t> {
    text: &'t str,
    value: Number,
    unit: Unit,
    /// `more than`, or `fewer than`.
    is_upper: Option<bool>,
}

/// The comparisons of a summary; a rate may be in another unit than the condition.
fn said(text: &str) -> Vec<Said<'_>> {
    let found = COMPARED.captures_iter(text).filter_map(|found| {
        let whole = found.get(0)?;
        let rest = text[whole.end()..].trim_start();
        let of = found.get(3).map_or("", |of| of.as_str());
        if rest.starts_with("per ") || of.contains('/') || SCALED.contains(&of) {
            return None;
        }
        let (unit, value) = quantity(&found[1], found.get(2).map(|unit| unit.as_str()))?;
        let word = whole.as_str().to_ascii_lowercase();
        let is_upper = match word.starts_with("for") {
            true => None,
            false => Some(!LOWER.iter().any(|lower| word.starts_with(lower))),
        };
        Some(Said {
            text: whole.as_str(),
            value,
            unit,
            is_upper,
        })
    });
    found.collect()
}

/// All numbers of a text.
fn quantities(text: &str) -> impl Iterator<Item = Said<'_>> {
    NUMBER.captures_iter(text).filter_map(|found| {
        let (unit, value) = quantity(&found[1], found.get(2).map(|unit| unit.as_str()))?;
        Some(Said {
            text: found.get(0)?.as_str(),
            value,
            unit,
            is_upper: None,
        })
    })
}

/// A number and its unit, in words.
fn quantity(number: &str, unit: Option<&str>) -> Option<(Unit, Number)> {
    let (unit, text) = match unit.map(short) {
        None => return Some((Unit::Count, parse_decimal(number).ok()?)),
        Some("%") => (Unit::Ratio, format!("{number}%")),
        Some(word) => (Unit::Seconds, format!("{number}{word}")),
    };
    let value = text.parse::<Quantity>().ok()?.of(unit, false).ok()?;
    Some((unit, value))
}

/// Warns of a summary that compares with a number that the alert does not have, or in the other direction.
fn compared(cx: &mut Context<'_>, summary: &Text, alert: &Alert) {
    let bounds: Vec<_> = compares(&alert.condition)
        .filter_map(|compare| match &compare.bound {
            Bound::Fixed(op, bound, _) => Some((*bound, compare.unit.unit, op.is_upper())),
            _ => None,
        })
        .collect();
    let is_of = |said: &Said<'_>, unit: Unit| match said.unit {
        Unit::Count => !matches!(
            unit,
            Unit::Seconds | Unit::Ratio | Unit::Bytes | Unit::Money(_)
        ),
        own => own == unit,
    };
    let is_bound = |said: &Said<'_>| {
        let mut bounds = bounds.iter().filter(|(_, unit, _)| is_of(said, *unit));
        bounds.any(|(bound, ..)| is_same(said.unit, *bound, said.value))
    };
    let all = said(&summary.value);
    if let [(_, _, is_upper)] = bounds[..]
        && let Some(reverse) = all
            .iter()
            .find(|said| is_bound(said) && said.is_upper == Some(!is_upper))
    {
        return warn(cx, summary.span, reverse.text, alert);
    }
    // Where the threshold is said, another number is about something else.
    if quantities(&summary.value).any(|number| is_bound(&number)) {
        return;
    }
    let times = times(alert);
    let queries: Vec<_> = alert
        .condition
        .leaves()
        .into_iter()
        .filter_map(|leaf| match leaf {
            Condition::Raw(raw) => Some(raw.query.expr.to_string()),
            _ => None,
        })
        .collect();
    let is_wrong = |said: &&Said<'_>| {
        let digits = decimal(said.value);
        bounds.iter().any(|(_, unit, _)| is_of(said, *unit))
            && !(said.unit == Unit::Seconds && times.contains(&said.value))
            && !queries.iter().any(|query| query.contains(&digits))
    };
    if let Some(wrong) = all.iter().find(is_wrong) {
        warn(cx, summary.span, wrong.text, alert);
    }
}

/// The windows and holding times of an alert, in seconds.
fn times(alert: &Alert) -> Vec<Number> {
    let leaves = alert.condition.leaves().into_iter();
    let windows = leaves.filter_map(|leaf| match leaf {
        Condition::Compare(compare) => Some(compare.window.number()),
        Condition::Absent(absent) => Some(absent.memory?.number()),
        _ => None,
    });
    windows
        .chain([alert.hold.number(), alert.keep.number()])
        .collect()
}

/// True for equal numbers, and for `above: 2` in words: at least 3.
fn is_same(unit: Unit, bound: Number, said: Number) -> bool {
    let one = Number::from_integer(1);
    bound == said || unit == Unit::Count && (bound + one == said || said + one == bound)
}

fn warn(cx: &mut Context<'_>, at: Span, said: &str, alert: &Alert) {
    let bounds = compares(&alert.condition).filter_map(|compare| match &compare.bound {
        Bound::Fixed(op, _, text) => Some(format!("`{} {text}`", op.symbol())),
        _ => None,
    });
    let message = format!(
        "the summary has `{}`, and the condition is {}",
        said.trim(),
        bounds.collect::<Vec<_>>().join(" and ")
    );
    let warning = Diagnostic::warning("contradiction", at, message);
    cx.sink
        .push(warning.help("change the summary or the threshold"));
}

/// A unit as a quantity spells it.
fn short(word: &str) -> &'static str {
    match word.to_ascii_lowercase().as_str() {
        "%" | "percent" => "%",
        "ms" | "millisecond" | "milliseconds" => "ms",
        "s" | "second" | "seconds" => "s",
        "min" | "minute" | "minutes" => "m",
        "h" | "hour" | "hours" => "h",
        _ => "d",
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
    for job in &jobs {
        let others = || jobs.iter().filter(|other| other.value != job.value);
        let is_single = others().count() + 1 == jobs.len();
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
