//! Values of conditions over the time, for plots.

use slosmith_promql::ast::{BinaryOp, Expr, ExprKind, Selector};
use slosmith_promql::sampled::Row;
use slosmith_promql::visit;
use slosmith_spec::naming;

use crate::report::{Firing, Line, Plot};

/// Columns of a plot: a report shows each on about two pixels.
pub const COLUMNS: usize = 420;

/// Comparisons of a condition that are shown.
const COMPARED: usize = 3;

/// Lines of a plot.
const LINES: usize = 5;

/// A comparison with a number.
pub(crate) struct Compared {
    pub(crate) value: Expr,
    threshold: f64,
    low: bool,
}

/// The first comparisons of a condition with a number, of a tier those of its ratios. One with zero asks whether there is something, and
/// shows little.
pub(crate) fn compared(expr: &Expr, is_tier: bool) -> Vec<Compared> {
    let mut all = Vec::new();
    add(expr, &mut all);
    all.retain(|compared| !is_tier || is_ratio(&compared.value));
    all.truncate(COMPARED);
    all
}

/// True for what reads the error ratio of an SLO.
pub(crate) fn is_ratio(expr: &Expr) -> bool {
    let mut read = visit::selectors(expr).into_iter();
    let name = |of: &Selector| of.metric.as_ref().map(|name| name.text.clone());
    read.any(|of| name(of).as_deref() == Some(naming::ERROR_RATIO))
}

fn add(expr: &Expr, all: &mut Vec<Compared>) {
    let binary = match &visit::bare(expr).kind {
        ExprKind::Binary(binary) => binary,
        // What aggregates a comparison, as one that drops a label, decides as it does.
        ExprKind::Aggregate(aggregate) => return add(&aggregate.expr, all),
        _ => return,
    };
    if binary.op.is_set() {
        add(&binary.lhs, all);
        if binary.op != BinaryOp::Unless {
            add(&binary.rhs, all);
        }
    } else if binary.op.is_comparison()
        && let ExprKind::Number(threshold) = &visit::bare(&binary.rhs).kind
        && threshold.value != 0.0
    {
        all.push(Compared {
            value: binary.lhs.clone(),
            threshold: threshold.value,
            low: matches!(binary.op, BinaryOp::Lt | BinaryOp::Le),
        });
    }
}

/// The plot of a comparison from an evaluation on.
pub(crate) fn plot(compared: &Compared, rows: Vec<Row>, first: usize, firings: &[Firing]) -> Plot {
    let farther = if compared.low { f64::min } else { f64::max };
    let line = |(labels, values): Row| {
        let values = values.get(first..).unwrap_or_default();
        let width = values.len().div_ceil(COLUMNS).max(1);
        let column = |part: &[Option<f64>]| {
            let known = part
                .iter()
                .flatten()
                .copied()
                .filter(|value| value.is_finite());
            known.reduce(farther)
        };
        Line {
            labels,
            values: values.chunks(width).map(column).collect(),
        }
    };
    let mut lines: Vec<Line> = rows.into_iter().map(line).collect();
    lines.retain(|line| line.values.iter().any(Option::is_some));
    let rank = |line: &Line| {
        let fired = firings.iter().any(|firing| firing.labels == line.labels);
        let farthest = line.values.iter().flatten().copied().reduce(farther);
        let value = farthest.unwrap_or(compared.threshold);
        (!fired, if compared.low { value } else { -value })
    };
    lines.sort_by(|a, b| {
        let ((a_quiet, a_value), (b_quiet, b_value)) = (rank(a), rank(b));
        a_quiet.cmp(&b_quiet).then(a_value.total_cmp(&b_value))
    });
    let hidden = lines.len().saturating_sub(LINES);
    lines.truncate(LINES);
    Plot {
        threshold: compared.threshold,
        low: compared.low,
        lines,
        hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_promql::sampled::Labels;

    #[test]
    fn what_decides_is_compared() {
        let thresholds = |text: &str| {
            let expr = slosmith_promql::parse(text).expect("an expression");
            let all = compared(&expr, false).into_iter();
            all.map(|one| (one.threshold, one.low)).collect::<Vec<_>>()
        };
        assert_eq!(
            thresholds("(a > 5) and b < 0.5"),
            [(5.0, false), (0.5, true)]
        );
        assert_eq!(thresholds("a > 5 unless b > 3"), [(5.0, false)]);
        assert_eq!(thresholds("max without (window) (a > 5)"), [(5.0, false)]);
        // Whether something is there, and comparisons within.
        assert_eq!(thresholds("sum(a > 2) > 0"), []);
    }

    #[test]
    fn places_that_fired_come_first() {
        let place = |name: &str| Labels::from([("pod".to_owned(), name.to_owned())]);
        let row =
            |name: &str, values: &[f64]| (place(name), values.iter().copied().map(Some).collect());
        let rows: Vec<Row> = ["a", "b", "c", "d", "e", "f", "g"]
            .iter()
            .enumerate()
            .map(|(i, name)| row(name, &[0.0, i as f64]))
            .collect();
        let firing = Firing {
            labels: place("a"),
            start: 0,
            began_before: false,
            end: None,
            peak: 1.0,
            spent: None,
        };
        let value = slosmith_promql::parse("x").expect("an expression");
        let above = Compared {
            value,
            threshold: 9.0,
            low: false,
        };
        let plot = plot(&above, rows, 1, &[firing]);
        let names: Vec<_> = plot
            .lines
            .iter()
            .map(|line| line.labels["pod"].as_str())
            .collect();
        assert_eq!((names, plot.hidden), (vec!["a", "g", "f", "e", "d"], 2));
        assert_eq!(plot.lines[1].values, [Some(6.0)]);
    }
}
