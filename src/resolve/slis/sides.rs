//! The two sides of a ratio: what their metrics and selections disprove.

use crate::diag::Diagnostic;
use crate::plan::{CompareOp, Family, Signal, selection};
use crate::promql;
use crate::promql::ast::MatchOp;
use crate::resolve::context::Context;
use crate::resolve::matchers::{self, JOB};
use crate::resolve::names::{self, words as words_of};
use crate::source::{Span, Spanned};
use crate::spec::Text;
use crate::units::{Quantity, Unit};

/// A side of a ratio, where the spec names it, and the field that does.
pub(in crate::resolve) type Side<'a> = (&'a Signal, &'a Text, &'static str);

/// Reports sides of which one cannot be a part of the other. Sides that may be anything get a note.
pub(in crate::resolve) fn check(
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
        if doubt_sources(cx, (part, part_name, word), (total, total_name, all)) {
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
    check_parts(cx, (part, part_name, word), (total, total_name, all))
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
pub(in crate::resolve) fn check_parts(
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
    let (at, message, help) = match (
        selects_less(of_total, of_part),
        selects_less(of_part, of_total),
        disjoint(of_part, of_total),
    ) {
        (true, true, _) => (
            total_name,
            format!("`{word}` and `{all}` count the same events"),
            format!(
                "narrow `{word}`, as in `{word}: {{signal: {total_name}, where: {{LABEL: VALUE}}}}`"
            ),
        ),
        (true, false, _) => (
            total_name,
            format!("`{all}` counts only some of the events of `{word}`"),
            format!("swap them: `{{{word}: {total_name}, {all}: {part_name}}}`"),
        ),
        (false, false, Some(label)) => (
            part_name,
            format!(
                "`{all}` counts no event of `{word}`: they select different values of `{label}`"
            ),
            format!("select the same `{label}` in both"),
        ),
        (false, false, None) => match narrowed(of_total, of_part) {
            Some(label) => (
                total_name,
                format!(
                    "`{word}` also counts events that `{all}` does not count: only `{all}` selects values of `{label}`"
                ),
                format!("select the same `{label}` in both"),
            ),
            None => match selection::outside(&of_part.matchers, &of_total.matchers) {
                Some((label, value)) => (
                    part_name,
                    format!(
                        "`{word}` also counts events that `{all}` does not count, such as those with `{label}=\"{value}\"`"
                    ),
                    format!("select the same `{label}` in both"),
                ),
                None => return Some(()),
            },
        },
        _ => return Some(()),
    };
    let error = Diagnostic::error("contradiction", at.span, message);
    cx.sink.push(error.help(help));
    None
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
    let mut matchers = matchers.into_iter();
    let other_ones = matchers.find(|matcher| selects_others(*matcher, good));
    let Some((label, _, value)) = other_ones else {
        return false;
    };
    let message = format!("`{word}` selects {found}: `{label}` is `{value}`");
    let warning = Diagnostic::warning("contradiction", at, message);
    cx.sink.push(warning.help(format!(
        "if these events are {found}, write `{other}` instead of `{word}`"
    )));
    true
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
fn has_word(signal: &Signal, name: &Text, words: &[&str]) -> bool {
    // Of a metric that counts both, a selection has its own name in the spec.
    let selects = |family: &&Family| family.matchers.iter().any(|(label, ..)| label != JOB);
    let whole = signal.family().filter(|family| !selects(family));
    let metric = whole.map(|family| family.names.newest());
    let alarm = signal.cloudwatch.as_ref().filter(|_| whole.is_some());
    let alarm = alarm.map(|alarm| alarm.names.newest());
    let names = [Some(name.value.as_str()), metric, alarm];
    let mut tokens = names.into_iter().flatten().flat_map(words_of);
    tokens.any(|token| words.contains(&token.as_str()))
}

/// Warns of a total with the name of failures, where the other side has none.
pub(in crate::resolve) fn doubt_total(
    cx: &mut Context<'_>,
    (part, part_name, word): Side<'_>,
    (total, total_name, all): Side<'_>,
) {
    if has_word(total, total_name, &FAILED) && !has_word(part, part_name, &FAILED) {
        let message = format!("`{all}` counts `{total_name}`, which has the name of failures");
        let warning = Diagnostic::warning("contradiction", total_name.span, message);
        cx.sink.push(warning.help(format!(
            "if `{total_name}` counts failures, swap them: `{{{word}: {total_name}, {all}: {part_name}}}`"
        )));
    }
}

/// Warns of good events with the name of failures, and of bad ones with a name of success.
pub(super) fn doubt_names(cx: &mut Context<'_>, part: &Signal, name: &Text, good: bool) {
    let has = |words: &[&str]| has_word(part, name, words);
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
    let high_fails = signal.unit == Unit::Celsius || has(&HIGH_FAILS);
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
    let holds = |status: &str| match op {
        MatchOp::Equal => value == status,
        MatchOp::Match => promql::matches(value, status) == Some(true),
        MatchOp::NotEqual | MatchOp::NotMatch => false,
    };
    let any = |statuses: [&str; 4]| statuses.into_iter().any(holds);
    let fails = any(["5xx", "500", "503", "504"]);
    let succeeds = any(["2xx", "200", "201", "204"]);
    matchers::is_status(label) && fails != succeeds && fails == good
}

/// True if each series of `this` is one of `other`, as far as their matchers say.
fn selects_less(this: &Family, other: &Family) -> bool {
    selection::is_within(&this.matchers, &other.matchers)
}

/// A label by which only the first is narrowed.
fn narrowed<'a>(this: &'a Family, other: &Family) -> Option<&'a str> {
    let mut labels = this.matchers.iter().map(|(label, ..)| label.as_str());
    labels.find(|label| other.matchers.iter().all(|(known, ..)| known != label))
}

/// A label of which the two select different values.
fn disjoint<'a>(this: &'a Family, other: &'a Family) -> Option<&'a str> {
    selection::impossible(this.matchers.iter().chain(&other.matchers))
}
