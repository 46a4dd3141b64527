//! The two sides of a ratio: what their metrics and selections disprove.

use crate::bound;
use crate::cloudwatch::vended;
use crate::context::Context;
use crate::matchers::{self, JOB};
use crate::names::{self, words as words_of};
use slosmith_plan::plan::selection::Matcher;
use slosmith_plan::plan::{CompareOp, Family, Signal, selection};
use slosmith_promql::ast::{Expr, ExprKind, MatchOp, Selector};
use slosmith_promql::{self as promql, Series, split_series, visit};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Quantity, Unit};

/// A side of a ratio, where the spec names it, and the field that does.
pub(crate) type Side<'a> = (&'a Signal, &'a Text, &'static str);

/// Reports sides of which one cannot be a part of the other. Sides that may be anything get a note.
pub(crate) fn check(
    cx: &mut Context<'_>,
    (part, part_name, word): Side<'_>,
    (total, total_name, all): Side<'_>,
) -> Option<()> {
    if !part.counts().shares(total.counts()) {
        let message = format!(
            "`{part_name}` counts {}, but `{total_name}` counts {}: their quotient is not a share",
            part.counts().as_str(),
            total.counts().as_str()
        );
        let error = Diagnostic::error("wrong-unit", total_name.span, message);
        cx.sink
            .push(error.help("use two signals that count the same"));
        return None;
    }
    if let Some((of_part, of_total)) = part.family().zip(total.family())
        && of_part.served != of_total.served
    {
        if let Some((message, help)) =
            two_jobs((&of_part.matchers, word), (&of_total.matchers, all))
        {
            let warning = Diagnostic::warning("contradiction", total_name.span, message);
            cx.sink.push(warning.help(help));
            return Some(());
        }
        if doubt_sources(cx, (part, part_name, word), (total, total_name, all))
            || is_documented(part, total)
        {
            return check_parts(cx, (part, part_name, word), (total, total_name, all));
        }
        let is_elsewhere = !part.is_stored() && !total.is_stored();
        let silent = match is_elsewhere {
            true => format!("; without data for `{total_name}`, the alarms cannot fire"),
            false => String::new(),
        };
        cx.notes.push(format!(
            "`{part_name}` and `{total_name}` are different metrics: slosmith cannot check that `{total_name}` counts each event of \
             `{part_name}`{silent}"
        ));
    }
    check_parts(cx, (part, part_name, word), (total, total_name, all))?;
    // A share of one place is a value of its own, and no share of bad events.
    if let Some((part, total)) = part.family().zip(total.family())
        && part.served == total.served
    {
        let (part, total) = (&part.matchers, &total.matchers);
        doubt_places(cx, total_name.span, (part, word), (total, all));
    }
    Some(())
}

/// A dimension that both sides have, with two values.
fn different_dimension(part: &Signal, total: &Signal) -> Option<(String, [String; 2])> {
    let [part, total] = [part, total].map(|signal| signal.cloudwatch.as_ref());
    let (part, total) = part.zip(total)?;
    part.dimensions.iter().find_map(|(name, value)| {
        let mut others = total.dimensions.iter();
        let (_, other) = others.find(|(of, other)| of == name && other != value)?;
        Some((name.clone(), [value.clone(), other.clone()]))
    })
}

/// True for two metrics of one resource of AWS, of which the second counts each event of the first.
fn is_documented(part: &Signal, total: &Signal) -> bool {
    let metrics = part.cloudwatch.as_ref().zip(total.cloudwatch.as_ref());
    metrics.is_some_and(|(part, total)| {
        vended::is_part(&part.namespace, part.names.newest(), total.names.newest())
    })
}

