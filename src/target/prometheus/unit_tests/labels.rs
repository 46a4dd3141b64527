//! One label set for each family's series, and values that meet its matchers.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::plan::{Family, Plan, Signal, selection};
use crate::promql::ast::{Expr, ExprKind, MatchOp, Matcher, Selector};
use crate::promql::{self, visit};

/// Labels and their values, sorted.
pub(super) type LabelSet = std::collections::BTreeMap<String, String>;

/// A value that no selection asks for.
pub(super) const OTHER: &str = "other";

/// Statuses that a wrong pattern may take for an error of the server.
const NEAR_STATUSES: [&str; 3] = ["429", "404", "200"];

pub(super) fn is_status(value: &str) -> bool {
    value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A short value of a label: `i1` of `instance`, and a status of `code`.
pub(super) fn made_up(label: &str) -> String {
    match label {
        "code" => "200".to_owned(),
        _ => label.chars().take(1).chain(['1']).collect(),
    }
}

/// The labels of a signal's series: everything it can be grouped by, so that its matchers select it.
pub(super) fn of(plan: &Plan, signal: &Signal, family: &Family) -> LabelSet {
    let mut set = LabelSet::new();
    for label in &signal.labels {
        let value = if label == "job" {
            plan.scrape.job.clone()
        } else {
            made_up(label)
        };
        set.insert(label.clone(), value);
    }
    for (label, op, value) in &family.matchers {
        let fits = selected_value(label, &family.matchers);
        set.insert(label.clone(), fits.unwrap_or_else(|| meeting(*op, value)));
    }
    set
}

/// The value of a label that series have which these matchers select.
pub(super) fn selected_value(label: &str, matchers: &[selection::Matcher]) -> Option<String> {
    candidates(label, matchers).find(|value| selection::passes_all(label, value, matchers))
}

/// Statuses of the class of this one.
pub(super) fn statuses_like(value: &str) -> impl Iterator<Item = String> + use<> {
    let class = is_status(value).then(|| value[..1].to_owned());
    let of_class = |class: String| ["00", "03"].map(|rest| format!("{class}{rest}"));
    class.into_iter().flat_map(of_class)
}

/// Values of a label that show what its matchers select.
fn candidates<'a>(
    label: &'a str,
    matchers: &'a [selection::Matcher],
) -> impl Iterator<Item = String> + 'a {
    let own = matchers.iter().filter(move |(of, ..)| of == label);
    let values = own.flat_map(|(_, op, value)| {
        let met = meeting(*op, value);
        let named = selection::named(*op, value).unwrap_or_default();
        let longer = [&met, OTHER].concat();
        // Far from the usual one of its class.
        let far = is_status(&met).then(|| format!("{}11", &met[..1]));
        far.into_iter().chain([met]).chain(named).chain([longer])
    });
    values.chain(selection::statuses())
}

/// The same labels, except that the matchers of `narrow` beyond those of `wide` do not select them.
pub(super) fn outside(mut set: LabelSet, narrow: &Family, wide: &Family) -> LabelSet {
    for matcher in narrow
        .matchers
        .iter()
        .filter(|m| !wide.matchers.contains(m))
    {
        let (label, op, value) = matcher;
        let of_wide = |value: &str| selection::passes_all(label, value, &wide.matchers);
        let outside =
            |value: &String| of_wide(value) && !selection::passes_all(label, value, [matcher]);
        let first = meeting(op.opposite(), value);
        let near = is_status(&meeting(*op, value)).then_some(NEAR_STATUSES);
        let near = near.into_iter().flatten().map(str::to_owned);
        let mut others = near
            .chain([first.clone()])
            .chain(candidates(label, &wide.matchers));
        set.insert(label.clone(), others.find(outside).unwrap_or(first));
    }
    set
}

/// Series with these labels that queries select, and those that a part of them selects and another part does not.
pub(super) fn selected(queries: &[&Expr], labels: &LabelSet) -> Vec<String> {
    let mut all = Vec::new();
    let selectors = queries.iter().flat_map(|query| visit::selectors(query));
    let selectors: Vec<_> = selectors.collect();
    for selector in &selectors {
        let Some(name) = &selector.metric else {
            continue;
        };
        let mut own = labels.clone();
        let add = |set: &mut LabelSet, m: &Matcher, op| {
            set.insert(m.label.text.clone(), meeting(op, &m.value.value));
        };
        for m in &selector.matchers {
            add(&mut own, m, m.op);
        }
        let alike = selectors
            .iter()
            .filter(|s| s.metric.as_ref().is_some_and(|n| n.text == name.text));
        let beyond = alike.flat_map(|s| &s.matchers);
        let beyond = beyond.filter(|m| {
            selector
                .matchers
                .iter()
                .all(|own| own.label.text != m.label.text)
        });
        let others = beyond.map(|m| {
            let mut set = own.clone();
            add(&mut set, m, m.op.opposite());
            set
        });
        for set in [own.clone()].into_iter().chain(others) {
            let series = series(&name.text, &set);
            if !all.contains(&series) {
                all.push(series);
            }
        }
    }
    all
}

