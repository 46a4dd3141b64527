//! Changes to a query's text that leave the author's layout and spelling alone.

mod rename;

use super::ast::TextSpan;
use crate::ast::Expr;
use crate::build::paren;
use crate::parser::parse_untyped;
use crate::placeholder::Dialect;
use crate::visit::walk_mut;
pub use rename::rename_in_selector;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: TextSpan,
    pub text: String,
}

impl Edit {
    pub fn new(span: TextSpan, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The span is not of this text, or cuts a character.
    #[error("an edit at {0:?} is outside of the text")]
    Outside(TextSpan),
    #[error("two edits overlap at {0:?}")]
    Overlap(TextSpan),
}

/// The text after all edits, which may be in any order. Insertions at one place keep their order.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut sorted: Vec<_> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for edit in sorted {
        let outside = || EditError::Outside(edit.span.clone());
        text.get(edit.span.clone()).ok_or_else(outside)?;
        if edit.span.start < end {
            return Err(EditError::Overlap(edit.span.clone()));
        }
        out.push_str(text.get(end..edit.span.start).ok_or_else(outside)?);
        out.push_str(&edit.text);
        end = edit.span.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Ok(out)
}

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

#[cfg(test)]
mod tests;