/// Warns of sides that two services of AWS, or two of its resources, count.
fn doubt_sources(
    cx: &mut Context<'_>,
    (part, part_name, word): Side<'_>,
    (total, total_name, all): Side<'_>,
) -> bool {
    let namespace = |signal: &Signal| {
        let metric = signal.cloudwatch.as_ref().filter(|_| !signal.is_stored());
        metric.map(|metric| metric.namespace.clone())
    };
    let (of_part, of_total) = (namespace(part), namespace(total));
    let (Some(of_part), Some(of_total)) = (of_part, of_total) else {
        return false;
    };
    let message = if of_part != of_total {
        format!("`{word}` counts events of `{of_part}`, and `{all}` events of `{of_total}`")
    } else if let Some((name, [one, other])) = different_dimension(part, total) {
        format!("`{word}` has the dimension `{name}: {one}`, and `{all}` has `{name}: {other}`")
    } else {
        return false;
    };
    let warning = Diagnostic::warning("contradiction", total_name.span, message);
    cx.sink.push(warning.help(format!(
        "use a `{all}` that counts each event of `{part_name}`; `{total_name}` can have others"
    )));
    true
}

/// Reports sides of one metric of which the first is no part of the second.
pub(crate) fn check_parts(
    cx: &mut Context<'_>,
    (part, part_name, word): Side<'_>,
    (total, total_name, all): Side<'_>,
) -> Option<()> {
    let bound = |signal: &Signal| {
        let matchers = signal.family().map(|family| family.matchers.clone());
        let metric = signal.cloudwatch.clone().filter(|_| !signal.is_stored());
        metric.zip(matchers)
    };
    if let Some(metric) = bound(part)
        && bound(total) == Some(metric)
    {
        let message = format!(
            "`{word}` and `{all}` are the same CloudWatch metric, with the same dimensions"
        );
        let error = Diagnostic::error("contradiction", part_name.span, message);
        cx.sink.push(error.help(format!(
            "bind `{part_name}` to the metric that counts its events"
        )));
        return None;
    }
    let families = part.family().zip(total.family());
    let Some((of_part, of_total)) = families.filter(|(a, b)| a.served == b.served) else {
        return Some(());
    };
    let (of_part, of_total) = (&of_part.matchers, &of_total.matchers);
    let Some((is_total, message, help)) = no_part((of_part, word), (of_total, all)) else {
        return Some(());
    };
    let help = match help {
        // A status tells how an event ended: the total has all of them.
        Some(label) if is_total && matchers::is_status(label) => {
            format!("select no `{label}` in `{all}`")
        }
        Some(label) => format!("select the same `{label}` in both"),
        None if selection::is_within(of_part, of_total) => format!(
            "narrow `{word}`, as in `{word}: {{signal: {total_name}, where: {{LABEL: VALUE}}}}`"
        ),
        None if part_name == total_name => {
            format!("swap `{word}` and `{all}`, each with its `where`")
        }
        None => format!("swap them: `{{{word}: {total_name}, {all}: {part_name}}}`"),
    };
    let at = if is_total { total_name } else { part_name };
    let error = Diagnostic::error("contradiction", at.span, message);
    cx.sink.push(error.help(help));
    None
}

