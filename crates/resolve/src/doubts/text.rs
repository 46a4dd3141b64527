//! Texts that contradict the numbers beside them: `p99` over a p95, a summary with another threshold.

use std::sync::LazyLock;

use regex::Regex;

use crate::bound;
use crate::context::Context;
use crate::names;
use slosmith_plan::plan::{Alert, Bound, Compare, Condition, Signal, SignalKind};
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::visit;
use slosmith_spec::library;
use slosmith_spec::spec::{self, Across, FamilyKind, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::units::{Number, Quantity, Unit, decimal, parse_decimal};

/// Percentiles in a title or a name: `p99 TTFT`, `HighP95Latency`, `ttft-p99.9`.
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bp|_p|[a-z]P|\bP)([5-9]\d(?:\.\d+)?|99\d{1,2})(?:$|[^0-9a-z.])|\b([5-9]\d(?:\.\d+)?)(?:st|nd|rd|th) percentile",
    )
});

/// A number beside the value: `(promise: p99 below 2s)`, and not `(p99)`.
static PROMISE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\([^()]* (?:below|above|under|within|at most|at least) [^()]*\)"));

/// Units of time and shares in words.
const UNITS: &str =
    r"(%|ms\b|milliseconds?\b|s\b|seconds?\b|min\b|minutes?\b|h\b|hours?\b|d\b|days?\b|percent\b)?";

/// A number, also as `50,000`, `50 000` and `2.5`.
const DIGITS: &str = r"\d{1,3}(?:[, ]\d{3})+|\d+(?:\.\d+)?";

/// What a sentence compares with: `more than 500 orders`, `over 26 hours`.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?:more|less|fewer|longer|older|higher|lower|greater|larger|faster|slower) than|over|above|below|under|at least|at most|exceeds?|within|for";
    pattern(&format!(
        r"(?i)\b(?:{words}) ({DIGITS}) ?{UNITS}(\w*/[\w/]*|(?:{})\b)?",
        SCALED.join("|")
    ))
});

/// The value of an alert in its texts, with what stands after it.
static SHOWN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\{\{-? *(?:printf [^{}]*)?\$value([^{}]*)\}\} ?(%|ms\b)?"));

/// A number with its unit.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?i)\b({DIGITS}) ?{UNITS}")));

/// Beginnings of comparisons with an upper limit.
const LOWER: [&str; 6] = ["less", "fewer", "lower", "below", "under", "at most"];

/// Beginnings that tell no direction of the condition: a fault is what is not within a limit.
const OPEN: [&str; 3] = ["for", "within", "faster"];

/// Beginnings of comparisons with a value, and never with the time for which something lasts.
const OF_VALUES: [&str; 7] = [
    "above", "below", "under", "older", "higher", "lower", "exceed",
];

/// Words for one of several servers.
const SERVERS: [&str; 10] = [
    "server", "instance", "replica", "pod", "node", "host", "worker", "engine", "broker", "machine",
];

/// A server among others: `on a server`, `per pod`.
static ONE_SERVER: LazyLock<Regex> = LazyLock::new(|| {
    let servers = SERVERS.join("|");
    pattern(&format!(
        r"(?i)\b(?:(?:on|of|in) (?:a|an|one|any|a single)|per|each|every) ({servers})\b"
    ))
});

/// What may stand after a number that is another one: `50 thousand`, `3 of 4`.
const SCALES: [&str; 4] = ["thousand", "million", "billion", "of "];

/// What a number may end in without being what it seems.
const SCALED: [&str; 11] = [
    "k", "K", "M", "G", "GiB", "th", "kW", "MW", "kHz", "MHz", "GHz",
];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// A number of an SLO, as its texts may have it.
struct Known {
    unit: Unit,
    /// The SLO window.
    is_window: bool,
    values: Vec<Number>,
    span: Span,
    text: String,
}

