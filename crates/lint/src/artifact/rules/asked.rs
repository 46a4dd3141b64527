//! Queries that an annotation or a label asks: `{{ query "up" }}`.

use crate::artifact::reader::Reader;
use crate::artifact::{Language, Pair, Role};
use slosmith_promql::{Dialect, parse_with};
use slosmith_text::yaml::Body;
use slosmith_text::yaml::go::{self, Kind, Token};

/// Reads the literals that a template hands to `query`. One with values to fill in must be a query all the same, as
/// `x{a="%s"}` is.
pub(super) fn read(reader: &mut Reader, pair: &Pair, alert: &str, language: Option<Language>) {
    let text = &pair.value;
    if !may_ask(&text.value) {
        return;
    }
    let body = Body::inside(text.map.clone(), &text.value);
    for action in go::actions(&text.value).flatten() {
        let tokens: Vec<_> = go::tokens(&text.value, action).flatten().collect();
        for (i, literal) in tokens.iter().enumerate() {
            if !literal.text.starts_with(['"', '`']) {
                continue;
            }
            let Some(asked) = asked(&tokens, i) else {
                continue;
            };
            let at = literal.at.clone();
            let query = body.literal(at).filter(|query| {
                let is_whole = asked == Asked::AsIs;
                is_whole || parse_with(&query.value, Dialect::Prometheus).is_ok()
            });
            let (part, of) = (pair.key.value.clone(), format!("alert {alert}"));
            let role = Role::Part { part, of };
            if let Some(query) = query {
                let index = reader.query_in(query, Dialect::Prometheus, role, language);
                reader.artifact.queries[index].is_partial |= asked == Asked::Filled;
            }
        }
    }
}

pub(in crate::artifact) fn may_ask(text: &str) -> bool {
    text.contains("{{") && text.contains("query")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    AsIs,
    /// `printf` puts values in.
    Filled,
}

/// Whether a literal of an action goes to `query`: `query "x"`, `"x" | query`, `printf "x" 1 | query`,
/// `query (printf "x" 1)`.
fn asked(tokens: &[Token<'_>], literal: usize) -> Option<Asked> {
    let (before, behind) = (&tokens[..literal], &tokens[literal + 1..]);
    let is_query = |token: Option<&Token<'_>>| token.is_some_and(|token| token.is_word("query"));
    let is_pipe = |token: &Token<'_>| token.kind == Kind::Sign("|");
    let pipe = behind.iter().position(is_pipe);
    let is_piped = pipe.is_some_and(|at| is_query(behind.get(at + 1)));
    let last = before.last();
    if last.is_some_and(|token| token.is_word("printf")) {
        let mut outer = before.iter().rev().skip(1);
        let outer = outer.find(|token| token.kind != Kind::Sign("("));
        return (is_query(outer) || is_piped).then_some(Asked::Filled);
    }
    // Behind a function's name or another value, the literal is only a part of what is piped on.
    let begins = |token: &Token<'_>| match token.kind {
        Kind::Sign(sign) => matches!(sign, "(" | "=" | ":=" | ","),
        _ => token.is_word("if") || token.moves_dot(),
    };
    let is_asked = is_query(last) || last.is_none_or(begins) && pipe == Some(0) && is_piped;
    is_asked.then_some(Asked::AsIs)
}
