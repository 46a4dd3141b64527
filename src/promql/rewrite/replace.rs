//! One expression in place of another.

use super::{Edit, apply};
use crate::promql::ast::{Expr, TextSpan};
use crate::promql::build::paren;
use crate::promql::parser::parse_untyped;
use crate::promql::placeholder::Dialect;
use crate::promql::visit::walk_mut;

/// The edit that puts `new` in the place of the expression at `span`, in parentheses if it needs them.
///
/// The result is read back: everything around the expression keeps its meaning. `None` if there is no
/// expression at `span` or one of the texts does not parse; types are not looked at.
pub fn replace_node(text: &str, span: &TextSpan, new: &str, dialect: Dialect) -> Option<Edit> {
    let tree = parse_untyped(text, dialect).ok()?;
    let node = parse_untyped(new, dialect).ok()?;
    let bare = with_node(&tree, span, &node)?;
    let wrapped = with_node(&tree, span, &paren(node))?;
    // Behind a bare `group_left`, a parenthesis would start its labels.
    let candidates = [
        (new.to_owned(), &bare),
        (format!("({new})"), &wrapped),
        (format!("() {new}"), &bare),
        (format!("() ({new})"), &wrapped),
    ];
    candidates.into_iter().find_map(|(new, expected)| {
        let edit = Edit::new(span.clone(), new);
        let result = apply(text, std::slice::from_ref(&edit)).ok()?;
        let found = parse_untyped(&result, dialect).ok()?;
        // The canonical line, because NaN is not equal to itself.
        (found.to_string() == *expected).then_some(edit)
    })
}

/// How the tree prints with `node` instead of the outermost expression at `span`.
fn with_node(tree: &Expr, span: &TextSpan, node: &Expr) -> Option<String> {
    let mut tree = tree.clone();
    let mut found = false;
    walk_mut(&mut tree, &mut |expr| {
        // Children come first, so an outer one with the same span has the last word.
        if expr.span == *span && !span.is_empty() {
            let span = expr.span.clone();
            *expr = node.clone();
            expr.span = span;
            found = true;
        }
    });
    found.then(|| tree.to_string())
}
