//! What holds for every tree and every text.

use proptest::prelude::*;
use slosmith::promql::ast::{Expr, ExprKind, MatchOp, Matcher, Name, Selector};
use slosmith::promql::labels::{AnySeries, label_flow, unmatched_joins};
use slosmith::promql::rewrite::{apply, rename_in_selector, replace_node};
use slosmith::promql::usage::{comparisons, contexts, quantile_calls, surroundings};
use slosmith::promql::visit::{children, selectors, selectors_mut, walk, walk_mut};
use slosmith::promql::{
    Dialect, ValueType, experimental, kept_labels, parse, parse_recovering, parse_with, pretty,
    value_type,
};

use super::trees::vector;

/// The tree without places.
fn shown(expr: &Expr) -> String {
    let places = regex::Regex::new(r"\d+\.\.\d+").expect("a pattern");
    places.replace_all(&format!("{expr:?}"), "").into_owned()
}

/// The tree without parentheses and spelling: what it means.
fn meaning(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    walk_mut(&mut expr, &mut |node| {
        while let ExprKind::Paren(inner) = &mut node.kind {
            *node = inner.as_ref().clone();
        }
        match &mut node.kind {
            ExprKind::String(literal) => literal.raw.clear(),
            ExprKind::Aggregate(aggregate) => {
                aggregate
                    .grouping
                    .iter_mut()
                    .for_each(|grouping| unquote(&mut grouping.labels));
            }
            ExprKind::Binary(binary) => {
                for matching in binary.matching.iter_mut() {
                    unquote(&mut matching.labels);
                    matching
                        .group
                        .iter_mut()
                        .for_each(|group| unquote(&mut group.include));
                }
            }
            _ => {}
        }
    });
    selectors_mut(&mut expr, &mut |selector| {
        named(selector);
        selector
            .metric
            .iter_mut()
            .for_each(|name| name.quoted = false);
        for matcher in &mut selector.matchers {
            matcher.label.quoted = false;
            matcher.value.raw.clear();
        }
    });
    expr
}

/// `{__name__="on"}` is how a metric is written that is called like a word of PromQL.
fn named(selector: &mut Selector) {
    let name = |matcher: &Matcher| matcher.label.text == "__name__" && matcher.op == MatchOp::Equal;
    if selector.metric.is_none()
        && let Some(at) = selector.matchers.iter().position(name)
    {
        selector.metric = Some(selector.matchers.remove(at).value.value.as_str().into());
    }
}

fn unquote(names: &mut [Name]) {
    names.iter_mut().for_each(|name| name.quoted = false);
}