/// Why one selection of a metric is no part of another: whether the second is wrong, in words, and the label that differs, if
/// one does.
fn no_part<'m>(
    (part, word): (&'m [Matcher], &str),
    (total, all): (&'m [Matcher], &str),
) -> Option<(bool, String, Option<&'m str>)> {
    let is_less = selection::is_within(total, part);
    if is_less {
        let message = match selection::is_within(part, total) {
            true => format!("`{word}` and `{all}` count the same events"),
            false => format!("`{all}` counts only some of the events of `{word}`"),
        };
        return Some((true, message, None));
    }
    if selection::is_within(part, total) {
        return None;
    }
    if let Some(label) = selection::impossible(part.iter().chain(total)) {
        let message = format!(
            "`{all}` counts no event of `{word}`: they select different values of `{label}`"
        );
        return Some((matchers::is_status(label), message, Some(label)));
    }
    let also = format!("`{word}` also counts events that `{all}` does not count");
    if let Some(label) = narrowed(total, part) {
        let message = format!("{also}: only `{all}` selects values of `{label}`");
        return Some((true, message, Some(label)));
    }
    let (label, value) = selection::outside(part, total)?;
    let message = format!("{also}, such as those with `{label}=\"{value}\"`");
    Some((false, message, Some(label)))
}

/// Labels that tell where events were counted, and not how they ended.
const PLACES: [&str; 22] = [
    "cluster",
    "consumer_group",
    "customer",
    "endpoint",
    "handler",
    "host",
    "instance",
    "job",
    "method",
    "model",
    "model_name",
    "namespace",
    "path",
    "pod",
    "provider",
    "queue",
    "region",
    "route",
    "service",
    "tenant",
    "topic",
    "uri",
];

/// Warns of a part that is counted at one place, beside a total of all places.
fn doubt_places(
    cx: &mut Context<'_>,
    at: Span,
    (part, word): (&[Matcher], &str),
    (total, all): (&[Matcher], &str),
) {
    let of_places: Vec<_> = part
        .iter()
        .filter(|(label, ..)| PLACES.contains(&label.as_str()))
        .cloned()
        .collect();
    let Some(label) = narrowed(&of_places, total) else {
        return;
    };
    let message = format!(
        "only `{word}` selects values of `{label}`: `{all}` counts the events of every `{label}`"
    );
    let warning = Diagnostic::warning("contradiction", at, message);
    cx.sink
        .push(warning.help(format!("select the same `{label}` in both")));
}

/// Warns of sides in PromQL of which one cannot be a part of the other, or is counted elsewhere.
pub(super) fn doubt_queries(
    cx: &mut Context<'_>,
    (part, part_text, word): (&Expr, &Text, &str),
    (total, total_text): (&Expr, &Text),
) {
    let all = "total";
    // `sum_over_time` of the same series is a part of its `count_over_time`.
    let functions = |side: &Expr| {
        let mut names = Vec::new();
        visit::walk(side, &mut |node| match &node.kind {
            ExprKind::Call(call) => names.push(call.function.text.clone()),
            ExprKind::Binary(_) => names.push(String::new()),
            _ => {}
        });
        names
    };
    let (of_part, of_total) = (functions(part), functions(total));
    let [part, total] = [part, total].map(|side| {
        let mut selectors = visit::selectors(side).into_iter();
        selectors.next().filter(|_| selectors.next().is_none())
    });
    let Some((part, total)) = part.zip(total) else {
        return;
    };
    if let Some((message, help)) = uneven((part, &of_part, word), (total, &of_total)) {
        let warning = Diagnostic::warning("contradiction", total_text.span, message);
        cx.sink.push(warning.help(help));
        return;
    }
    if of_part != of_total {
        return;
    }
    let matchers = |selector: &Selector| {
        let matchers = selector.matchers.iter();
        let matchers = matchers.map(|m| (m.label.text.clone(), m.op, m.value.value.clone()));
        matchers.collect::<Vec<Matcher>>()
    };
    let name = |selector: &Selector| selector.metric.as_ref().map(|name| name.text.clone());
    let (of_part, of_total) = (matchers(part), matchers(total));
    if name(part) != name(total) {
        if let Some((message, help)) = two_jobs((&of_part, word), (&of_total, all)) {
            let warning = Diagnostic::warning("contradiction", total_text.span, message);
            cx.sink.push(warning.help(help));
        }
        return;
    }
    let Some((is_total, message, label)) = no_part((&of_part, word), (&of_total, all)) else {
        doubt_places(cx, total_text.span, (&of_part, word), (&of_total, all));
        return;
    };
    let at = if is_total { total_text } else { part_text };
    let warning = Diagnostic::warning("contradiction", at.span, message);
    cx.sink.push(warning.help(match label {
        Some(label) => format!("select the same `{label}` in both"),
        None => format!("`{all}` counts all events, and `{word}` a part of them"),
    }));
}

/// What to say where the sides are not counted alike: a part per second of a total, an earlier time, seconds instead of events.
fn uneven(
    (part, of_part, word): (&Selector, &[String], &str),
    (total, of_total): (&Selector, &[String]),
) -> Option<(String, &'static str)> {
    let only = |functions: &[String]| match functions {
        [one] => Some(one.clone()),
        _ => None,
    };
    if let (Some(one), Some(other)) = (only(of_part), only(of_total))
        && one != other
        && [&one, &other]
            .iter()
            .all(|name| matches!(name.as_str(), "rate" | "increase"))
    {
        let message = format!("`{word}` is read with `{one}`, and `total` with `{other}`");
        return Some((message, "use the same function on both sides"));
    }
    if part.at != total.at {
        let message = format!("`{word}` and `total` are read at different times");
        return Some((message, "use the same `offset` on both sides"));
    }
    let series = |selector: &Selector| {
        let name = selector.metric.as_ref()?;
        let (base, series) = split_series(&name.text);
        Some((base.to_owned(), series))
    };
    let ((base, one), (other_base, other)) = series(part).zip(series(total))?;
    let is_one = base == other_base && one == Series::Bucket;
    if is_one && other == Series::Sum {
        let message = "`total` adds up the values of the events, and does not count them";
        return Some((message.to_owned(), "use the series that ends in `_count`"));
    }
    if is_one && other == Series::Count && word == "bad" {
        let message =
            "`bad` counts the events up to a bucket boundary, and slower ones are not in it";
        return Some((message.to_owned(), "write `good` instead of `bad`"));
    }
    None
}

/// What to say where two jobs count the sides.
fn two_jobs(
    (part, word): (&[Matcher], &str),
    (total, all): (&[Matcher], &str),
) -> Option<(String, String)> {
    let job = |of: &[Matcher]| {
        let mut of = of.iter();
        let job = of.find(|(label, op, _)| label == JOB && *op == MatchOp::Equal);
        job.map(|(_, _, job)| job.clone())
    };
    let (one, other) = job(part).zip(job(total)).filter(|(a, b)| a != b)?;
    let message =
        format!("`{word}` is counted by the job `{one}`, and `{all}` by the job `{other}`");
    let help = format!("use a `{all}` of the job `{one}`, or correct the job");
    Some((message, help))
}

/// Warns of good events that are selected by the statuses of failures, and of bad ones by those of successes.
pub(super) fn doubt_statuses<'a>(
    cx: &mut Context<'_>,
    at: Span,
    good: bool,
    matchers: impl IntoIterator<Item = (&'a str, MatchOp, &'a str)>,
) -> bool {
    let (word, found, other) = match good {
        true => ("good", "failures", "bad"),
        false => ("bad", "successes", "good"),
    };
    let all: Vec<_> = matchers.into_iter().collect();
    let other_ones = all.iter().find(|matcher| selects_others(**matcher, good));
    let Some((label, op, value)) = other_ones else {
        let mut all = all.into_iter();
        let both = all.find(|(label, op, value)| {
            matchers::is_status(label) && statuses(*op, value) == (true, true)
        });
        if let Some((label, ..)) = both {
            let message = format!("`{word}` also selects {found}, by `{label}`");
            let warning = Diagnostic::warning("contradiction", at, message);
            let help = "name the statuses by their first digit, as in `{matches: \"5..\"}`";
            cx.sink.push(warning.help(help));
        }
        return both.is_some();
    };
    let is = match op {
        MatchOp::Equal | MatchOp::Match => "is",
        MatchOp::NotEqual | MatchOp::NotMatch => "is not",
    };
    let message = format!("`{word}` selects {found}: `{label}` {is} `{value}`");
    let warning = Diagnostic::warning("contradiction", at, message);
    cx.sink.push(warning.help(format!(
        "if these events are {found}, write `{other}` instead of `{word}`"
    )));
    true
}

