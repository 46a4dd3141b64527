//! Which rules an expression needs, and how far back they reach.

use std::collections::BTreeSet;

use slosmith_promql::ast::{AtOffset, Expr, ExprKind, MatchOp, Selector};
use slosmith_promql::{matches, visit};
use slosmith_render::target::prometheus::Timed;
use slosmith_spec::naming;

/// The recording rules whose series a selector may read.
pub(crate) fn read_by<'a>(rules: &'a [Timed], selector: &Selector) -> Vec<(usize, &'a Timed)> {
    let name = selector.metric.as_ref().map(|name| name.text.as_str());
    let meets = |rule: &Timed| {
        selector.matchers.iter().all(|matcher| {
            // Other labels are those of the expression.
            let Some(own) = rule.labels.get(&matcher.label.text) else {
                return true;
            };
            let wanted = &matcher.value.value;
            match matcher.op {
                MatchOp::Equal => own == wanted,
                MatchOp::NotEqual => own != wanted,
                MatchOp::Match => matches(wanted, own) != Some(false),
                MatchOp::NotMatch => matches(wanted, own) != Some(true),
            }
        })
    };
    let all = rules.iter().enumerate();
    all.filter(|(_, rule)| !rule.is_alert && Some(rule.name.as_str()) == name && meets(rule))
        .collect()
}

/// The recording rules that an expression reads, each once.
pub(crate) fn recorded(rules: &[Timed], expr: &Expr) -> BTreeSet<usize> {
    let selectors = visit::selectors(expr).into_iter();
    let read = selectors.flat_map(|selector| read_by(rules, selector));
    read.map(|(rule, _)| rule).collect()
}

/// True for an expression that reads a recorded series.
pub(crate) fn reads_recorded(rules: &[Timed], expr: &Expr) -> bool {
    !recorded(rules, expr).is_empty()
}

/// A series of an SLO of another service that an expression reads.
pub(crate) fn foreign(expr: &Expr) -> Option<String> {
    let selectors = visit::selectors(expr).into_iter();
    let mut names = selectors.filter_map(|selector| selector.metric.as_ref());
    let name = names.find(|name| naming::OF_SLOS.contains(&name.text.as_str()))?;
    Some(name.text.clone())
}

/// Most series that are looked up to see whether there is data.
const LOOKED_UP: usize = 12;

/// A query that has a result where any of the series exists that rules read; `None` if they read none.
pub(crate) fn any_series(rules: &[Timed]) -> Option<String> {
    let mut all: Vec<Selector> = Vec::new();
    for rule in rules {
        for selector in visit::selectors(&rule.expr) {
            let name = |of: &Selector| of.metric.as_ref().map(|name| name.text.clone());
            let known = all.iter().any(|known| name(known) == name(selector));
            if !known && all.len() < LOOKED_UP && read_by(rules, selector).is_empty() {
                all.push(Selector {
                    at: AtOffset::default(),
                    ..selector.clone()
                });
            }
        }
    }
    let exists = |selector: Selector| format!("group({})", Expr::from(selector));
    let all: Vec<_> = all.into_iter().map(exists).collect();
    (!all.is_empty()).then(|| all.join(" or "))
}

/// Rules in an order in which each comes behind what it reads, except for what it records itself.
pub(crate) fn order(rules: &[Timed], wanted: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    for rule in wanted {
        add(rules, rule, &mut seen, &mut order);
    }
    order
}

fn add(rules: &[Timed], rule: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
    if !seen.insert(rule) {
        return;
    }
    for read in recorded(rules, &rules[rule].expr) {
        add(rules, read, seen, order);
    }
    order.push(rule);
}

/// Seconds of recorded series that a rule reads before a moment, with those that they read; with `scraped`, also of other series.
pub(crate) fn reach(rules: &[Timed], rule: usize, scraped: bool) -> i64 {
    reach_of(
        rules,
        &rules[rule].expr,
        scraped,
        &mut BTreeSet::from([rule]),
    )
}

fn reach_of(rules: &[Timed], expr: &Expr, scraped: bool, open: &mut BTreeSet<usize>) -> i64 {
    let ago = |at: &AtOffset| at.offset.as_ref().map_or(0, |offset| offset.millis / 1_000);
    let mut behind = |selector: &Selector, own: i64| {
        let all = read_by(rules, selector);
        let mut longest = if all.is_empty() && scraped { own } else { 0 };
        for (read, rule) in all {
            if open.insert(read) {
                longest = longest.max(own + reach_of(rules, &rule.expr, scraped, open));
                open.remove(&read);
            } else {
                longest = longest.max(own);
            }
        }
        longest
    };
    match &expr.kind {
        ExprKind::Selector(selector) => behind(selector, ago(&selector.at)),
        ExprKind::Range(range) => {
            let own = range.range.millis / 1_000 + ago(&range.selector.at);
            behind(&range.selector, own)
        }
        ExprKind::Subquery(sub) if scraped || reads_recorded(rules, &sub.expr) => {
            sub.range.millis / 1_000 + ago(&sub.at) + reach_of(rules, &sub.expr, scraped, open)
        }
        _ => {
            let inner = visit::children(expr).map(|child| reach_of(rules, child, scraped, open));
            inner.max().unwrap_or(0)
        }
    }
}
