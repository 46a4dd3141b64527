//! Queries of panels without the variables that a spec cannot have.

use indexmap::IndexMap;

use slosmith_lint::artifact::Query;
use slosmith_promql::ast::{Expr, MatchOp, Matcher};
use slosmith_promql::{self as promql, Dialect, build, placeholder, visit};

const WIDTH: usize = 100;

const OF_GRAFANA: [&str; 8] = [
    "__interval",
    "__interval_ms",
    "__rate_interval",
    "__range",
    "__range_s",
    "__range_ms",
    "__from",
    "__to",
];

pub(super) struct Shown {
    /// With `label=~"$label"` for each variable that selects values of a label.
    pub(super) filtered: Expr,
    /// Labels that variables select values of, each with its variable.
    pub(super) filters: IndexMap<String, String>,
    /// Labels whose matchers were removed, because a variable is a part of their value.
    pub(super) removed: Vec<String>,
    pub(super) filled: Vec<String>,
    /// As it is in the source, where no variable is in it.
    text: String,
}

pub(super) fn read(
    query: &Query,
    current: &IndexMap<String, String>,
    constants: &IndexMap<String, String>,
) -> Result<Shown, String> {
    let mut text = filled(query.text.trim(), |name| constants.get(name).cloned());
    let parse = |text: &str| {
        promql::parse_with(text, Dialect::Grafana)
            .map_err(|error| format!("invalid PromQL: {}", error.message))
    };
    let mut expr = parse(&text)?;
    let mut filters = IndexMap::new();
    let mut removed = Vec::new();
    visit::selectors_mut(&mut expr, &mut |selector| {
        selector
            .matchers
            .retain_mut(|matcher| match choice(matcher) {
                Choice::None => true,
                Choice::Whole(variable) => {
                    filters.insert(matcher.label.text.clone(), variable);
                    *matcher = chosen(&matcher.label.text);
                    true
                }
                Choice::Part => {
                    removed.push(matcher.label.text.clone());
                    false
                }
            });
    });
    let others = others(&expr);
    if !removed.is_empty() {
        text = promql::pretty(&expr, WIDTH);
        expr = parse(&text)?;
    }
    if let Some(name) = others.iter().find(|name| !current.contains_key(*name)) {
        return Err(format!(
            "`${name}` in this query: the spec has no such variable"
        ));
    }
    if !others.is_empty() {
        let value = |name: &str| {
            let is_free = others.iter().any(|other| other == name);
            current.get(name).filter(|_| is_free).cloned()
        };
        text = filled(&promql::pretty(&expr, WIDTH), value);
        expr = parse(&text)?;
    }
    Ok(Shown {
        filtered: expr,
        filters,
        removed,
        filled: others,
        text,
    })
}

/// Variables in other places than as the value of a matcher.
fn others(expr: &Expr) -> Vec<String> {
    let names = visit::placeholders(expr).map(|found| found.variable().to_owned());
    let mut found: Vec<String> = names
        .filter(|name| !OF_GRAFANA.contains(&name.as_str()))
        .collect();
    found.sort();
    found.dedup();
    found
}

pub(super) fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut end = 0;
    for at in placeholder::spans(text, Dialect::Grafana) {
        let name = text[at.clone()].trim_matches(['$', '{', '}', '[', ']']);
        let name = name.split([':', '.']).next().unwrap_or_default();
        if let Some(value) = value(name) {
            out.push_str(&text[end..at.start]);
            out.push_str(&value);
            end = at.end;
        }
    }
    out.push_str(&text[end..]);
    out
}

/// What a variable does in a matcher.
enum Choice {
    None,
    Whole(String),
    /// It is a part of the value, or what shall not be.
    Part,
}

fn choice(matcher: &Matcher) -> Choice {
    let placeholders = matcher.value.placeholders.iter();
    let mut own = placeholders.filter(|found| !OF_GRAFANA.contains(&found.variable()));
    let Some(found) = own.next() else {
        return Choice::None;
    };
    let is_positive = matches!(matcher.op, MatchOp::Equal | MatchOp::Match);
    match is_positive && found.text == matcher.value.value {
        true => Choice::Whole(found.variable().to_owned()),
        false => Choice::Part,
    }
}

fn chosen(label: &str) -> Matcher {
    let mut made = build::metric("").matcher(label, MatchOp::Match, &format!("${label}"));
    made.matchers.remove(0)
}

impl Shown {
    /// The text with the filters on some labels, without those on others; and the latter.
    pub(super) fn with(&self, kept: &[String]) -> (String, Vec<String>) {
        let lost: Vec<String> = self
            .filters
            .keys()
            .filter(|l| !kept.contains(l))
            .cloned()
            .collect();
        if self.filters.is_empty() {
            return (self.text.clone(), lost);
        }
        let mut expr = self.filtered.clone();
        visit::selectors_mut(&mut expr, &mut |selector| {
            let is_lost = |m: &Matcher| {
                lost.contains(&m.label.text) && m.value.value == format!("${}", m.label.text)
            };
            selector.matchers.retain(|matcher| !is_lost(matcher));
        });
        (promql::pretty(&expr, WIDTH), lost)
    }
}
