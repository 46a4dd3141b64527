//! PromQL of the author's: parsed, typed, its names checked, with `$window` in it where it is read over several windows.

mod declared;
mod words;

use std::collections::BTreeSet;

pub(super) use declared::doubt_share;

use super::context::{Absence, Context};
use super::family;
use super::matchers::JOB;
use slosmith_catalog::meant;
use slosmith_plan::plan::marker::{self, WINDOW};
use slosmith_promql::ast::{BinaryOp, Duration, Expr, ExprKind, MatchOp, Matcher, Selector};
use slosmith_promql::{self as promql, Dialect, Series, placeholder, split_series, visit};
use slosmith_spec::naming;
use slosmith_spec::spec::Text;
use slosmith_text::diag::{Diagnostic, did_you_mean};

/// Five minutes, as long as [`WINDOW`] is, so that every place stays where it is.
const STAND_IN: &str = "000300s";

/// Parses raw PromQL that gives an instant vector, and checks the vLLM names in it.
pub(super) fn parse(cx: &mut Context<'_>, text: &Text) -> Option<Expr> {
    parse_as(cx, text, &text.value)
}

/// The same of a query that stands for a text, each byte of it for one there.
pub(super) fn parse_as(cx: &mut Context<'_>, text: &Text, query: &str) -> Option<Expr> {
    let mut expr = match promql::parse(&words::stood_in(query)) {
        Ok(expr) => expr,
        Err(error) => {
            if let Some(word) = words::at(query, error.span.start) {
                cx.sink.push(word.misplaced(text));
                return None;
            }
            let message = format!("PromQL: {}", error.message);
            let at = cx.document.inside(text, error.span);
            let diagnostic = Diagnostic::error("bad-promql", at, message);
            cx.sink.push(diagnostic.maybe_help(error.help));
            return None;
        }
    };
    let found = promql::value_type(&expr);
    if found != promql::ValueType::Vector {
        let message = format!(
            "the query must return an instant vector, but returns {}",
            article(found)
        );
        let error = Diagnostic::error("wrong-type", text.span, message);
        let scalar = found == promql::ValueType::Scalar;
        let help = scalar.then(|| "write `vector(…)` to convert the scalar".to_owned());
        cx.sink.push(error.maybe_help(help));
        return None;
    }
    words::fill(cx, text, query, &mut expr)?;
    for selector in visit::selectors(&expr) {
        let name = selector.metric.as_ref();
        let buckets = name.is_some_and(|name| split_series(&name.text).1 == Series::Bucket);
        let jobs = selector.matchers.iter();
        for job in jobs.filter(|m| m.label.text == JOB && m.op == MatchOp::Equal) {
            let reads = cx.read_jobs.entry(job.value.value.clone());
            *reads.or_default() |= buckets;
        }
    }
    family::check_names(cx, &mut expr, text);
    check_slos(cx, text, &expr);
    check_idle(cx, text, &expr);
    check_age(cx, text, &expr);
    declared::doubt(cx, text, &expr);
    Some(expr)
}

/// Why an optional signal with this PromQL is left out, if a release of the range lacks a metric in it.
pub(super) fn absence(cx: &Context<'_>, text: &Text) -> Option<Absence> {
    let query = text.value.replace(WINDOW, STAND_IN);
    let expr = promql::parse(&words::stood_in(&query)).ok()?;
    let selectors = visit::selectors(&expr).into_iter();
    let mut names = selectors.filter_map(|selector| selector.metric.as_ref());
    names.find_map(|name| family::absence_of_name(cx, &name.text))
}

/// Warns of an operation on error ratios, which has no result while one of the services has no traffic.
fn check_idle(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    // The services and SLOs whose error ratios are read; those of one have a value at the same time.
    let ratios = |side: &Expr| {
        let selectors = visit::selectors(side).into_iter();
        let ratios = selectors.filter(|selector| {
            let name = selector.metric.as_ref();
            name.is_some_and(|name| name.text == naming::ERROR_RATIO)
        });
        let of = |label: &&Matcher| [naming::SERVICE, naming::SLO].contains(&&*label.label.text);
        let known = ratios.map(|selector| {
            let matchers = selector.matchers.iter().filter(of);
            matchers.map(|m| m.value.value.clone()).collect::<Vec<_>>()
        });
        known.collect::<BTreeSet<_>>()
    };
    let differ = |one: &Expr, other: &Expr| {
        let (one, other) = (ratios(one), ratios(other));
        !one.is_empty() && !other.is_empty() && one != other
    };
    let mut found = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Binary(b) = &node.kind
            && matches!(b.op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
            && b.fill.is_none()
            && differ(&b.lhs, &b.rhs)
            && !(has_alternative(&b.lhs) && has_alternative(&b.rhs))
        {
            found = Some(b.op_span.clone());
        }
    });
    if let Some(at) = found {
        let message = "the result is missing while one side has no traffic: the error ratio of no events has no value";
        let at = cx.document.inside(text, at);
        let warning = Diagnostic::warning("missing-operand", at, message);
        cx.sink.push(warning.help(format!(
            "take 0 for a service without traffic: `({}{{…}} or 0 * {}{{…}})`",
            naming::ERROR_RATIO,
            naming::TOTAL_EVENTS
        )));
    }
}

