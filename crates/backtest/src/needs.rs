//! Which rules an expression needs, and how far back they reach.

use std::collections::BTreeSet;

use slosmith_promql::ast::{AtOffset, Expr, ExprKind, MatchOp, Selector};
use slosmith_promql::{matches, visit};
use slosmith_render::target::prometheus::Timed;

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

/// Seconds of recorded series that a rule reads before a moment, with those that they read.
pub(crate) fn reach(rules: &[Timed], rule: usize) -> i64 {
    reach_of(rules, &rules[rule].expr, &mut BTreeSet::from([rule]))
}

fn reach_of(rules: &[Timed], expr: &Expr, open: &mut BTreeSet<usize>) -> i64 {
    let ago = |at: &AtOffset| at.offset.as_ref().map_or(0, |offset| offset.millis / 1_000);
    let mut behind = |selector: &Selector, own: i64| {
        let mut longest = 0;
        for (read, rule) in read_by(rules, selector) {
            if open.insert(read) {
                longest = longest.max(own + reach_of(rules, &rule.expr, open));
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
        ExprKind::Subquery(sub) if reads_recorded(rules, &sub.expr) => {
            sub.range.millis / 1_000 + ago(&sub.at) + reach_of(rules, &sub.expr, open)
        }
        _ => {
            let inner = visit::children(expr).map(|child| reach_of(rules, child, open));
            inner.max().unwrap_or(0)
        }
    }
}
