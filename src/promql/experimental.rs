//! What a query uses that Prometheus has only behind a feature flag.

use super::ast::{AggregateOp, AtOffset, Duration, Expr, ExprKind, TextSpan};
use super::functions::Function;
use super::visit::walk;

const FUNCTIONS: &str = "promql-experimental-functions";
const DURATIONS: &str = "promql-duration-expr";

/// The places that need a feature flag, and the flag, in the order they are written.
pub fn experimental(expr: &Expr) -> Vec<(TextSpan, &'static str)> {
    let mut found = Vec::new();
    walk(expr, &mut |node| {
        let mut durations: [Option<&Duration>; 3] = [None, None, None];
        match &node.kind {
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
            ExprKind::Selector(selector) => durations = [offset(&selector.at), None, None],
            ExprKind::Range(range) => {
                durations = [Some(&range.range), offset(&range.selector.at), None];
            }
            ExprKind::Subquery(subquery) => {
                let range = Some(&subquery.range);
                durations = [range, subquery.step.as_ref(), offset(&subquery.at)];
            }
            _ => {}
        }
        for duration in durations.into_iter().flatten() {
            if duration.is_expression() {
                found.push((duration.span.clone(), DURATIONS));
            }
        }
    });
    found.sort_by_key(|(span, _)| span.start);
    found
}

fn offset(shift: &AtOffset) -> Option<&Duration> {
    shift.offset.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promql::parse;

    #[test]
    fn flags_stand_where_they_are_needed() {
        let text = "mad_over_time(a[1m + step()]) + limitk(1, sort_by_label(b, \"x\"))";
        let found = experimental(&parse(text).unwrap());
        let shown: Vec<_> = found
            .iter()
            .map(|(span, flag)| (&text[span.clone()], *flag))
            .collect();
        assert_eq!(
            shown,
            [
                ("mad_over_time", FUNCTIONS),
                ("1m + step()", DURATIONS),
                ("limitk", FUNCTIONS),
                ("sort_by_label", FUNCTIONS),
            ]
        );
        assert_eq!(experimental(&parse("rate(a[5m] offset -1h)").unwrap()), []);
    }
}