/// The objective, the SLO window, and the threshold of a latency or of a gauge.
fn known(slo: &spec::Slo, objective: Number) -> Vec<Known> {
    let known = |unit, values, span, text: String| Known {
        unit,
        is_window: false,
        values,
        span,
        text,
    };
    let (period, one) = (&slo.period, Number::from_integer(1));
    let mut all = vec![
        Known {
            is_window: true,
            ..known(
                Unit::Seconds,
                vec![period.value.number()],
                period.span,
                period.to_string(),
            )
        },
        known(
            Unit::Ratio,
            vec![objective, one - objective],
            slo.objective.span,
            slo.objective.to_string(),
        ),
    ];
    let latency = slo.sli.value.latency.as_ref().map(|of| &of.value.at_most);
    let time = slo.sli.value.time.as_ref().map(|of| &of.value.comparison);
    let gauge = time
        .and_then(bound::comparison)
        .and_then(|(_, bound)| match &bound.value {
            spec::Bound::Quantity(quantity) => Some((quantity, bound.span)),
            _ => None,
        });
    let threshold = latency
        .map(|at_most| (&at_most.value, at_most.span))
        .or(gauge);
    if let Some((quantity, span)) = threshold {
        for unit in [Unit::Count, Unit::Ratio, Unit::Seconds] {
            let Ok(value) = quantity.of(unit, false) else {
                continue;
            };
            match all
                .iter_mut()
                .find(|known| known.unit == unit && !known.is_window)
            {
                // A text has the objective or the threshold.
                Some(share) => share.values.push(value),
                None => all.push(known(unit, vec![value], span, quantity.to_string())),
            }
        }
    }
    all
}

/// Warns of texts of an SLO with another objective, SLO window or threshold.
pub(super) fn numbers(cx: &mut Context<'_>, slo: &spec::Slo, objective: Number) {
    let known = known(slo, objective);
    let title = slo.title.as_ref().map(|text| (text, true));
    let texts = [slo.description.as_ref(), slo.notice.summary.as_ref()];
    let texts = texts.into_iter().flatten().map(|text| (text, false));
    for (text, is_title) in title.into_iter().chain(texts) {
        for known in &known {
            let said = claims(&text.value, is_title);
            // All of something is no objective.
            let is_all =
                |said: &Said<'_>| said.unit == Unit::Ratio && said.value == Number::from_integer(1);
            let is_of = |said: &Said<'_>| {
                said.unit == known.unit && said.is_window() == known.is_window && !is_all(said)
            };
            let said: Vec<_> = said.filter(is_of).collect();
            let is_known = |said: &Said<'_>| known.values.contains(&said.value);
            // Where the number is said, another one is about something else.
            let is_said = quantities(&text.value).any(|said| is_of(&said) && is_known(&said));
            let Some(first) = said.first().filter(|_| !is_said) else {
                continue;
            };
            let (number, is) = (first.text.trim(), &known.text);
            let message = format!("the text has `{number}`, and the SLO has `{is}`");
            let warning = Diagnostic::warning("contradiction", text.span, message)
                .related(known.span, "the SLO's number");
            cx.sink.push(warning.help("change the text or the number"));
        }
    }
}

/// The numbers of a title, and those that another text compares with or says a share with: `95% of requests`.
fn claims(text: &str, is_title: bool) -> impl Iterator<Item = Said<'_>> {
    let compared = said(text).into_iter().filter(move |_| !is_title);
    let numbers = quantities(text).filter(move |said| {
        is_title || said.unit == Unit::Ratio && text.contains(&format!("{} of ", said.text))
    });
    compared.chain(numbers)
}

