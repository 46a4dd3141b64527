//! Walks over all nodes of a tree.

use std::iter::once;

use super::ast::{At, AtOffset, BinaryOp, Expr, ExprKind, Grouping, Matching, Selector};
use super::placeholder::{Placeholder, Placeholders};
use super::room::with_room;

/// The expressions directly inside, in the order they are written.
pub fn children(expr: &Expr) -> impl DoubleEndedIterator<Item = &Expr> {
    let (one, two, many): (Option<&Expr>, Option<&Expr>, &[Expr]) = match &expr.kind {
        ExprKind::Subquery(subquery) => (Some(&subquery.expr), None, &[]),
        ExprKind::Call(call) => (None, None, &call.args),
        ExprKind::Aggregate(aggregate) => (aggregate.param.as_deref(), Some(&aggregate.expr), &[]),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => (Some(inner), None, &[]),
        ExprKind::Binary(binary) => (Some(&binary.lhs), Some(&binary.rhs), &[]),
        ExprKind::Unknown(unknown) => (Some(&unknown.lhs), Some(&unknown.rhs), &[]),
        ExprKind::Invalid(parts) => (None, None, parts),
        ExprKind::Number(_)
        | ExprKind::String(_)
        | ExprKind::Selector(_)
        | ExprKind::Range(_)
        | ExprKind::Placeholder(_) => (None, None, &[]),
    };
    one.into_iter().chain(two).chain(many)
}

/// [`children`], to change them.
pub fn children_mut(expr: &mut Expr) -> impl Iterator<Item = &mut Expr> {
    let (one, two, many): (Option<&mut Expr>, Option<&mut Expr>, &mut [Expr]) = match &mut expr.kind
    {
        ExprKind::Subquery(subquery) => (Some(&mut subquery.expr), None, &mut []),
        ExprKind::Call(call) => (None, None, &mut call.args),
        ExprKind::Aggregate(aggregate) => (
            aggregate.param.as_deref_mut(),
            Some(&mut aggregate.expr),
            &mut [],
        ),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => (Some(inner), None, &mut []),
        ExprKind::Binary(binary) => {
            let binary = &mut **binary;
            (Some(&mut binary.lhs), Some(&mut binary.rhs), &mut [])
        }
        ExprKind::Unknown(unknown) => {
            let unknown = &mut **unknown;
            (Some(&mut unknown.lhs), Some(&mut unknown.rhs), &mut [])
        }
        ExprKind::Invalid(parts) => (None, None, parts),
        ExprKind::Number(_)
        | ExprKind::String(_)
        | ExprKind::Selector(_)
        | ExprKind::Range(_)
        | ExprKind::Placeholder(_) => (None, None, &mut []),
    };
    one.into_iter().chain(two).chain(many)
}

/// True where an expression has a value without any series: `time() - max(x) or vector(0)`. False also where that depends on numbers.
pub fn needs_no_series(expr: &Expr) -> bool {
    with_room(|| match &expr.kind {
        ExprKind::Number(_) => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => needs_no_series(inner),
        ExprKind::Subquery(subquery) => needs_no_series(&subquery.expr),
        ExprKind::Aggregate(aggregate) => needs_no_series(&aggregate.expr),
        ExprKind::Call(call) => match call.function.text.as_str() {
            "vector" | "time" | "absent" | "absent_over_time" | "scalar" => true,
            _ => !call.args.is_empty() && call.args.iter().all(needs_no_series),
        },
        ExprKind::Binary(b) => {
            let sides = [&b.lhs, &b.rhs].map(needs_no_series);
            match b.op {
                BinaryOp::Or => sides.contains(&true),
                BinaryOp::Unless => false,
                op if op.is_comparison() && !b.bool_modifier => false,
                _ => sides == [true; 2],
            }
        }
        _ => false,
    })
}

pub fn bare(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

pub fn walk<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    let mut open = Vec::with_capacity(8);
    open.push(expr);
    while let Some(expr) = open.pop() {
        visit(expr);
        open.extend(children(expr).rev());
    }
}

/// Calls `visit` with every expression, children before parents, left before right.
///
/// So a visitor may replace the expression it is given without meeting its own work again.
pub fn walk_mut(expr: &mut Expr, visit: &mut impl FnMut(&mut Expr)) {
    for child in children_mut(expr) {
        with_room(|| walk_mut(child, visit));
    }
    visit(expr);
}

pub fn selectors(expr: &Expr) -> Vec<&Selector> {
    let mut found: Vec<&Selector> = Vec::new();
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Selector(selector) => found.push(selector),
        ExprKind::Range(range) => found.push(&range.selector),
        _ => {}
    });
    found
}

/// Milliseconds of the longest range, that of a selector or a subquery.
pub fn longest_range(expr: &Expr) -> u64 {
    let mut longest = 0;
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Range(range) => longest = longest.max(range.range.millis),
        ExprKind::Subquery(sub) => longest = longest.max(sub.range.millis),
        _ => {}
    });
    longest.try_into().unwrap_or(0)
}

