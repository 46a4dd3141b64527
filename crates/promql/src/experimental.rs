//! What a query uses that Prometheus has only behind a feature flag.

use super::ast::{AggregateOp, Expr, ExprKind, TextSpan};
use super::functions::Function;

const FUNCTIONS: &str = "promql-experimental-functions";
const FILL: &str = "promql-binop-fill-modifiers";

/// The places that need a feature flag, and the flag, in the order they are written; what is inside of an expression is not looked at.
pub fn experimental<'a>(
    expressions: impl Iterator<Item = &'a Expr>,
) -> Vec<(TextSpan, &'static str)> {
    let mut found = Vec::new();
    expressions.for_each(|node| match &node.kind {
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
    use super::TextSpan;
    use super::{FILL, FUNCTIONS};
    use crate::parse;
    use crate::usage::surroundings;

    fn experimental(text: &str) -> Vec<(TextSpan, &'static str)> {
        let tree = parse(text).unwrap();
        super::experimental(surroundings(&tree).1.into_iter())
    }

    #[test]
    fn flags_stand_where_they_are_needed() {
        let text = "mad_over_time(a[1m + step()]) + fill (0) limitk(1, sort_by_label(b, \"x\"))";
        let found = experimental(text);
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
        assert_eq!(experimental("rate(a[5m] offset -1h)"), []);
    }
}
