use super::*;
use crate::ast::BinaryOp;
use crate::{Dialect, parse_recovering, parse_with};

fn tree(text: &str) -> Expr {
    parse_with(text, Dialect::Grafana).unwrap()
}

#[test]
fn uses_are_told_apart() {
    for (text, expected) in [
        ("rate(x[5m])", Use::Change("rate")),
        ("sum(deriv((x[5m])))", Use::Change("deriv")),
        ("rate(x[5m:1m])", Use::Change("rate")),
        (
            "predict_linear((x)[1h:], 60)",
            Use::Change("predict_linear"),
        ),
        ("avg_over_time(x[5m])", Use::OverTime("avg_over_time")),
        (
            "quantile_over_time(0.9, x[5m])",
            Use::OverTime("quantile_over_time"),
        ),
        ("max_over_time(sum(x)[1h:])", Use::Instant),
        ("max_over_time(rate(x[5m])[1h:])", Use::Change("rate")),
        ("x > 5", Use::Instant),
        ("abs(x)", Use::Instant),
        ("$f(x[5m])", Use::Unknown),
        ("${f}_over_time(x[5m])", Use::Unknown),
    ] {
        let tree = tree(text);
        assert_eq!(contexts(&tree)[0].used(), expected, "{text}");
    }
    let (tree, _) = parse_recovering("rat(x[5m])", Dialect::Prometheus);
    assert_eq!(contexts(&tree.unwrap())[0].used(), Use::Unknown);
}

#[test]
fn contexts_know_their_way_up() {
    let text = "sum(rate(x{a=\"1\"}[5m] offset 1h)) / (y or max_over_time(z[1h:]))";
    let tree = tree(text);
    let shown: Vec<_> = contexts(&tree)
        .iter()
        .map(|context| {
            let path = context.ancestors();
            let path: Vec<_> = path.map(|expr| &text[expr.span.clone()]).collect();
            (&text[context.span.clone()], path.len(), path[0])
        })
        .collect();
    let rate = "rate(x{a=\"1\"}[5m] offset 1h)";
    assert_eq!(
        shown,
        [
            ("x{a=\"1\"}[5m] offset 1h", 3, rate),
            ("y", 3, "y or max_over_time(z[1h:])"),
            ("z", 5, "z[1h:]"),
        ]
    );
}

#[test]
fn comparisons_are_in_the_subjects_unit() {
    for (text, subject, op, constant, threshold) in [
        ("x > 5", "x", BinaryOp::Gt, "5", (5, 1)),
        ("5 < x", "x", BinaryOp::Gt, "5", (5, 1)),
        ("x * 100 >= bool 95", "x", BinaryOp::Ge, "95", (95, 100)),
        ("(100 * (x)) > 95", "x", BinaryOp::Gt, "95", (95, 100)),
        ("x / 1000 < 0.5", "x", BinaryOp::Lt, "0.5", (500, 1)),
        (
            "x / 1024 / 1024 > 1",
            "x",
            BinaryOp::Gt,
            "1",
            (1_048_576, 1),
        ),
        (
            "(a / b) * 100 > 1 + 1",
            "a / b",
            BinaryOp::Gt,
            "1 + 1",
            (2, 100),
        ),
        ("x * -1 > 5", "x * -1", BinaryOp::Gt, "5", (5, 1)),
        ("100 - x > 5", "100 - x", BinaryOp::Gt, "5", (5, 1)),
        ("x * $k > 5", "x * $k", BinaryOp::Gt, "5", (5, 1)),
        ("1 == x * 0", "x * 0", BinaryOp::Eq, "1", (1, 1)),
        ("sum(x > 5)", "x", BinaryOp::Gt, "5", (5, 1)),
    ] {
        let tree = tree(text);
        let found = comparisons(&tree);
        let [comparison] = found.as_slice() else {
            panic!("{text}: {found:?}")
        };
        assert_eq!(&text[comparison.subject.span.clone()], subject, "{text}");
        assert_eq!(&text[comparison.constant_span.clone()], constant, "{text}");
        assert_eq!(comparison.op, op, "{text}");
        let (a, b) = threshold;
        assert_eq!(comparison.threshold(), Some(Exact::new(a, b)), "{text}");
    }
    for text in ["a > b", "x > $t", "x + 5", "vector(1) > bool Inf"] {
        assert_eq!(comparisons(&tree(text)), [], "{text}");
    }
}

#[test]
fn quantiles_know_their_buckets() {
    for (text, quantile, op, le) in [
        (
            "histogram_quantile(0.9, sum by (le) (rate(x[5m])))",
            true,
            true,
            true,
        ),
        (
            "histogram_quantile(0.9, sum by (job) (rate(x[5m])))",
            true,
            true,
            false,
        ),
        (
            "histogram_quantile(0.9, sum(rate(x[5m])))",
            true,
            true,
            false,
        ),
        ("histogram_quantile(0.9, rate(x[5m]))", true, false, true),
        (
            "histogram_quantile($q, sum without (le) (x))",
            false,
            true,
            false,
        ),
        ("histogram_quantile(0.9, sum by ($g) (x))", true, true, true),
        (
            "histogram_quantile(0.9, (sum by (le) (a) + sum by (le) (b)))",
            true,
            true,
            true,
        ),
    ] {
        let tree = tree(text);
        let calls = quantile_calls(&tree);
        assert_eq!(calls.len(), 1, "{text}");
        let call = &calls[0];
        assert_eq!(
            (
                call.quantile.is_some(),
                call.aggregate.is_some(),
                call.may_have_le()
            ),
            (quantile, op, le),
            "{text}"
        );
    }
    assert_eq!(quantile_calls(&tree("rate(x[5m])")), []);
}
