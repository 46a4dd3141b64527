//! What a query uses that Prometheus has only behind a feature flag.

use super::ast::{AggregateOp, Expr, ExprKind, TextSpan};
use super::functions::Function;
use super::visit::walk;

const FUNCTIONS: &str = "promql-experimental-functions";
const FILL: &str = "promql-binop-fill-modifiers";

/// The places that need a feature flag, and the flag, in the order they are written.
pub fn experimental(expr: &Expr) -> Vec<(TextSpan, &'static str)> {
    let mut found = Vec::new();
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Call(call)
            if Function::get(&call.function.text).is_some_and(|f| f.experimental) =>
        {
            found.push((call.function.span.clone(), FUNCTIONS));
        }
        ExprKind::Aggregate(aggregate) => {
            if matches!(aggregate.op, AggregateOp::Limitk | AggregateOp::LimitRatio) {
                let start = node.span.start;
                let end = (start + aggregate.op.name().len()).min(node.span.end);
                found.push((start..end, FUNCTIONS));
            }
        }
        ExprKind::Binary(binary) if binary.fill.is_some() => {
            found.push((binary.op_span.clone(), FILL));
        }
        _ => {}
    });
    found.sort_by_key(|(span, _)| span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promql::parse;

    #[test]
    fn flags_stand_where_they_are_needed() {
        let text = "mad_over_time(a[1m + step()]) + fill (0) limitk(1, sort_by_label(b, \"x\"))";
        let found = experimental(&parse(text).unwrap());
        let shown: Vec<_> = found
            .iter()
            .map(|(span, flag)| (&text[span.clone()], *flag))
            .collect();
        assert_eq!(
            shown,
            [
                ("mad_over_time", FUNCTIONS),
                ("+", FILL),
                ("limitk", FUNCTIONS),
                ("sort_by_label", FUNCTIONS),
            ]
        );
        assert_eq!(experimental(&parse("rate(a[5m] offset -1h)").unwrap()), []);
    }
}
