//! Long queries over many lines, as a careful author would write them.
//!
//! ```text
//! sum by (job) (rate(http_requests_total{code=~"5.."}[5m]))
//!   / on (job)
//! sum by (job) (rate(http_requests_total[5m]))
//! > 0.01
//! ```
//!
//! The loosest operator is at the margin and tighter ones are indented, operands are always at
//! the margin. So the first line is never indented, which a YAML block scalar would have to spell out.

use std::fmt::{self, Write};

use super::{
    Binary, Expr, ExprKind, Subquery, expr, leaf, lhs_parens, operator, rhs_parens,
    subquery_parens, unary_parens,
};
use crate::ast::{Name, Selector};
use crate::check::value_type;
use crate::functions::ValueType;
use crate::room::with_room;

const STEP: usize = 2;

/// Characters of a line of code on a phone.
const PHONE: usize = 46;

/// The query over as many lines as it needs to stay within `width` characters a line, if it can.
///
/// A query that fits into one line is that line. No newline at the end.
pub fn pretty(expr: &Expr, width: usize) -> String {
    let mut layout = Layout {
        out: String::with_capacity(256),
        width,
    };
    layout.expr(expr, 0);
    layout.out
}

struct Layout {
    out: String,
    width: usize,
}

struct Rest<'a> {
    out: &'a mut String,
    room: usize,
}

impl Write for Rest<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room.checked_sub(text.chars().count());
        self.room = room.ok_or(fmt::Error)?;
        self.out.push_str(text);
        Ok(())
    }
}

impl Layout {
    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        // Far to the right there is no room for words.
        let indent = indent.min(self.width / 2);
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Writes the expression on the current line if there is room.
    fn fits(&mut self, node: &Expr, parens: bool) -> bool {
        let line = self.out.rfind('\n').map_or(0, |at| at + 1);
        let start = self.out.len();
        let taken = self.out[line..].chars().count();
        let mut rest = Rest {
            out: &mut self.out,
            room: self.width.saturating_sub(taken),
        };
        let fits = super::operand(&mut rest, node, parens).is_ok();
        if !fits {
            self.out.truncate(start);
        }
        fits
    }

    fn expr(&mut self, node: &Expr, indent: usize) {
        if !self.fits(node, false) {
            with_room(|| self.broken(node, indent, indent));
        }
    }

    fn operand(&mut self, node: &Expr, parens: bool, indent: usize, operators: usize) {
        if self.fits(node, parens) {
        } else if parens {
            self.parens(node, indent);
        } else {
            with_room(|| self.broken(node, indent, operators));
        }
    }

    fn parens(&mut self, node: &Expr, indent: usize) {
        self.out.push('(');
        self.items(&[node], indent);
        self.out.push(')');
    }

