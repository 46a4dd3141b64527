//! One label set for each family's series, and values that meet its matchers.

use regex_syntax::hir::{Class, Hir, HirKind};

use slosmith_plan::plan::{Family, Plan, Signal, Slo, selection};
use slosmith_promql::ast::{Expr, ExprKind, MatchOp, Matcher, Selector};
use slosmith_promql::{self as promql, visit};

/// Labels and their values, sorted.
pub(super) type LabelSet = std::collections::BTreeMap<String, String>;

const NAME: &str = "__name__";

/// A value that no selection asks for.
pub(super) const OTHER: &str = "other";

/// Statuses that a wrong pattern may take for an error of the server.
const NEAR_STATUSES: [&str; 3] = ["429", "404", "200"];

pub(super) fn is_status(value: &str) -> bool {
    value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A short value of a label: `i1` of `instance`, a status of `code`, and for others one that a link must escape, as names of models.
pub(super) fn made_up(label: &str) -> String {
    match label {
        "code" => "200".to_owned(),
        "instance" => "i1".to_owned(),
        _ => label.chars().take(1).chain("/1".chars()).collect(),
    }
}

/// The labels of a signal's series, so that its matchers select them: those by which the service groups, and one more.
pub(super) fn of(plan: &Plan, signal: &Signal, family: &Family) -> LabelSet {
    let own = signal.labels.iter();
    let (used, others): (Vec<_>, Vec<_>) = own.partition(|label| is_used(plan, label));
    let all = used.into_iter().chain(others.into_iter().take(1));
    let value = |label: &String| match label.as_str() {
        "job" => plan.scrape.job.clone(),
        label => made_up(label),
    };
    let mut set: LabelSet = all.map(|label| (label.clone(), value(label))).collect();
    for (label, op, value) in &family.matchers {
        let fits = selected_value(label, family);
        set.insert(label.clone(), fits.unwrap_or_else(|| meeting(*op, value)));
    }
    // A series without a label has it empty.
    set.retain(|_, value| !value.is_empty());
    set
}

/// A label set of an objective.
pub(super) fn groups(slo: &Slo) -> LabelSet {
    let value = |label: &String| (label.clone(), made_up(label));
    slo.labels.iter().map(value).collect()
}

/// True for a label that all series of a target have.
pub(super) fn is_of_target(plan: &Plan, label: &String) -> bool {
    ["job", "instance"].contains(&label.as_str()) || plan.scrape.labels.contains(label)
}

/// True for a label of targets, and one by which a rule of the service groups.
fn is_used(plan: &Plan, label: &String) -> bool {
    let mut alerts = plan.alerts.iter();
    is_of_target(plan, label)
        || plan.slos.iter().any(|slo| slo.labels.contains(label))
        || alerts.any(|alert| {
            let leaves = alert.condition.leaves().into_iter();
            let mut queries = leaves.chain([&alert.condition]).map(|part| part.query());
            queries.any(|query| query.labels.contains(label))
        })
}

/// The value of a label that the series of a family have which its matchers select. vLLM writes classes of statuses: `5xx`.
pub(super) fn selected_value(label: &str, family: &Family) -> Option<String> {
    let is_selected = |value: &String| selection::passes_all(label, value, &family.matchers);
    let value = candidates(label, &family.matchers).find(is_selected)?;
    let class = class_of(&value).filter(|_| family.recorded);
    class.filter(is_selected).or(Some(value))
}

fn class_of(value: &str) -> Option<String> {
    is_status(value).then(|| format!("{}xx", &value[..1]))
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
        let named = examples(*op, value);
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
        let near = near.map(|near| class_of(&near).filter(|_| wide.recorded).unwrap_or(near));
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
    let named = selectors.flat_map(|s| names(s).into_iter().enumerate().map(move |n| (n, s)));
    let named: Vec<_> = named.collect();
    for ((place, name), selector) in &named {
        let mut own = labels.clone();
        let add = |set: &mut LabelSet, m: &Matcher, op| {
            set.insert(m.label.text.clone(), meeting(op, &m.value.value));
        };
        // Several names: without a label that the others have, functions that drop the name leave no two equal series.
        let is_first = selector.metric.is_none() && *place == 0;
        for m in matchers(selector)
            .filter(|m| !is_first || matches!(m.op, MatchOp::Equal | MatchOp::Match))
        {
            add(&mut own, m, m.op);
        }
        let alike = named.iter().filter(|((_, other), _)| other == name);
        let beyond = alike.flat_map(|(_, s)| matchers(s));
        let beyond =
            beyond.filter(|m| matchers(selector).all(|own| own.label.text != m.label.text));
        let others = beyond.map(|m| {
            let mut set = own.clone();
            add(&mut set, m, m.op.opposite());
            set
        });
        for set in [own.clone()].into_iter().chain(others) {
            let series = series(name, &set);
            if !all.contains(&series) {
                all.push(series);
            }
        }
    }
    all
}

/// Names that a selector selects. A regular expression of one name is for a metric that some releases do not have.
fn names(selector: &Selector) -> Vec<String> {
    if let Some(name) = &selector.metric {
        return vec![name.text.clone()];
    }
    let names = selector.matchers.iter().filter(|m| m.label.text == NAME);
    let names: Vec<_> = names.flat_map(|m| examples(m.op, &m.value.value)).collect();
    if names.len() > 1 { names } else { Vec::new() }
}

/// Matchers of a selector, without those of the name.
fn matchers(selector: &Selector) -> impl Iterator<Item = &Matcher> {
    let matchers = selector.matchers.iter();
    matchers.filter(|m| m.label.text != NAME)
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

/// Texts that a matcher selects: one for each alternative of a regular expression.
pub(super) fn examples(op: MatchOp, value: &str) -> Vec<String> {
    match op {
        MatchOp::Equal => vec![value.to_owned()],
        MatchOp::Match => regex_syntax::parse(value).map_or_else(
            // Prometheus takes a few expressions that this parser does not; they hold no operators.
            |_| vec![value.to_owned()],
            |hir| texts(&hir),
        ),
        MatchOp::NotEqual | MatchOp::NotMatch => Vec::new(),
    }
}

/// A short text that a regular expression matches.
fn example(regex: &str) -> String {
    let mut all = examples(MatchOp::Match, regex).into_iter();
    all.next().unwrap_or_default()
}

/// The shortest text of each alternative; not more than a few.
fn texts(hir: &Hir) -> Vec<String> {
    const MOST: usize = 12;
    let one = |text: String| vec![text];
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => one(String::new()),
        HirKind::Literal(literal) => one(String::from_utf8_lossy(&literal.0).into_owned()),
        HirKind::Class(Class::Unicode(class)) => one(pick(class).into_iter().collect()),
        HirKind::Class(Class::Bytes(class)) => {
            let first = class.ranges().first();
            one(first
                .map(|range| char::from(range.start()))
                .into_iter()
                .collect())
        }
        HirKind::Repetition(repetition) => {
            let text = texts(&repetition.sub).swap_remove(0);
            one(text.repeat(repetition.min as usize))
        }
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(one(String::new()), |before, part| {
            let ends = texts(part);
            let all = before
                .iter()
                .flat_map(|start| ends.iter().map(move |end| [start.as_str(), end].concat()));
            all.take(MOST).collect()
        }),
        HirKind::Alternation(parts) => parts.iter().flat_map(texts).take(MOST).collect(),
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
