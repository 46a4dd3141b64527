//! Queries that an annotation or a label asks: `{{ query "up" }}`.

use std::ops::Range;

use crate::artifact::code::literals;
use crate::artifact::reader::Reader;
use crate::artifact::{Language, Pair, Role};
use crate::config::Code;
use crate::promql::{Dialect, parse_with, placeholder};
use crate::yaml::Body;

/// Reads the literals that a template hands to `query`. One with values to fill in must be a query all the same, as
/// `x{a="%s"}` is.
pub(super) fn read(reader: &mut Reader, pair: &Pair, alert: &str, language: Option<Language>) {
    let text = &pair.value;
    if !may_ask(&text.value) {
        return;
    }
    let body = Body::inside(text.map.clone(), &text.value);
    for action in placeholder::spans(&text.value, Dialect::GoTemplate) {
        let inner = &text.value[action.clone()];
        for literal in literals(inner, Code::Go) {
            let Some(asked) = asked(inner, &literal.range) else {
                continue;
            };
            let at = action.start + literal.range.start..action.start + literal.range.end;
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
fn asked(action: &str, literal: &Range<usize>) -> Option<Asked> {
    let before = action[..literal.start].trim_end();
    let behind = action[literal.end..].trim_start();
    let is_word = |text: &str| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        text.strip_suffix("query")
            .is_some_and(|rest| !rest.ends_with(word))
    };
    let is_piped = || {
        let next = behind.split_once('|').map(|(_, next)| next.trim_start());
        let rest = next.and_then(|next| next.strip_prefix("query"));
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    if let Some(before) = before.strip_suffix("printf") {
        let before = before.trim_end_matches([' ', '(']);
        return (is_word(before) || is_piped()).then_some(Asked::Filled);
    }
    // Behind a function's name or another value, the literal is only a part of what is piped on.
    let is_first = before.ends_with(['{', '-', '(', '=', ','])
        || ["if", "range", "with"]
            .iter()
            .any(|word| before.ends_with(word));
    let is_asked = is_word(before) || is_first && behind.starts_with('|') && is_piped();
    is_asked.then_some(Asked::AsIs)
}
