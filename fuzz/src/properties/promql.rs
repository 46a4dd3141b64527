//! Queries.

use slosmith::promql::ast::Expr;
use slosmith::promql::usage::surroundings;
use slosmith::promql::visit::walk;
use slosmith::promql::{
    Dialect, SyntaxError, experimental, kept_labels, parse_recovering, parse_with, pretty, reach,
    value_type,
};

use super::{fits, text};

/// Any query is read or refused with places; what was read prints as text that reads as the same.
pub fn promql(data: &[u8]) {
    let Some(text) = text(data) else { return };
    for dialect in [Dialect::Prometheus, Dialect::Grafana, Dialect::GoTemplate] {
        one(text, dialect);
    }
}

fn one(text: &str, dialect: Dialect) {
    let strict = parse_with(text, dialect);
    let (tree, errors) = parse_recovering(text, dialect);
    errors.iter().for_each(|error| placed(text, error));
    if let Some(tree) = &tree {
        walk(tree, &mut |node| fits(text, node.span.clone()));
    }
    match strict {
        Ok(expr) => {
            assert!(errors.is_empty(), "{errors:?}");
            same(&expr, tree.as_ref().expect("a tree"), text);
            assert_eq!(reach(text, dialect), Some(text.len()));
            kept_labels(&expr);
            experimental(surroundings(&expr).1.into_iter());
            value_type(&expr);
            printed(&expr, dialect);
        }
        Err(error) => {
            placed(text, &error);
            assert!(!errors.is_empty());
        }
    }
}

fn placed(text: &str, error: &SyntaxError) {
    fits(text, error.span.clone());
    assert!(!error.message.is_empty());
}

fn printed(expr: &Expr, dialect: Dialect) {
    let line = expr.to_string();
    for text in [line.clone(), pretty(expr, 40)] {
        let back = parse_with(&text, dialect);
        let back = back.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(back.to_string(), line, "{text:?}");
        if text == line {
            same(&back, expr, &text);
        }
    }
}

/// Compares as text without its digits, for no number equals NaN and places differ; a name may be quoted without need.
fn same(a: &Expr, b: &Expr, text: &str) {
    let shown = |expr: &Expr| {
        let tree = format!("{expr:?}").replace("quoted: true", "quoted: false");
        tree.replace(|c: char| c.is_ascii_digit(), "")
    };
    assert_eq!(shown(a), shown(b), "{text:?}");
}