/// True if there is an alternative for missing series in it.
fn has_alternative(side: &Expr) -> bool {
    let mut found = false;
    visit::walk(side, &mut |node| {
        found |= matches!(&node.kind, ExprKind::Binary(b) if b.op == BinaryOp::Or);
    });
    found
}

/// True for `time()`.
fn is_now(expr: &Expr) -> bool {
    matches!(&visit::bare(expr).kind, ExprKind::Call(call) if call.function.text == "time")
}

/// The value that a selector asks for with `=`.
fn equal<'a>(selector: &'a Selector, label: &str) -> Option<&'a Matcher> {
    let mut all = selector.matchers.iter();
    all.find(|m| m.label.text == label && m.op == MatchOp::Equal)
}

/// Warns of the time of a past event less the time now: an age is the other way round.
fn check_age(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    let is_past = |side: &Expr| {
        let mut selectors = visit::selectors(side).into_iter();
        selectors.any(|selector| {
            let name = selector.metric.as_ref().map(|name| name.text.as_str());
            let mut words = name.unwrap_or_default().split(['_', ':']);
            words.any(|word| matches!(word, "last" | "created" | "start" | "started"))
        })
    };
    let mut found = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Binary(b) = &node.kind
            && b.op == BinaryOp::Sub
            && is_now(&b.rhs)
            && is_past(&b.lhs)
        {
            found = Some(b.op_span.clone());
        }
    });
    if let Some(at) = found {
        let at = cx.document.inside(text, at);
        let message = "the time of a past event less `time()` is negative";
        let warning = Diagnostic::warning("contradiction", at, message);
        cx.sink
            .push(warning.help("write `time() - …` for the time since then"));
    }
}

/// Warns of a point in time that is read as a duration.
pub(super) fn doubt_point(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    let mut is_age = false;
    visit::walk(expr, &mut |node| {
        is_age |= matches!(&node.kind, ExprKind::Call(call) if call.function.text == "time")
            || matches!(&node.kind, ExprKind::Binary(b) if b.op == BinaryOp::Sub);
    });
    let selectors = visit::selectors(expr);
    let mut names = selectors
        .iter()
        .filter_map(|selector| selector.metric.as_ref());
    let point = names.find(|name| name.text.split('_').any(|word| word == "timestamp"));
    if let Some(name) = point.filter(|_| !is_age) {
        let message = format!(
            "`{}` is a point in time, and is read as a duration",
            name.text
        );
        let at = cx.document.inside(text, name.span.clone());
        let warning = Diagnostic::warning("wrong-unit", at, message);
        cx.sink
            .push(warning.help("write `time() - …` for the time since then"));
    }
}

/// Reports a series of this service's SLOs whose SLO the spec does not have: it never has a value.
fn check_slos(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    let spec = cx.spec;
    for selector in visit::selectors(expr) {
        let of_slo = selector
            .metric
            .as_ref()
            .is_some_and(|name| naming::is_of_slo(&name.text));
        if let Some(finding) = unrecorded(cx, text, selector, equal(selector, naming::SERVICE)) {
            cx.sink.push(finding);
        }
        let (Some(service), Some(slo)) = (
            equal(selector, naming::SERVICE),
            equal(selector, naming::SLO),
        ) else {
            continue;
        };
        let (service, name) = (&service.value.value, &slo.value.value);
        let known = spec.slos.iter().any(|(slo, spec)| {
            let names = [Some(slo), spec.renamed_from.as_ref()];
            names
                .into_iter()
                .flatten()
                .any(|known| known.value == *name)
        });
        if of_slo && *service == spec.service.name.value && !known {
            let at = cx.document.inside(text, slo.value_span.clone());
            let message = format!("`{service}` has no SLO `{name}`: the query never has a value");
            let names: Vec<_> = spec.slos.keys().map(|slo| slo.value.as_str()).collect();
            let error = Diagnostic::error("unknown-name", at, message);
            cx.sink.push(error.maybe_help(did_you_mean(name, names)));
        }
    }
}