pub(super) fn percentile(cx: &mut Context<'_>, text: &Text, stats: &[Stat]) {
    let own = PROMISE.replace_all(&text.value, "");
    let shares = PERCENTILE.captures_iter(&own).filter_map(|found| {
        let digits = found.get(1).or_else(|| found.get(2))?.as_str();
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
pub(super) fn of_another(cx: &mut Context<'_>, title: &Text, signals: &[&Signal]) {
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

/// What a summary compares with.
struct Said<'t> {
    text: &'t str,
    value: Number,
    unit: Unit,
    /// `more than`, or `fewer than`.
    is_upper: Option<bool>,
    /// It may be a time for which something lasts.
    may_last: bool,
}

impl Said<'_> {
    /// A number of days in which events are counted: `over 30 days`, and not `older than 2 days`.
    fn is_window(&self) -> bool {
        let text = self.text.trim().to_ascii_lowercase();
        let in_days = text.contains("day") || text.ends_with('d');
        let is_over = text.starts_with("over") || text.starts_with(|c: char| c.is_ascii_digit());
        self.unit == Unit::Seconds && in_days && is_over
    }
}

/// The comparisons of a summary; a rate may be in another unit than the condition.
fn said(text: &str) -> Vec<Said<'_>> {
    let found = COMPARED.captures_iter(text).filter_map(|found| {
        let whole = found.get(0)?;
        let rest = text[whole.end()..].trim_start();
        let of = found.get(3).map_or("", |of| of.as_str());
        // `5% of requests` is 5%.
        let is_share = found.get(2).is_some_and(|unit| unit.as_str() == "%");
        let is_scaled = !is_share && SCALES.iter().any(|word| rest.starts_with(word));
        let is_rate = rest.split_whitespace().take(2).any(|word| word == "per");
        if is_rate || is_scaled || of.contains('/') || SCALED.contains(&of) {
            return None;
        }
        let (unit, value) = quantity(&found[1], found.get(2).map(|unit| unit.as_str()))?;
        let word = whole.as_str().to_ascii_lowercase();
        let begins = |words: &[&str]| words.iter().any(|begin| word.starts_with(begin));
        Some(Said {
            text: whole.as_str(),
            value,
            unit,
            is_upper: (!begins(&OPEN)).then(|| !begins(&LOWER)),
            may_last: !begins(&OF_VALUES),
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
            may_last: true,
        })
    })
}

/// A number and its unit, in words.
fn quantity(number: &str, unit: Option<&str>) -> Option<(Unit, Number)> {
    let number = &number.replace([',', ' '], "");
    let (unit, text) = match unit.map(short) {
        None => return Some((Unit::Count, parse_decimal(number).ok()?)),
        Some("%") => (Unit::Ratio, format!("{number}%")),
        Some(word) => (Unit::Seconds, format!("{number}{word}")),
    };
    let value = text.parse::<Quantity>().ok()?.of(unit, false).ok()?;
    Some((unit, value))
}

/// The fixed thresholds of an alert: the value, its unit, whether it is an upper one, and its text.
fn thresholds(given: &spec::Condition, alert: &Alert) -> Vec<(Number, Unit, bool, String)> {
    if let Condition::Raw(raw) = &alert.condition {
        let own = bound::comparison(&given.comparison).and_then(|(op, bound)| {
            let spec::Bound::Quantity(quantity) = &bound.value else {
                return None;
            };
            let value = quantity.of(raw.unit.unit, quantity.per().is_some()).ok()?;
            let text = format!("`{} {quantity}`", op.symbol());
            Some((value, raw.unit.unit, op.is_upper(), text))
        });
        return own.into_iter().collect();
    }
    let compares = alert.condition.compares();
    compares
        .filter_map(|compare| match &compare.bound {
            Bound::Fixed(op, bound, text) => {
                let text = format!("`{} {text}`", op.symbol());
                Some((*bound, compare.unit.unit, op.is_upper(), text))
            }
            _ => None,
        })
        .collect()
}

/// Warns of a summary that compares with a number that the alert does not have, or in the other direction.
pub(super) fn compared(
    cx: &mut Context<'_>,
    summary: &Text,
    (given, alert): (&spec::Condition, &Alert),
) {
    let bounds = thresholds(given, alert);
    let texts: Vec<_> = bounds.iter().map(|(.., text)| text.clone()).collect();
    let is_of = |said: &Said<'_>, unit: Unit| match said.unit {
        Unit::Count => !matches!(
            unit,
            Unit::Seconds | Unit::Ratio | Unit::Bytes | Unit::Money(_)
        ),
        own => own == unit,
    };
    let one = Number::from_integer(1);
    let is_rest = |said: &Said<'_>, bound: Number| {
        said.unit == Unit::Ratio && is_same(said.unit, one - bound, said.value)
    };
    let is_bound = |said: &Said<'_>| {
        let mut bounds = bounds.iter().filter(|(_, unit, ..)| is_of(said, *unit));
        bounds.any(|(bound, ..)| is_same(said.unit, *bound, said.value) || is_rest(said, *bound))
    };
    let all = said(&summary.value);
    // `less than 10% are free` is `above: 90%` in use.
    if let [(bound, _, is_upper, _)] = bounds[..]
        && let Some(reverse) = all.iter().find(|said| {
            is_bound(said) && said.is_upper == Some(!is_upper) && !is_rest(said, bound)
        })
    {
        return warn(cx, summary.span, reverse.text, &texts);
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
    let is_in_query = |said: &Said<'_>| {
        let digits = decimal(said.value);
        let has = |query: &str| {
            let mut numbers = query.split(|c: char| !c.is_ascii_digit() && c != '.');
            numbers.any(|number| number == digits)
        };
        let may_have = |query: &String| has(query) || query.contains("time()");
        queries.iter().any(may_have)
    };
    // The time for which something lasts: a value in seconds may be one, too, and so may what PromQL compares.
    let is_said = quantities(&summary.value).any(|number| is_bound(&number));
    let has_times = bounds.iter().any(|(_, unit, ..)| *unit == Unit::Seconds);
    // `the error budget for 30 days`: the period of an SLO.
    let day = Number::from_integer(86_400);
    let is_long = |said: &&Said<'_>| {
        let lasts = said.text.to_lowercase().starts_with("for ")
            && (said.value < day || alert.hold.number() >= day);
        let is_time = said.unit == Unit::Seconds && lasts;
        let is_other = !is_bound(said) && (is_said || !has_times);
        is_time && is_other && !times.contains(&said.value) && !is_in_query(said)
    };
    if let Some(wrong) = all.iter().find(is_long) {
        let message = format!(
            "the summary has `{}`, and the alert has `for: {}`",
            wrong.text.trim(),
            alert.hold
        );
        let warning = Diagnostic::warning("contradiction", summary.span, message);
        cx.sink.push(warning.help("change the summary, or `for`"));
        return;
    }
    // Where the threshold is said, another number is about something else.
    if is_said {
        return;
    }
    let is_wrong = |said: &&Said<'_>| {
        bounds.iter().any(|(_, unit, ..)| is_of(said, *unit))
            && !(said.unit == Unit::Seconds && said.may_last && times.contains(&said.value))
            && !is_in_query(said)
    };
    if let Some(wrong) = all.iter().find(is_wrong) {
        warn(cx, summary.span, wrong.text, &texts);
    }
}