fn spans_hold(text: &str, expr: &Expr) {
    walk(expr, &mut |node| {
        let part = &text[node.span.clone()];
        let alone = parse(part).unwrap_or_else(|error| panic!("{part}: {error}"));
        assert_eq!(shown(&alone), shown(node), "{part}");
        for child in children(node) {
            assert!(node.span.start <= child.span.start, "{part}");
            assert!(child.span.end <= node.span.end, "{part}");
        }
    });
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn printed_trees_mean_the_same(tree in vector(), width in 1usize..100) {
        let line = tree.to_string();
        let back = parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        prop_assert_eq!(shown(&meaning(&back)), shown(&meaning(&tree)), "{}", line);
        prop_assert_eq!(back.to_string(), line.clone());

        let many = pretty(&tree, width);
        let back = parse(&many).unwrap_or_else(|error| panic!("{many}: {error}"));
        prop_assert_eq!(shown(&meaning(&back)), shown(&meaning(&tree)), "{}", many);
        prop_assert_eq!(pretty(&back, width), many.clone());
        prop_assert_eq!(back.to_string(), line);
        prop_assert!(!many.starts_with(' ') && many.lines().all(|line| !line.ends_with(' ')));
    }

    #[test]
    fn spans_are_the_text_of_their_nodes(tree in vector(), width in 1usize..100) {
        for text in [tree.to_string(), format!(" # x\n {} ", pretty(&tree, width))] {
            spans_hold(&text, &parse(&text).unwrap());
        }
    }

    #[test]
    fn a_renamed_metric_is_all_that_changes(
        tree in vector(),
        width in 1usize..100,
        from in prop::sample::select(vec!["up", "a:b", "by", "utf8.name", "nan"]),
        to in prop::sample::select(vec!["b", "c:d", "new.name", "on"]),
    ) {
        let text = format!(" # {from}\n{}", pretty(&tree, width));
        let before = parse(&text).unwrap();
        let named = selectors(&before).into_iter();
        let edits: Vec<_> = named.flat_map(|one| rename_in_selector(one, from, to)).collect();
        let after = apply(&text, &edits).unwrap();
        let after = parse(&after).unwrap_or_else(|error| panic!("{after}: {error}"));
        let mut expected = meaning(&before);
        selectors_mut(&mut expected, &mut |selector| {
            for name in selector.metric.iter_mut().filter(|name| name.text == from) {
                name.text = to.to_owned();
            }
        });
        prop_assert_eq!(shown(&meaning(&after)), shown(&expected));
    }

    #[test]
    fn a_replaced_node_leaves_the_rest_alone(
        tree in vector(),
        new in vector(),
        at in any::<prop::sample::Index>(),
    ) {
        let text = tree.to_string();
        let tree = parse(&text).unwrap();
        let mut spans = Vec::new();
        walk(&tree, &mut |node| {
            if value_type(node) == ValueType::Vector {
                spans.push(node.span.clone());
            }
        });
        let span = spans[at.index(spans.len())].clone();
        let edit = replace_node(&text, &span, &new.to_string(), Dialect::Prometheus);
        // A selector under a range is not a node of its own, and all others can be replaced.
        let edit = edit.unwrap_or_else(|| panic!("{text} at {span:?}: {new}"));
        let after = apply(&text, &[edit]).unwrap();
        prop_assert!(parse(&after).is_ok(), "{}", after);
    }

    #[test]
    fn analyses_take_any_tree(tree in vector()) {
        kept_labels(&tree);
        experimental(surroundings(&tree).1.into_iter());
        value_type(&tree);
        label_flow(&tree, &AnySeries);
        unmatched_joins(&tree, &AnySeries);
        contexts(&tree);
        comparisons(&tree);
        quantile_calls(&tree);
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        refused_inside(&text);
        recovered_inside(&text);
    }

    #[test]
    fn token_soup_is_read_or_refused(
        text in r#"((sum|rate|by|on|offset|and|a|x:y|"s"|'|`|5m|1\.5|0x|\(|\)|\[|\]|\{|\}|=~|!=|==|,|@|\+|-|\^|é|#|\\|(a=~"[(*\[\\{]?b"))[ \n]?){0,20}"#
    ) {
        refused_inside(&text);
        recovered_inside(&text);
    }

    #[test]
    fn placeholder_soup_is_read_or_refused(
        text in r#"((sum|rate|by|\$a|\$\{b:c\}|\[\[d\]\]|\{\{ \.e \}\}|a|"\$f \{\{.g\}\}"|5m|1|\(|\)|\[|\]|\{|\}|=~|=|,|@|\+|:|offset)[ ]?){0,14}"#
    ) {
        recovered_inside(&text);
    }

    #[test]
    fn a_cut_query_is_recovered(tree in vector(), cut in any::<prop::sample::Index>()) {
        let text = tree.to_string();
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        recovered_inside(&text[..at]);
        recovered_inside(&text[at..]);
    }
}

/// A recovering parser gives every verdict of the strict one, and spans inside the text.
fn recovered_inside(text: &str) {
    for dialect in [Dialect::Prometheus, Dialect::Grafana, Dialect::GoTemplate] {
        let (expr, errors) = parse_recovering(text, dialect);
        match parse_with(text, dialect) {
            Ok(strict) => {
                assert_eq!(errors, [], "{text}");
                let line = strict.to_string();
                assert_eq!(expr.as_ref(), Some(&strict), "{text}");
                let back = parse_with(&line, dialect);
                assert!(back.is_ok(), "{text} -> {line}: {back:?}");
            }
            Err(_) => assert!(!errors.is_empty(), "{text}"),
        }
        for error in errors {
            assert!(text.get(error.span.clone()).is_some(), "{text}: {error:?}");
        }
        if let Some(expr) = &expr {
            walk(expr, &mut |node| {
                assert!(text.get(node.span.clone()).is_some(), "{text}: {node:?}");
            });
            value_type(expr);
            kept_labels(expr);
        }
    }
}

/// Random failures are not kept as files; a bug found becomes a case of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn refused_inside(text: &str) {
    match parse(text) {
        Ok(expr) => spans_hold(text, &expr),
        Err(error) => assert!(text.get(error.span).is_some()),
    }
}
