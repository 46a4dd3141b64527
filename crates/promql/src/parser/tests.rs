use super::*;
use crate::ast::BinaryOp;
use crate::pretty;

fn error(text: &str) -> SyntaxError {
    parse(text).unwrap_err()
}

/// The tree as it groups, every operation in brackets.
fn grouped(text: &str) -> String {
    fn show(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Binary(binary) => {
                format!(
                    "[{} {} {}]",
                    show(&binary.lhs),
                    binary.op,
                    show(&binary.rhs)
                )
            }
            ExprKind::Unary(op, inner) => format!("[{}{}]", op.symbol(), show(inner)),
            _ => expr.to_string(),
        }
    }
    show(&parse(text).unwrap())
}

#[test]
fn operators_group_as_in_prometheus() {
    for (text, tree) in [
        (
            "a or b and c > d + e * f ^ g",
            "[a or [b and [c > [d + [e * [f ^ g]]]]]]",
        ),
        ("a ^ b ^ c", "[a ^ [b ^ c]]"),
        ("a - b - c", "[[a - b] - c]"),
        ("a atan2 b * c", "[[a atan2 b] * c]"),
        ("-a ^ 2", "[-[a ^ 2]]"),
        ("-a * b", "[[-a] * b]"),
        ("2 ^ -1 * 3", "[[2 ^ [-1]] * 3]"),
        ("a and b unless c or d", "[[[a and b] unless c] or d]"),
        ("a == b != c", "[[a == b] != c]"),
        ("-foo offset 5m", "[-foo offset 5m]"),
        (
            "foo offset 1m + bar offset -1m",
            "[foo offset 1m + bar offset -1m]",
        ),
        ("foo offset -1 ^ 1", "[foo offset -1 ^ 1]"),
        ("foo * sum", "[foo * sum]"),
        ("and and and", "[and and and]"),
    ] {
        assert_eq!(grouped(text), tree, "{text}");
    }
}

#[test]
fn every_part_knows_its_place() {
    let text = " sum by (a) (rate(m{x=\"1\"}[5m] offset 1h)) > 2";
    let expr = parse(text).unwrap();
    assert_eq!(&text[expr.span.clone()], text.trim());
    let ExprKind::Binary(binary) = &expr.kind else {
        panic!()
    };
    assert_eq!(
        (binary.op, &text[binary.op_span.clone()]),
        (BinaryOp::Gt, ">")
    );
    let ExprKind::Aggregate(aggregate) = &binary.lhs.kind else {
        panic!()
    };
    assert_eq!(
        &text[binary.lhs.span.clone()],
        "sum by (a) (rate(m{x=\"1\"}[5m] offset 1h))"
    );
    let ExprKind::Call(call) = &aggregate.expr.kind else {
        panic!()
    };
    assert_eq!(&text[call.function.span.clone()], "rate");
    let ExprKind::Range(range) = &call.args[0].kind else {
        panic!()
    };
    assert_eq!(&text[call.args[0].span.clone()], "m{x=\"1\"}[5m] offset 1h");
    assert_eq!(&text[range.range.span.clone()], "5m");
    let matcher = &range.selector.matchers[0];
    assert_eq!(&text[matcher.span.clone()], "x=\"1\"");
    assert_eq!(&text[matcher.value_span.clone()], "\"1\"");
}

#[test]
fn errors_say_what_was_expected() {
    for (text, message) in [
        ("", "empty query"),
        ("1 +", "unexpected end of query, expected an expression"),
        ("sum(a", "`(` without `)`"),
        ("a)", "`)` without `(`"),
        (
            "a{b",
            "unexpected end of query, expected `=`, `!=`, `=~` or `!~`",
        ),
        ("a{b=c}", "unexpected `c`, expected a value in quotes"),
        (
            "a b",
            "unexpected `b`, expected an operator or the end of the query",
        ),
        (
            "sum by a (b)",
            "unexpected `a`, expected `(` and label names",
        ),
        ("topk(a)", "`topk` takes 2 arguments, got 1"),
        (
            "a[5m] anchored smoothed",
            "`anchored` and `smoothed` exclude each other",
        ),
        (
            "a[5m:] anchored",
            "`anchored` must follow a selector or a range",
        ),
        (
            "a + fill(0) 1",
            "`fill` needs an operator between values of instant vectors",
        ),
        ("rate(a[ # c\n 5m])", "unexpected character `#`"),
        ("a[min(1m, 2m)]", "unexpected `min`, expected a duration"),
        ("a[5m - Inf]", "unexpected `Inf`, expected a duration"),
        ("a[1e18 + 5]", "the duration is out of range"),
        ("a offset 5m offset 0s", "the offset is set twice"),
        (
            "a + on (\"\\xff\") b",
            "a label name must be UTF-8 where series are grouped or matched",
        ),
        ("a{b=~\"(\"}", "bad regular expression: `(` without `)`"),
        ("a{__name__=\"b\"}", "the metric name is already `a`"),
        ("a[0s]", "a range must be greater than 0"),
        (
            "1 offset 5m",
            "`offset` must follow a selector, a range or a subquery",
        ),
    ] {
        assert_eq!(error(text).message, message, "{text}");
    }
}

#[test]
fn prometheus_takes_these_too() {
    for text in [
        "a </ 1 >/ 2",
        "a[5m] anchored @ 5 offset 1m",
        "a smoothed[5m]",
        "a offset 0s offset 5m",
        "a offset 0s [5m]",
        "a offset NaN",
        "a[min_of(5m, step()) + +1m]",
        "a[5m # c\n]",
        "a + on (x) fill_right (-1m) fill_left (0) b",
        "fill + fill_left",
        "integral(a[5m], 1)",
        "{\"\\xff\", \"\\xff\"=\"\\xff\"}",
    ] {
        let expr = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let line = expr.to_string();
        assert_eq!(parse(&line).unwrap().to_string(), line, "{text}");
    }
}

#[test]
fn depth_is_limited() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "a[".repeat(100_000),
        "a[(".repeat(9),
        format!("a[{}1{}]", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        vec!["1"; 100_001].join(" + "),
        vec!["1"; 100_000].join(" ^ "),
        format!("a{}", "[1m:]".repeat(100_000)),
        format!("a{{b=~\"{}\"}}", "(".repeat(100_000)),
    ] {
        error(&text);
    }
    assert!(error(&"(".repeat(100_000)).too_deep);
}

#[test]
#[ignore = "ci"]
fn trees_are_as_deep_as_prometheus_takes_them() {
    for text in [
        format!("{}1{}", "(".repeat(990), ")".repeat(990)),
        format!("{}a{}", "abs(".repeat(990), ")".repeat(990)),
        format!("{}a", "-".repeat(990)),
        vec!["a"; 990].join(" ^ "),
        vec!["a"; 990].join(" + "),
    ] {
        let tree = parse(&text).unwrap();
        assert_eq!(tree, tree.clone());
        assert_eq!(tree.to_string(), text);
        assert!(parse(&pretty(&tree, 80)).is_ok());
        assert!(format!("{tree:?}").len() > text.len());
    }
}