    /// Each item on lines of its own, one step further in.
    fn items(&mut self, items: &[&Expr], indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line(indent + STEP);
            self.expr(item, indent + STEP);
        }
        if !items.is_empty() {
            self.line(indent);
        }
    }

    fn broken(&mut self, node: &Expr, indent: usize, operators: usize) {
        match &node.kind {
            _ if self.is_whole(node) => {
                let _ = expr(&mut self.out, node);
            }
            ExprKind::Selector(selector) => {
                self.selector(selector, indent);
                let _ = leaf::shift(&mut self.out, &selector.at);
            }
            ExprKind::Range(range) => {
                self.selector(&range.selector, indent);
                self.out.push_str(&format!("[{}]", range.range.text));
                let _ = leaf::shift(&mut self.out, &range.selector.at);
            }
            ExprKind::Subquery(subquery) => self.subquery(subquery, indent),
            ExprKind::Call(call) => {
                self.out.push_str(&call.function.text);
                let _ = leaf::grouping(&mut self.out, call.grouping.as_ref());
                self.out.push('(');
                self.items(&call.args.iter().collect::<Vec<_>>(), indent);
                self.out.push(')');
            }
            ExprKind::Aggregate(aggregate) => {
                let _ = leaf::aggregate_head(&mut self.out, aggregate);
                self.out.push('(');
                let param = aggregate.param.as_deref();
                let items: Vec<_> = param.into_iter().chain([&*aggregate.expr]).collect();
                self.items(&items, indent);
                self.out.push(')');
            }
            ExprKind::Unary(op, inner) => {
                self.out.push_str(op.symbol());
                self.operand(inner, unary_parens(inner), indent, operators);
            }
            ExprKind::Paren(inner) => self.parens(inner, indent),
            ExprKind::Binary(binary) => self.binary(binary, indent, operators),
            ExprKind::Number(_)
            | ExprKind::Unknown(_)
            | ExprKind::String(_)
            | ExprKind::Placeholder(_)
            | ExprKind::Invalid(_) => {
                let _ = expr(&mut self.out, node);
            }
        }
    }

    /// True for a selector, and for a call of one alone, where lines are longer than on a phone: the structure of a query is easier to see
    /// than in a line for each label.
    fn is_whole(&self, node: &Expr) -> bool {
        let is_wide = self.width > PHONE;
        match &node.kind {
            ExprKind::Selector(selector) => is_wide || leaf::is_placeholder(selector),
            ExprKind::Range(_) => is_wide,
            ExprKind::Call(call) => match &call.args[..] {
                [only] if is_wide => {
                    matches!(only.kind, ExprKind::Selector(_) | ExprKind::Range(_))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn selector(&mut self, selector: &Selector, indent: usize) {
        let metric = selector.metric.as_ref();
        let inside = metric.filter(|name| name.quoted_metric());
        let matcher = inside
            .map(Name::metric_in_braces)
            .filter(|text| text.starts_with("__name__="));
        let name_only = selector.matchers.is_empty() && matcher.is_none();
        if inside.is_some() && matcher.is_none() || name_only || !selector.filters.is_empty() {
            let _ = leaf::selector(&mut self.out, selector);
            return;
        }
        if let (Some(metric), None) = (metric, inside) {
            self.out.push_str(&metric.text);
        }
        self.out.push('{');
        if let Some(matcher) = matcher {
            self.line(indent + STEP);
            self.out.push_str(&matcher);
            self.out.push(',');
        }
        for matcher in &selector.matchers {
            self.line(indent + STEP);
            let _ = leaf::matcher(&mut self.out, matcher);
            self.out.push(',');
        }
        self.line(indent);
        self.out.push('}');
    }

    fn subquery(&mut self, subquery: &Subquery, indent: usize) {
        self.operand(&subquery.expr, subquery_parens(subquery), indent, indent);
        let _ = leaf::subquery_suffix(&mut self.out, subquery);
    }

    fn binary(&mut self, binary: &Binary, indent: usize, operators: usize) {
        let same = |side: &Expr| match &side.kind {
            ExprKind::Binary(inner) => inner.op.precedence() == binary.op.precedence(),
            _ => false,
        };
        if value_type(&binary.lhs) == ValueType::Scalar
            && self.fits(&binary.lhs, lhs_parens(binary))
        {
            self.out.push(' ');
            let _ = operator(&mut self.out, binary);
            self.out.push(' ');
        } else {
            self.left(binary, same(&binary.lhs), indent, operators);
            self.line(operators);
            let _ = operator(&mut self.out, binary);
            if value_type(&binary.rhs) == ValueType::Scalar && self.fits_behind(binary) {
                return;
            }
            self.line(indent);
        }
        let deeper = if same(&binary.rhs) { 0 } else { STEP };
        let parens = rhs_parens(binary);
        self.operand(&binary.rhs, parens, indent, operators + deeper);
    }

    fn left(&mut self, binary: &Binary, same: bool, indent: usize, operators: usize) {
        let parens = lhs_parens(binary);
        match &binary.lhs.kind {
            // A chain of equals has each of its operators on a line.
            ExprKind::Binary(lhs) if same && !parens => {
                with_room(|| self.binary(lhs, indent, operators));
            }
            _ => self.operand(&binary.lhs, parens, indent, operators + STEP),
        }
    }

    /// Writes the right side behind the operator if there is room.
    fn fits_behind(&mut self, binary: &Binary) -> bool {
        let end = self.out.len();
        self.out.push(' ');
        if self.fits(&binary.rhs, rhs_parens(binary)) {
            return true;
        }
        self.out.truncate(end);
        false
    }
}
