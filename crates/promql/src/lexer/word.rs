//! Keywords: matched in any case, as whole words only.

use super::{Keyword, Kind};
use crate::ast::{AggregateOp, BinaryOp};
use crate::functions::Function;

/// Longest keyword, in bytes (`count_values`).
const LONGEST: usize = 12;

/// The kind of a word outside braces that has no colon.
pub(crate) fn word_kind(word: &str) -> Kind {
    if word.len() > LONGEST {
        return Kind::Name;
    }
    let mut lower = [0; LONGEST];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    match &*lower {
        b"and" => Kind::WordOperator(BinaryOp::And),
        b"or" => Kind::WordOperator(BinaryOp::Or),
        b"unless" => Kind::WordOperator(BinaryOp::Unless),
        b"atan2" => Kind::WordOperator(BinaryOp::Atan2),
        b"offset" => Kind::Keyword(Keyword::Offset),
        b"by" => Kind::Keyword(Keyword::By),
        b"without" => Kind::Keyword(Keyword::Without),
        b"on" => Kind::Keyword(Keyword::On),
        b"ignoring" => Kind::Keyword(Keyword::Ignoring),
        b"group_left" => Kind::Keyword(Keyword::GroupLeft),
        b"group_right" => Kind::Keyword(Keyword::GroupRight),
        b"bool" => Kind::Keyword(Keyword::Bool),
        b"inf" | b"nan" => Kind::Number,
        lower => {
            let mut all = AggregateOp::ALL.into_iter();
            let named = all.find(|op| op.name().as_bytes() == lower);
            named.map_or(Kind::Name, Kind::Aggregate)
        }
    }
}

/// True for the name of a function or aggregation, also of one behind a feature flag.
pub fn is_function(name: &str) -> bool {
    Function::get(name).is_some() || matches!(word_kind(name), Kind::Aggregate(_))
}