/// A warning of a name one slip away from a series that the rules of this or of another service record; an error where this service is
/// named, and has no such record.
fn unrecorded(
    cx: &Context<'_>,
    text: &Text,
    selector: &Selector,
    service: Option<&Matcher>,
) -> Option<Diagnostic> {
    let name = selector.metric.as_ref()?;
    let own = &cx.spec.service.name.value;
    let (word, known, message) = match naming::record_of(&name.text) {
        Some(record) if service.is_none_or(|service| service.value.value == *own) => {
            let records = cx.spec.records.keys().map(|name| name.value.as_str());
            (
                record,
                records.collect(),
                format!("the spec has no record `{record}`"),
            )
        }
        None if naming::is_of_slo(&name.text) => {
            let message = format!("no SLO has the series `{}`", name.text);
            (&*name.text, naming::OF_SLOS.to_vec(), message)
        }
        _ => return None,
    };
    let at = cx.document.inside(text, name.span.clone());
    if service.is_some() && naming::record_of(&name.text).is_some() && !known.contains(&word) {
        let message = format!("{message}: the query never has a value");
        let error = Diagnostic::error("unknown-name", at, message);
        return Some(error.maybe_help(did_you_mean(word, known)));
    }
    let meant = meant(word, &known).filter(|meant| *meant != word)?;
    let warning = Diagnostic::warning("unknown-metric", at, message);
    Some(warning.help(format!("did you mean `{meant}`?")))
}

fn article(found: promql::ValueType) -> &'static str {
    match found {
        promql::ValueType::Scalar => "a scalar",
        promql::ValueType::String => "a string",
        promql::ValueType::Vector => "an instant vector",
        promql::ValueType::Matrix => "a range vector",
    }
}

/// The same over `$window`, which stays in it as a marker.
pub(super) fn parse_over_window(cx: &mut Context<'_>, text: &Text) -> Option<Expr> {
    let wanted = text.value.matches(WINDOW).count();
    if wanted == 0 {
        without_window(cx, text);
        return None;
    }
    let stood_in = text.value.replace(WINDOW, STAND_IN);
    let mut expr = parse_as(cx, text, &stood_in)?;
    let mut found = 0;
    marker::windows(&mut expr, &mut |window| {
        if window.text == STAND_IN {
            *window = Duration::placeholder(WINDOW);
            found += 1;
        }
    });
    if found < wanted {
        let message = "`$window` can only be used as the length of a range";
        let error = Diagnostic::error("bad-promql", text.span, message);
        cx.sink
            .push(error.help("write `$window` in brackets, as in `rate(errors_total[$window])`"));
        return None;
    }
    check_operands(cx, text, &expr);
    Some(expr)
}

/// Warns of sums and differences that have no result where one side has no series, as before the first error.
fn check_operands(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    let mut found = Vec::new();
    visit::walk(expr, &mut |node| {
        if let ExprKind::Binary(b) = &node.kind {
            let (sign, help) = match b.op {
                BinaryOp::Add if may_miss(&b.lhs) || may_miss(&b.rhs) => (
                    "+",
                    "if a side may be missing, write `(A or 0 * B) + (B or 0 * A)`",
                ),
                BinaryOp::Sub if may_miss(&b.rhs) => (
                    "-",
                    "if the right side may be missing, write `A - (B or 0 * A)`",
                ),
                _ => return,
            };
            let vectors = [&b.lhs, &b.rhs].map(promql::value_type);
            if vectors == [promql::ValueType::Vector; 2] && b.fill.is_none() {
                found.push((b.op_span.clone(), sign, help));
            }
        }
    });
    for (at, sign, help) in found {
        let message = format!("`{sign}` returns nothing if one side has no series");
        let at = cx.document.inside(text, at);
        cx.sink
            .push(Diagnostic::warning("missing-operand", at, message).help(help));
    }
}

/// True for an operand without an alternative for the time when it has no series.
fn may_miss(operand: &Expr) -> bool {
    !matches!(&visit::bare(operand).kind, ExprKind::Binary(b) if b.op == BinaryOp::Or)
}

fn without_window(cx: &mut Context<'_>, text: &Text) {
    let other = placeholder::spans(&text.value, Dialect::Template)
        .into_iter()
        .next();
    if let Some(other) = other {
        let word = &text.value[other.clone()];
        let message = format!("`{word}` does not work here: use `$window`");
        let at = cx.document.inside(text, other);
        cx.sink
            .push(Diagnostic::error("missing-window", at, message));
        return;
    }
    let message = "the query does not use `$window`";
    let error = Diagnostic::error("missing-window", text.span, message);
    let is_signal = cx.spec.signals.contains_key(text.value.as_str());
    let help = "write `$window` as the range, as in";
    let recorded = recorded(&text.value);
    cx.sink.push(
        error.help(match recorded {
            _ if is_signal => {
                "use a `ratio` SLI for signals, as in `ratio: {bad: errors, total: requests}`"
                    .to_owned()
            }
            Some(series) => {
                format!("{help} `avg_over_time({series}{{…, window=\"5m\"}}[$window])`")
            }
            None => format!("{help} `sum(rate(errors_total[$window]))`"),
        }),
    );
}

/// The first series in a query that rules of an SLO record.
fn recorded(query: &str) -> Option<String> {
    let expr = promql::parse(query).ok()?;
    visit::selectors(&expr).into_iter().find_map(|selector| {
        let name = &selector.metric.as_ref()?.text;
        let mut labels = selector.matchers.iter().map(|m| &m.label.text);
        let has_window = labels.any(|label| label == naming::WINDOW);
        (has_window || naming::is_of_slo(name)).then(|| name.clone())
    })
}
