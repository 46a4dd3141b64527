//! What holds no expressions: names, matchers, labels, shifts in time.

use std::fmt::{self, Write};

use super::{Aggregate, At, AtOffset, Selector, Subquery};
use crate::ast::{Fill, Grouping, Matcher, Name, StringLiteral};
use crate::lexer::{is_plain, quote};

pub(super) fn string<W: Write>(f: &mut W, literal: &StringLiteral) -> fmt::Result {
    if !literal.raw.is_empty() {
        return f.write_str(&literal.raw);
    }
    if !is_plain(&literal.value) {
        return f.write_str(&quote(&literal.value));
    }
    f.write_char('"')?;
    f.write_str(&literal.value)?;
    f.write_char('"')
}

fn name<W: Write>(f: &mut W, name: &Name, quoted: bool) -> fmt::Result {
    match &name.raw {
        Some(raw) => f.write_str(raw),
        None if quoted && name.placeholders.is_empty() => f.write_str(&quote(&name.text)),
        None => f.write_str(&name.text),
    }
}

/// True for `$x{}`: without its braces it may be any expression.
pub(super) fn is_placeholder(selector: &Selector) -> bool {
    let metric = selector.metric.as_ref();
    metric.is_some_and(Name::may_be_expression)
        && selector.matchers.is_empty()
        && selector.filters.is_empty()
}

pub(super) fn selector<W: Write>(f: &mut W, selector: &Selector) -> fmt::Result {
    let inside = selector.metric.as_ref().filter(|name| name.quoted_metric());
    if let (Some(metric), None) = (&selector.metric, inside) {
        f.write_str(&metric.text)?;
        if selector.matchers.is_empty() && selector.filters.is_empty() {
            return Ok(());
        }
    }
    f.write_char('{')?;
    let mut separator = "";
    if let Some(metric) = inside {
        f.write_str(&metric.metric_in_braces())?;
        separator = ", ";
    }
    for matcher in &selector.matchers {
        f.write_str(separator)?;
        self::matcher(f, matcher)?;
        separator = ", ";
    }
    for filter in selector.filters.iter() {
        f.write_str(separator)?;
        f.write_str(&filter.text)?;
        separator = ", ";
    }
    f.write_char('}')
}

pub(super) fn matcher<W: Write>(f: &mut W, matcher: &Matcher) -> fmt::Result {
    name(f, &matcher.label, matcher.label.quoted_label())?;
    f.write_str(matcher.op.symbol())?;
    string(f, &matcher.value)
}

pub(super) fn labels<W: Write>(f: &mut W, labels: &[Name]) -> fmt::Result {
    f.write_char('(')?;
    for (index, label) in labels.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        name(f, label, label.quoted_grouping())?;
    }
    f.write_char(')')
}

/// ` $by`
pub(super) fn clause<W: Write>(f: &mut W, placeholder: &[Name]) -> fmt::Result {
    placeholder
        .iter()
        .try_for_each(|name| write!(f, " {}", name.text))
}

pub(super) fn fill<W: Write>(f: &mut W, fill: &Fill) -> fmt::Result {
    let (left, right) = (fill.left.as_ref(), fill.right.as_ref());
    match (left, right) {
        (Some(left), Some(right)) if left == right => write!(f, " fill ({})", left.text),
        _ => {
            left.map_or(Ok(()), |left| write!(f, " fill_left ({})", left.text))?;
            right.map_or(Ok(()), |right| write!(f, " fill_right ({})", right.text))
        }
    }
}

pub(super) fn shift<W: Write>(f: &mut W, shift: &AtOffset) -> fmt::Result {
    if let Some(bounds) = shift.bounds {
        write!(f, " {}", bounds.word())?;
    }
    match &shift.offset {
        None => at(f, shift.at.as_ref()),
        // Behind two signs, an operator that follows would belong to the offset: `@` ends it.
        Some(offset) if has_two_signs(&offset.text) => {
            write!(f, " offset {}", offset.text)?;
            at(f, shift.at.as_ref())
        }
        Some(offset) => {
            at(f, shift.at.as_ref())?;
            write!(f, " offset {}", offset.text)
        }
    }
}

fn has_two_signs(text: &str) -> bool {
    let mut signs = text.chars().map(|c| matches!(c, '+' | '-'));
    signs.next() == Some(true) && signs.next() == Some(true)
}

fn at<W: Write>(f: &mut W, at: Option<&At>) -> fmt::Result {
    match at {
        None => Ok(()),
        Some(At::Timestamp(time)) => write!(f, " @ {}", time.text),
        Some(At::Start) => f.write_str(" @ start()"),
        Some(At::End) => f.write_str(" @ end()"),
        Some(At::Placeholder(name)) => write!(f, " @ {}", name.text),
    }
}

pub(super) fn subquery_suffix<W: Write>(f: &mut W, subquery: &Subquery) -> fmt::Result {
    let step = subquery.step.as_ref().map_or("", |step| &step.text);
    write!(f, "[{}:{step}]", subquery.range.text)?;
    shift(f, &subquery.at)
}

/// `sum by (job) `, up to the parenthesis of the arguments.
pub(super) fn aggregate_head<W: Write>(f: &mut W, aggregate: &Aggregate) -> fmt::Result {
    f.write_str(aggregate.op.name())?;
    grouping(f, aggregate.grouping.as_ref())
}

/// ` by (job) `
pub(super) fn grouping<W: Write>(f: &mut W, grouping: Option<&Grouping>) -> fmt::Result {
    if let Some(grouping) = grouping {
        if grouping.clause {
            clause(f, &grouping.labels)?;
            return f.write_char(' ');
        }
        f.write_str(if grouping.without {
            " without "
        } else {
            " by "
        })?;
        labels(f, &grouping.labels)?;
        f.write_char(' ')?;
    }
    Ok(())
}