/// Warns of a summary about one server, where the value is the sum of all.
pub(super) fn one_server(cx: &mut Context<'_>, summary: &Text, alert: &Alert) {
    let Some(found) = ONE_SERVER.captures(&summary.value) else {
        return;
    };
    let is_sum = |compare: &Compare| {
        let family = compare.signal.family();
        family.is_some_and(|_| compare.signal.across == Across::Sum)
    };
    let has_server = |compare: &Compare| {
        let mut labels = compare.query.labels.iter();
        labels.any(|label| SERVERS.iter().any(|word| label.contains(word)))
    };
    let mut of_all = alert
        .condition
        .compares()
        .filter(|c| is_sum(c) && !has_server(c));
    if let Some(compare) = of_all.next() {
        let message = format!(
            "the summary is about one {}, and the value of `{}` is the sum of all",
            &found[1], compare.signal.name
        );
        let warning = Diagnostic::warning("contradiction", summary.span, message);
        cx.sink
            .push(warning.help("add `by: [instance]`, or change the summary"));
    }
}

/// Warns of a summary about a total, where the value is one of all or their mean.
pub(super) fn total(cx: &mut Context<'_>, summary: &Text, alert: &Alert) {
    let text = summary.value.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    if !words.any(|word| word == "total") {
        return;
    }
    let is_other = |compare: &&Compare| {
        let is_gauge =
            compare.signal.family().is_some() && compare.signal.kind() == SignalKind::Gauge;
        is_gauge && compare.signal.across != Across::Sum
    };
    if let Some(compare) = alert.condition.compares().find(is_other) {
        let (name, across) = (&compare.signal.name, compare.signal.across.as_str());
        let message = format!("the summary is about a total, and `{name}` has `across: {across}`");
        let warning = Diagnostic::warning("contradiction", summary.span, message);
        cx.sink
            .push(warning.help("write `across: sum`, or change the summary"));
    }
}