/// True when `narrow` selects a part of what `wide` selects.
pub(super) fn is_part(narrow: &Family, wide: &Family) -> bool {
    narrow.names.newest() == wide.names.newest()
        && selection::is_within(&narrow.matchers, &wide.matchers)
}

pub(super) fn meeting(op: MatchOp, value: &str) -> String {
    match op {
        MatchOp::Equal => value.to_owned(),
        MatchOp::NotEqual | MatchOp::NotMatch => OTHER.to_owned(),
        MatchOp::Match => example(value),
    }
}

/// `name{a="x", b="y"}`
pub(super) fn series(name: &str, set: &LabelSet) -> String {
    // A JSON string is a PromQL string; printing one cannot fail.
    let quoted = |v: &String| serde_json::to_string(v).unwrap_or_default();
    let mut out = String::with_capacity(256);
    out.extend([name, "{"]);
    for (i, (label, value)) in set.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        out.extend([comma, label, "=", &quoted(value)]);
    }
    out.push('}');
    out
}

/// The same series with this value of a label that it has.
pub(super) fn with(series: &str, label: &str, value: &str) -> Option<String> {
    let parsed = promql::parse(series).ok()?;
    let ExprKind::Selector(parsed) = &parsed.kind else {
        return None;
    };
    let matchers = parsed.matchers.iter();
    let mut set: LabelSet = matchers
        .map(|m| (m.label.text.to_string(), m.value.value.to_string()))
        .collect();
    *set.get_mut(label)? = value.to_owned();
    Some(self::series(&parsed.metric.as_ref()?.text, &set))
}

/// The same series with another value of a label; `None` where it does not have the label with its made-up value.
pub(super) fn beside(series: &str, label: &str, other: &str) -> Option<String> {
    let own = format!("{label}=\"{}\"", made_up(label));
    series.contains(&own).then(|| with(series, label, other))?
}

/// True when a query selects a series; where that cannot be told, it does.
pub(super) fn reads(query: &Expr, series: &str) -> bool {
    let Ok(series) = promql::parse(series) else {
        return true;
    };
    let own = visit::selectors(&series);
    visit::selectors(query)
        .iter()
        .any(|selector| own.iter().any(|series| selects(selector, series)))
}

/// True when a selector selects a series.
pub(super) fn is_selected(selector: &Selector, series: &str) -> bool {
    let series = promql::parse(series);
    series.is_ok_and(|series| {
        visit::selectors(&series)
            .iter()
            .any(|s| selects(selector, s))
    })
}

/// True where a matcher selects a value, or where that cannot be told.
pub(super) fn meets(op: MatchOp, wanted: &str, value: &str) -> bool {
    match op {
        MatchOp::Equal => value == wanted,
        MatchOp::NotEqual => value != wanted,
        MatchOp::Match => promql::matches(wanted, value) != Some(false),
        MatchOp::NotMatch => promql::matches(wanted, value) != Some(true),
    }
}

fn selects(selector: &Selector, series: &Selector) -> bool {
    let name = |s: &Selector| s.metric.as_ref().map(|name| name.text.clone());
    let value = |label: &str| {
        let found = series.matchers.iter().find(|m| m.label.text == label);
        found.map_or("", |m| &m.value.value)
    };
    name(selector).is_none_or(|own| Some(own) == name(series))
        && selector
            .matchers
            .iter()
            .all(|m| meets(m.op, &m.value.value, value(&m.label.text)))
}

/// A short text that a regular expression matches.
fn example(regex: &str) -> String {
    let mut out = String::new();
    match regex_syntax::parse(regex) {
        Ok(hir) => shortest(&hir, &mut out),
        // Prometheus takes a few expressions that this parser does not; they hold no operators.
        Err(_) => out.push_str(regex),
    }
    out
}

fn shortest(hir: &Hir, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => out.extend(pick(class)),
        HirKind::Class(Class::Bytes(class)) => {
            out.extend(class.ranges().first().map(|r| char::from(r.start())));
        }
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                shortest(&repetition.sub, out);
            }
        }
        HirKind::Capture(capture) => shortest(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| shortest(part, out)),
        HirKind::Alternation(parts) => {
            if let Some(first) = parts.first() {
                shortest(first, out);
            }
        }
    }
}

/// A readable character of a class, if it has one.
fn pick(class: &regex_syntax::hir::ClassUnicode) -> Option<char> {
    let holds = |c: &char| {
        class
            .ranges()
            .iter()
            .any(|r| r.start() <= *c && *c <= r.end())
    };
    ['0', 'a', 'A', '-']
        .into_iter()
        .find(holds)
        .or_else(|| class.ranges().first().map(|r| r.start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_match() {
        for (regex, text) in [
            ("5..", "500"),
            ("/v1/.*", "/v1/"),
            ("stop|length", "stop"),
            ("[a-c]+x{2}", "axx"),
            ("(2|3)[0-9]{2}", "200"),
        ] {
            assert_eq!(example(regex), text, "{regex}");
        }
    }
}
