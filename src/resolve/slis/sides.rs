//! The two sides of a ratio: what their metrics and selections disprove.

use crate::diag::Diagnostic;
use crate::plan::{Family, Signal};
use crate::promql::ast::MatchOp;
use crate::resolve::context::Context;
use crate::spec::Text;

/// A side of a ratio, and where the spec names it.
pub(super) type Side<'a> = (&'a Signal, &'a Text);

/// Reports sides of which one cannot be a part of the other. Sides that may be anything get a note.
pub(super) fn check(
    cx: &mut Context<'_>,
    (part, part_name): Side<'_>,
    (total, total_name): Side<'_>,
    word: &str,
) -> Option<()> {
    if !part.counts().shares(total.counts()) {
        let message = format!(
            "`{part_name}` counts {}, but `{total_name}` counts {}: their quotient is not a share",
            part.counts().as_str(),
            total.counts().as_str()
        );
        let error = Diagnostic::error("wrong-unit", total_name.span, message);
        cx.sink
            .push(error.help("use two signals that count the same"));
        return None;
    }
    let Some((of_part, of_total)) = part.family().zip(total.family()) else {
        return Some(());
    };
    if of_part.served != of_total.served {
        cx.notes.push(format!(
            "`{part_name}` and `{total_name}` are different metrics: slosmith cannot check that `{total_name}` counts each event of `{part_name}`"
        ));
        return Some(());
    }
    let (at, message, help) = match (
        selects_less(of_total, of_part),
        selects_less(of_part, of_total),
        disjoint(of_part, of_total),
    ) {
        (true, true, _) => (
            total_name,
            format!("`{word}` and `total` count the same events"),
            format!(
                "narrow `{word}` with `where`: `{{use: {total_name}, where: {{LABEL: VALUE}}}}`"
            ),
        ),
        (true, false, _) => (
            total_name,
            format!("`total` counts only some of the events of `{word}`"),
            format!("swap them: `{{{word}: {total_name}, total: {part_name}}}`"),
        ),
        (false, false, Some(label)) => (
            part_name,
            format!(
                "`total` counts no event of `{word}`: they select different values of `{label}`"
            ),
            format!("select the same `{label}` in both"),
        ),
        _ => return Some(()),
    };
    let error = Diagnostic::error("contradiction", at.span, message);
    cx.sink.push(error.help(help));
    None
}

/// True if each series of `this` is one of `other`, as far as their matchers say.
fn selects_less(this: &Family, other: &Family) -> bool {
    let mut needed = other.matchers.iter();
    needed.all(|matcher| this.matchers.contains(matcher))
}

/// A label of which the two select different values.
fn disjoint<'a>(this: &'a Family, other: &'a Family) -> Option<&'a str> {
    let excludes = |a: &'a Family, b: &Family| {
        let mut exact = a.matchers.iter().filter(|(_, op, _)| *op == MatchOp::Equal);
        let found = exact.find(|(label, _, value)| {
            let mut same = b.matchers.iter().filter(|(name, ..)| name == label);
            same.any(|(_, op, known)| match op {
                MatchOp::Equal => known != value,
                MatchOp::NotEqual => known == value,
                MatchOp::Match | MatchOp::NotMatch => false,
            })
        });
        found.map(|(label, ..)| label.as_str())
    };
    excludes(this, other).or_else(|| excludes(other, this))
}