/// The windows and holding times of an alert, in seconds.
fn times(alert: &Alert) -> Vec<Number> {
    let leaves = alert.condition.leaves().into_iter();
    let windows = leaves.flat_map(|leaf| match leaf {
        Condition::Compare(compare) => vec![compare.window.number()],
        Condition::Absent(absent) => absent.memory.iter().map(|of| of.number()).collect(),
        Condition::Raw(raw) => ranges(&raw.expr),
        _ => Vec::new(),
    });
    let windows: Vec<_> = windows.collect();
    // What lasted for a window at first has lasted for both together at last.
    let together: Vec<_> = windows
        .iter()
        .map(|window| *window + alert.hold.number())
        .collect();
    let own = [alert.hold.number(), alert.keep.number()];
    own.into_iter().chain(windows).chain(together).collect()
}

/// The lengths of ranges in PromQL, in seconds.
fn ranges(expr: &Expr) -> Vec<Number> {
    let mut found = Vec::new();
    visit::walk(expr, &mut |node| {
        let range = match &node.kind {
            ExprKind::Range(range) => &range.range,
            ExprKind::Subquery(subquery) => &subquery.range,
            _ => return,
        };
        found.push(Number::new(range.millis.into(), 1000));
    });
    found
}

/// True for equal numbers, and for `above: 2` in words: at least 3.
fn is_same(unit: Unit, bound: Number, said: Number) -> bool {
    let one = Number::from_integer(1);
    bound == said || unit == Unit::Count && (bound + one == said || said + one == bound)
}

fn warn(cx: &mut Context<'_>, at: Span, said: &str, bounds: &[String]) {
    let message = format!(
        "the summary has `{}`, and the condition is {}",
        said.trim(),
        bounds.join(" and ")
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

/// Warns of a value that a text shows in another unit than its own.
pub(super) fn shown(cx: &mut Context<'_>, text: &Text, alert: &Alert) {
    let valued = alert.condition.valued();
    let unit = match valued {
        Some(Condition::Compare(c)) => c.unit.unit,
        Some(Condition::Raw(raw)) => raw.unit.unit,
        _ => return,
    };
    // PromQL may give seconds without saying so.
    let is_compared = matches!(valued, Some(Condition::Compare(_)));
    for found in SHOWN.captures_iter(&text.value) {
        let (pipe, after) = (&found[1], found.get(2).map(|after| after.as_str()));
        let is_percentage = pipe.contains("humanizePercentage");
        let (what, fits, help) = match unit {
            Unit::Ratio => (
                "a share of 1",
                is_percentage || (after.is_none() && !pipe.contains("humanizeDuration")),
                "write `{{ $value | humanizePercentage }}`",
            ),
            Unit::Seconds => (
                "a number of seconds",
                !is_percentage && after.is_none(),
                "write `{{ $value | humanizeDuration }}`",
            ),
            _ if is_compared => (
                "a number",
                !is_percentage && !pipe.contains("humanizeDuration"),
                "write `{{ $value | humanize }}`",
            ),
            _ => continue,
        };
        if !fits {
            let message = format!("the text shows `{}`, and the value is {what}", &found[0]);
            let warning = Diagnostic::warning("contradiction", text.span, message);
            cx.sink.push(warning.help(help));
        }
    }
}

/// Warns of an alert that is called slow, and fires while its latencies are below the threshold.
pub(super) fn fast(cx: &mut Context<'_>, name: &Text, given: &spec::Alert, condition: &Condition) {
    let Condition::Compare(c) = condition else {
        return;
    };
    let is_low = matches!(&c.bound, Bound::Fixed(op, ..) if !op.is_upper());
    let is_latency = c.signal.kind() == SignalKind::Histogram
        && c.signal.unit == Unit::Seconds
        && matches!(c.stat, Stat::Quantile(_) | Stat::Avg);
    let summary = given.notice.summary.as_ref();
    let texts = [Some(name), summary].into_iter().flatten();
    let is_slow = |text: &Text| names::words(&text.value).iter().any(|word| word == "slow");
    if is_low && is_latency && texts.into_iter().any(is_slow) {
        let message = format!(
            "the alert is called slow, and fires while `{}` is below the threshold",
            c.signal.name
        );
        let warning = Diagnostic::warning("contradiction", given.when.span, message);
        cx.sink
            .push(warning.help("write `above` for a slow service"));
    }
}
