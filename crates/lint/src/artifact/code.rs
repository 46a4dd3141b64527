//! Queries in the string literals of source code.
//!
//! A literal is read when it is a whole query of a family that is recorded, and more than a name. What is put together
//! of several literals, or filled in by the program, is not known.

mod literal;

use super::reader::Reader;
use super::{Kind, Role};
pub(super) use literal::literals;
use slosmith_catalog::{self as catalog, is_in_name};
use slosmith_promql::ast::{Expr, ExprKind, Selector};
use slosmith_promql::{Dialect, parse_with, selectors};
use slosmith_spec::config::Code;
use slosmith_text::yaml::Body;

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, language: Code) {
    for literal in literals(body.text(), language) {
        let source = &body.text()[literal.range.clone()];
        // To look costs less than to decode.
        if !source.contains(['(', '{', '[', ' ']) {
            continue;
        }
        let text = body.literal(literal.range).filter(|_| literal.is_whole);
        match text.filter(|text| is_query(&text.value, Dialect::Grafana)) {
            Some(text) => {
                reader.query(text, Dialect::Grafana, Role::Literal);
                reader.is(Kind::Code);
            }
            None => reader.artifact.has_pieces |= is_piece(source),
        }
    }
}

/// True for a query of a family that is recorded, or would be, and more than a name.
pub(super) fn is_query(text: &str, dialect: Dialect) -> bool {
    let is_ours = |selector: &&Selector| {
        let name = selector.metric.as_ref().map_or("", |name| &name.text);
        catalog::is_recorded(name)
    };
    let fits = |expr: Expr| !is_name(&expr) && selectors(&expr).iter().any(is_ours);
    parse_with(text, dialect).is_ok_and(fits)
}

/// True for what looks like a part of a query.
fn is_piece(source: &str) -> bool {
    // A page of metrics has its values behind the braces.
    !source.contains("# TYPE") && pieces(source).next().is_some()
}

/// Where a text names a metric as queries do.
fn pieces(text: &str) -> impl Iterator<Item = usize> {
    catalog::mentions(text).filter(|at| is_in_query(text, *at))
}

/// True for a name, by its place, that has what names in queries have around them.
pub(super) fn is_in_query(text: &str, at: usize) -> bool {
    let behind = || text[at..].trim_start_matches(is_in_name);
    text[..at].ends_with('(') || behind().starts_with(['{', '['])
}

/// A name alone may be there for many reasons.
fn is_name(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Selector(selector) if selector.matchers.is_empty())
}