/// Warns of a text about server errors, where the bad events are those of clients, too.
pub(super) fn doubt_text(cx: &mut Context<'_>, slo: &spec::Slo, bad: &Signal) {
    let mut matchers = bad.family().into_iter().flat_map(|family| &family.matchers);
    let of_clients = matchers.find(|(label, op, value)| {
        let is_positive = matches!(op, MatchOp::Equal | MatchOp::Match);
        matchers::is_status(label) && is_positive && promql::matches(value, "404") == Some(true)
    });
    let of_clients =
        of_clients.map(|(label, _, value)| format!("`{label}` is `{value}`, which matches 404"));
    let metric = bad.cloudwatch.as_ref().map(|metric| metric.names.newest());
    let metric = metric.filter(|name| name.to_lowercase().contains("4xx"));
    let of_clients =
        of_clients.or_else(|| metric.map(|name| format!("`{name}` counts those of clients")));
    let texts = [&slo.title, &slo.description, &slo.notice.summary];
    let has = |text: &Text, words: [&str; 2]| {
        let text = text.value.to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let mut texts = texts.into_iter().flatten();
    let of_servers = texts
        .find(|text| has(text, ["server error", "5xx"]) && !has(text, ["client error", "4xx"]));
    if let Some((what, text)) = of_clients.zip(of_servers) {
        let message = format!("the text is about server errors, and {what}");
        let warning = Diagnostic::warning("contradiction", text.span, message);
        cx.sink.push(
            warning
                .help("count those of servers, such as `{matches: \"5..\"}`, or change the text"),
        );
    }
}

/// Words of failures.
const FAILED: [&str; 13] = [
    "error", "errors", "fail", "failed", "failure", "failures", "bad", "crashed", "crashes",
    "dropped", "drops", "lost", "timeouts",
];

/// Words of success.
const FINE: [&str; 7] = [
    "good",
    "ok",
    "okay",
    "success",
    "successes",
    "successful",
    "succeeded",
];

/// True where the name of a signal in the spec, or of the metric of which it reads all series, has one of these words.
fn has_word(signal: &Signal, name: &str, words: &[&str]) -> bool {
    // Of a metric that counts both, a selection has its own name in the spec.
    let selects = |family: &&Family| family.matchers.iter().any(|(label, ..)| label != JOB);
    let whole = signal.family().filter(|family| !selects(family));
    let metric = whole.map(|family| family.names.newest());
    let alarm = signal.cloudwatch.as_ref().filter(|_| whole.is_some());
    let alarm = alarm.map(|alarm| alarm.names.newest());
    let names = [Some(name), metric, alarm];
    let mut tokens = names.into_iter().flatten().flat_map(words_of);
    tokens.any(|token| words.contains(&token.as_str()))
}

/// True for a signal with the name of failures.
pub(crate) fn is_of_failures(signal: &Signal, name: &str) -> bool {
    has_word(signal, name, &FAILED)
}

/// Warns of a total with the name of failures, where the other side has none.
pub(crate) fn doubt_total(
    cx: &mut Context<'_>,
    (part, part_name, word): Side<'_>,
    (total, total_name, all): Side<'_>,
) {
    let families = part.family().zip(total.family());
    let is_part = families.is_some_and(|(part, total)| {
        part.served == total.served && selection::is_within(&part.matchers, &total.matchers)
    });
    if !is_part
        && is_of_failures(total, &total_name.value)
        && !is_of_failures(part, &part_name.value)
    {
        let message = format!("`{all}` counts `{total_name}`, which has the name of failures");
        let warning = Diagnostic::warning("contradiction", total_name.span, message);
        cx.sink.push(warning.help(format!(
            "if `{total_name}` counts failures, swap them: `{{{word}: {total_name}, {all}: {part_name}}}`"
        )));
    }
}

/// Warns of good events with the name of failures, and of bad ones with a name of success.
pub(super) fn doubt_names(cx: &mut Context<'_>, part: &Signal, name: &Text, good: bool) {
    let has = |words: &[&str]| has_word(part, &name.value, words);
    let (found, word, other) = match good {
        true => (has(&FAILED) && !has(&FINE), "failures", "bad"),
        false => (has(&FINE) && !has(&FAILED), "successes", "good"),
    };
    if found {
        let said = if good { "good" } else { "bad" };
        let message = format!("`{said}` counts `{name}`, which has the name of {word}");
        let warning = Diagnostic::warning("contradiction", name.span, message);
        cx.sink.push(warning.help(format!(
            "if these events are {word}, write `{other}` instead of `{said}`"
        )));
    }
}

/// Warns of time that is good while something grows that fails when it is high, and the other way round.
pub(super) fn doubt_side(
    cx: &mut Context<'_>,
    signal: &Signal,
    name: &Text,
    op: CompareOp,
    bound: &Spanned<Quantity>,
) {
    const HIGH_FAILS: [&str; 13] = [
        "temperature",
        "temp",
        "lag",
        "delay",
        "latency",
        "backlog",
        "waiting",
        "pending",
        "queued",
        "errors",
        "failures",
        "dropped",
        "throttled",
    ];
    const DONE: [&str; 5] = ["cleared", "done", "drained", "handled", "processed"];
    const LOW_FAILS: [&str; 7] = [
        "up",
        "ready",
        "healthy",
        "available",
        "free",
        "remaining",
        "left",
    ];
    let has = |words: &[&str]| names::has_word(signal, &name.value, words);
    let high_fails = signal.unit == Unit::Celsius || has(&HIGH_FAILS) && !has(&DONE);
    let (doubtful, word, other) = match op {
        CompareOp::Above | CompareOp::AtLeast => {
            (high_fails && !has(&LOW_FAILS), "high", "at_most")
        }
        CompareOp::Below | CompareOp::AtMost => (has(&LOW_FAILS) && !high_fails, "low", "at_least"),
    };
    if doubtful {
        let message = format!("the SLO counts time with a {word} `{name}` as good");
        let warning = Diagnostic::warning("contradiction", bound.span, message);
        cx.sink.push(warning.help(format!(
            "if {word} values are bad, write `{other}: {}`",
            bound.value
        )));
    }
}

/// Warns of time that is good while an alert is true.
pub(super) fn doubt_alerts(cx: &mut Context<'_>, time: &spec::GoodTime) {
    let compared = |of: &spec::Comparison| match (&of.equals, bound::comparison(of)) {
        (Some(quantity), _) => Some(("==", quantity.value.clone(), quantity.span)),
        (None, Some((op, bound))) => match &bound.value {
            spec::Bound::Quantity(quantity) => Some((op.symbol(), quantity.clone(), bound.span)),
            _ => None,
        },
        (None, None) => None,
    };
    let Some((op, quantity, at)) = compared(&time.comparison) else {
        return;
    };
    let mut alerts = cx.spec.alerts.iter();
    let alert = alerts.find(|(_, alert)| {
        let when = &alert.when.value;
        let of_signal = when.signal.as_ref().is_some_and(|of| of == &time.signal);
        let same = compared(&when.comparison)
            .is_some_and(|(own, value, _)| own == op && value == quantity);
        of_signal && same && when.stat.is_none()
    });
    if let Some((name, _)) = alert {
        let message = format!("the SLO counts time as good while the alert `{name}` is true");
        let warning = Diagnostic::warning("contradiction", at, message);
        cx.sink
            .push(warning.help("write the opposite condition in the SLO"));
    }
}

/// True where a label of an HTTP status holds server errors and no success, or the other way round; where another label holds only
/// words of failures, or only those of success.
fn selects_others((label, op, value): (&str, MatchOp, &str), good: bool) -> bool {
    if let Some(values) = selection::named(op, value) {
        let wrong: &[&str] = if good { &FAILED } else { &FINE };
        let is_wrong = |value: &String| wrong.contains(&value.to_lowercase().as_str());
        if label != JOB && values.iter().all(is_wrong) {
            return true;
        }
    }
    if !matchers::is_status(label) {
        return false;
    }
    let (fails, succeeds) = statuses(op, value);
    fails != succeeds && fails == good
}

/// Whether a matcher of an HTTP status selects server errors, and successes. Neither, where it names no status.
fn statuses(op: MatchOp, value: &str) -> (bool, bool) {
    let named = |status: &str| match op {
        MatchOp::Equal | MatchOp::NotEqual => value == status,
        MatchOp::Match | MatchOp::NotMatch => promql::matches(value, status) == Some(true),
    };
    let fails = ["5xx", "500", "502", "503", "504"];
    let succeeds = ["2xx", "200", "201", "204"];
    let is_negative = matches!(op, MatchOp::NotEqual | MatchOp::NotMatch);
    if is_negative && !fails.iter().chain(&succeeds).any(|status| named(status)) {
        return (false, false);
    }
    let any = |all: &[&str]| all.iter().any(|status| named(status) != is_negative);
    (any(&fails), any(&succeeds))
}

/// A label by which only the first is narrowed.
fn narrowed<'m>(this: &'m [Matcher], other: &[Matcher]) -> Option<&'m str> {
    let mut labels = this.iter().map(|(label, ..)| label.as_str());
    labels.find(|label| other.iter().all(|(known, ..)| known != label))
}
