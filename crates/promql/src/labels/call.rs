//! Labels of function calls.

use super::flow::{Flow, METRIC_NAME, Presence};
use super::set::Kept;
use crate::ast::{Call, Expr, ExprKind, MatchOp, Selector};
use crate::functions::{Function, ValueType};
use crate::regex;
use crate::visit::bare;

pub(super) fn called(call: &Call, args: Vec<Flow>) -> Flow {
    let name = call.function.text.as_str();
    let Some(function) = Function::get(name) else {
        return Flow::unknown();
    };
    let input = || input(function, args);
    match name {
        "scalar" | "vector" => Flow::none(),
        "absent" | "absent_over_time" => call.args.first().map_or_else(Flow::none, absent),
        "label_replace" => label_replaced(input(), call),
        "label_join" => label_joined(input(), call),
        "histogram_quantile" | "histogram_fraction" => input().without("le"),
        "histogram_quantiles" => match text(call, 1) {
            Some(label) => input().without("le").with(label, Presence::Sure),
            None => Flow::unknown(),
        },
        "info" => Flow::new(input().sure, Kept::any()),
        _ => input(),
    }
}

/// The labels of the first vector among the arguments.
fn input(function: &Function, args: Vec<Flow>) -> Flow {
    let series = |wanted: &ValueType| matches!(wanted, ValueType::Vector | ValueType::Matrix);
    let index = function.args.iter().position(series);
    let arg = index.and_then(|index| args.into_iter().nth(index));
    arg.unwrap_or_else(Flow::none)
}

fn text(call: &Call, index: usize) -> Option<&str> {
    match &call.args.get(index)?.kind {
        ExprKind::String(literal) if literal.placeholders.is_empty() => Some(&literal.value),
        _ => None,
    }
}

fn absent(arg: &Expr) -> Flow {
    match &bare(arg).kind {
        ExprKind::Selector(selector) => pinned(selector),
        ExprKind::Range(range) => pinned(&range.selector),
        ExprKind::Placeholder(_) | ExprKind::Invalid(_) => Flow::unknown(),
        _ => Flow::none(),
    }
}

/// Prometheus goes through the matchers in order: the first `=` sets a label, anything after it or of
/// another kind takes the label away.
fn pinned(selector: &Selector) -> Flow {
    let mut flow = Flow::none();
    let mut seen: Vec<&str> = Vec::new();
    let mut open = !selector.filters.is_empty();
    for matcher in &selector.matchers {
        let label = matcher.label.text.as_str();
        if !matcher.label.placeholders.is_empty() {
            open = true;
        } else if label == METRIC_NAME {
        } else if matcher.op == MatchOp::Equal && !seen.contains(&label) {
            seen.push(label);
            let presence = match matcher.value.value.is_empty() {
                _ if !matcher.value.placeholders.is_empty() => Presence::May,
                true => Presence::Never,
                false => Presence::Sure,
            };
            flow = flow.with(label, presence);
        } else {
            flow = flow.without(label);
        }
    }
    if open { Flow::unknown() } else { flow }
}

/// `label_replace(v, dst, replacement, src, regex)`
fn label_replaced(input: Flow, call: &Call) -> Flow {
    let Some(dst) = text(call, 1) else {
        return Flow::unknown();
    };
    let before = input.presence(dst);
    let (Some(replacement), Some(src), Some(pattern)) =
        (text(call, 2), text(call, 3), text(call, 4))
    else {
        return input.with(dst, before.or(Presence::May));
    };
    let source = input.presence(src);
    let after = new_value(replacement, pattern, source);
    let presence = match matches(pattern, source) {
        Some(true) => after,
        Some(false) => before,
        None => before.or(after),
    };
    input.with(dst, presence)
}

/// Whether the pattern matches the value of a label on every series, or on none.
fn matches(pattern: &str, source: Presence) -> Option<bool> {
    let empty = regex::matches_empty(pattern);
    match (pattern, source) {
        (".*" | "(.*)", _) => Some(true),
        (".+" | "(.+)", Presence::Sure) => Some(true),
        (_, Presence::Never) => Some(empty),
        _ => None,
    }
}

/// Whether the replacement leaves a value where the pattern matches; an empty one removes the label.
fn new_value(replacement: &str, pattern: &str, source: Presence) -> Presence {
    let whole = matches!(replacement, "$0" | "${0}")
        || matches!(replacement, "$1" | "${1}") && matches!(pattern, "(.*)" | "(.+)");
    if whole {
        // The source itself, and where `.+` matches, there is one.
        return match (pattern, source) {
            ("(.+)" | ".+", Presence::May) => Presence::Sure,
            _ => source,
        };
    }
    if replacement.is_empty() {
        Presence::Never
    } else if has_literal(replacement) {
        Presence::Sure
    } else {
        Presence::May
    }
}

/// Whether something is left of the replacement when its `$1` and `${name}` are empty.
fn has_literal(replacement: &str) -> bool {
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        if at > 0 {
            return true;
        }
        rest = &rest[1..];
        let end = match rest.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                Some(end) => end + 2,
                // Go keeps what it cannot read, which is rare enough to be left open.
                None => return false,
            },
            None => rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len()),
        };
        if end == 0 {
            return false;
        }
        rest = &rest[end..];
    }
    !rest.is_empty()
}

/// `label_join(v, dst, separator, src…)`
fn label_joined(input: Flow, call: &Call) -> Flow {
    let Some(dst) = text(call, 1) else {
        return Flow::unknown();
    };
    let sources = 3..call.args.len();
    let count = sources.len();
    let sources =
        sources.map(|index| text(call, index).map_or(Presence::May, |src| input.presence(src)));
    let separated = count > 1 && text(call, 2).is_some_and(|separator| !separator.is_empty());
    let separator_may = count > 1 && text(call, 2).is_none();
    let none = if separator_may {
        Presence::May
    } else {
        Presence::Never
    };
    let presence = sources.fold(none, |best, source| match (best, source) {
        (Presence::Sure, _) | (_, Presence::Sure) => Presence::Sure,
        (Presence::May, _) | (_, Presence::May) => Presence::May,
        _ => Presence::Never,
    });
    input.with(dst, if separated { Presence::Sure } else { presence })
}

impl Presence {
    /// What is known if either holds.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::May }
    }
}