pub fn selectors_mut(expr: &mut Expr, visit: &mut impl FnMut(&mut Selector)) {
    walk_mut(expr, &mut |node| match &mut node.kind {
        ExprKind::Selector(selector) => visit(selector),
        ExprKind::Range(range) => visit(&mut range.selector),
        _ => {}
    });
}

pub fn placeholders(expr: &Expr) -> impl Iterator<Item = &Placeholder> {
    let mut found: Vec<&Placeholders> = Vec::new();
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Selector(selector) => in_selector(selector, &mut found),
        ExprKind::Range(range) => {
            found.push(&range.range.placeholders);
            in_selector(&range.selector, &mut found);
        }
        ExprKind::Subquery(subquery) => {
            let times = once(&subquery.range).chain(&subquery.step);
            found.extend(times.map(|time| &time.placeholders));
            in_shift(&subquery.at, &mut found);
        }
        ExprKind::Call(call) => {
            found.push(&call.function.placeholders);
            found.extend(in_grouping(&call.grouping));
        }
        ExprKind::Aggregate(aggregate) => found.extend(in_grouping(&aggregate.grouping)),
        ExprKind::String(literal) => found.push(&literal.placeholders),
        ExprKind::Placeholder(name) => found.push(&name.placeholders),
        ExprKind::Binary(binary) => found.extend(in_matching(&binary.matching)),
        ExprKind::Unknown(unknown) => {
            found.push(&unknown.operator.placeholders);
            found.extend(in_matching(&unknown.matching));
        }
        ExprKind::Number(_) | ExprKind::Unary(..) | ExprKind::Paren(_) | ExprKind::Invalid(_) => {}
    });
    found.into_iter().flat_map(|all| all.iter())
}

fn in_selector<'a>(selector: &'a Selector, found: &mut Vec<&'a Placeholders>) {
    found.extend(selector.metric.iter().map(|metric| &metric.placeholders));
    for matcher in &selector.matchers {
        found.extend([&matcher.label.placeholders, &matcher.value.placeholders]);
    }
    found.push(&selector.filters);
    in_shift(&selector.at, found);
}

fn in_grouping(grouping: &Option<Grouping>) -> impl Iterator<Item = &Placeholders> {
    let labels = grouping.iter().flat_map(|grouping| &grouping.labels);
    labels.map(|label| &label.placeholders)
}

fn in_matching(matching: &Option<Matching>) -> impl Iterator<Item = &Placeholders> {
    let labels = matching.iter().flat_map(|matching| {
        let group = matching.group.iter().flat_map(|group| &group.include);
        matching.labels.iter().chain(group)
    });
    labels.map(|label| &label.placeholders)
}

fn in_shift<'a>(shift: &'a AtOffset, found: &mut Vec<&'a Placeholders>) {
    found.extend(shift.offset.iter().map(|offset| &offset.placeholders));
    if let Some(At::Placeholder(name)) = &shift.at {
        found.push(&name.placeholders);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, parse, parse_with};

    #[test]
    fn every_selector_is_found_in_order() {
        let text = "sum(a{x=\"1\"}) / on (j) topk(scalar(b), rate(c[5m])) > -deriv((d + e)[1h:])";
        let expr = parse(text).unwrap();
        let names: Vec<_> = selectors(&expr)
            .into_iter()
            .filter_map(|selector| Some(selector.metric.as_ref()?.text.as_str()))
            .collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn what_needs_no_series_is_told_from_what_does() {
        let needs_none = |text| needs_no_series(&parse(text).unwrap());
        for text in [
            "time() - max(a) or vector(0)",
            "avg_over_time((vector(2) < bool 3)[5m:1m])",
            "absent(a)",
            "1 - (absent(a) or a)",
        ] {
            assert!(needs_none(text), "{text}");
        }
        for text in [
            "time() - max(a)",
            "absent(a) * a",
            "sum(a)",
            "vector(1) > 2",
        ] {
            assert!(!needs_none(text), "{text}");
        }
    }

    #[test]
    fn every_placeholder_is_found() {
        let text = "$a + sum by ($b) (rate($c{$d, x=~\"$e\", y=\"[[f]]\"}[$g:$h] offset $i))\
            + on ($j) group_left ($k) label_replace($l, \"${m}\", \"$1\", \"y\", \"\") + rate(z[$n])";
        let expr = parse_with(text, Dialect::Grafana).unwrap();
        let mut names: Vec<_> = placeholders(&expr).map(|p| p.variable()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.concat(), "abcdefghijklmn");
    }

    #[test]
    fn a_visitor_may_replace_nodes() {
        let mut expr = parse("a + b").unwrap();
        let new = parse("(a or b)").unwrap();
        walk_mut(&mut expr, &mut |node| {
            if node.to_string() == "a" {
                *node = new.clone();
            }
        });
        assert_eq!(expr.to_string(), "(a or b) + b");
    }
}
