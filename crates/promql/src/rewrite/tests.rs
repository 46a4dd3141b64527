use super::*;
use crate::ast::Expr;
use crate::visit::selectors;
use crate::{Dialect, parse_with};

fn rename_metric(expr: &Expr, from: &str, to: &str) -> Vec<Edit> {
    let all = selectors(expr).into_iter();
    all.flat_map(|one| rename_in_selector(one, from, to))
        .collect()
}

fn renamed(text: &str) -> String {
    let expr = parse_with(text, Dialect::Grafana).unwrap();
    let edits = rename_metric(&expr, "a:x", "b_y");
    apply(text, &edits).unwrap()
}

#[test]
fn names_change_and_nothing_else() {
    for (old, new) in [
        ("a:x", "b_y"),
        (
            "sum( rate(a:x_bucket{ le=\"1\" }[5m]) ) # a:x",
            "sum( rate(b_y_bucket{ le=\"1\" }[5m]) ) # a:x",
        ),
        ("a:x_sum / a:x_count", "b_y_sum / b_y_count"),
        ("a:x_total + a:xx + z_a:x", "a:x_total + a:xx + z_a:x"),
        ("{\"a:x\", l='a:x'}", "{\"b_y\", l='a:x'}"),
        ("{__name__='a:x_sum'}", "{__name__='b_y_sum'}"),
        ("{__name__=~\"a:x\"}", "{__name__=~\"b_y\"}"),
        ("{__name__=~`a:x|c|a:x_sum`}", "{__name__=~`b_y|c|b_y_sum`}"),
        ("{__name__=~\"a:x.*\"}", "{__name__=~\"a:x.*\"}"),
        (
            "{__name__!=\"a:x\", l=\"m\"}",
            "{__name__!=\"b_y\", l=\"m\"}",
        ),
        ("sum by (a:x) (${p}a:x_sum)", "sum by (a:x) (${p}a:x_sum)"),
        ("a:x[5m]", "b_y[5m]"),
        (
            "label_replace(a:x, \"a:x\", \"a:x\", \"b\", \"\")",
            "label_replace(b_y, \"a:x\", \"a:x\", \"b\", \"\")",
        ),
    ] {
        assert_eq!(renamed(old), new);
    }
}

#[test]
fn names_that_need_quotes_go_into_the_braces() {
    for (old, new) in [
        ("a + 1", "{\"b.c\"} + 1"),
        ("a {}", " {\"b.c\"}"),
        ("a{x=\"1\"}[5m]", "{\"b.c\", x=\"1\"}[5m]"),
        ("a{$f}", "{\"b.c\", $f}"),
        ("a offset 5m", "{\"b.c\"} offset 5m"),
        ("{__name__=~'a'}", "{__name__=~\"b\\\\.c\"}"),
        ("{__name__='a'}", "{__name__='b.c'}"),
    ] {
        let expr = parse_with(old, Dialect::Grafana).unwrap();
        let edits = rename_metric(&expr, "a", "b.c");
        let text = apply(old, &edits).unwrap();
        assert_eq!(text, new);
        parse_with(&text, Dialect::Grafana).unwrap();
    }
}

#[test]
fn edits_are_checked() {
    let edit = |start, end, text: &str| Edit::new(start..end, text);
    assert_eq!(
        apply("abc", &[edit(2, 3, "Z"), edit(0, 1, "X"), edit(1, 1, "-")]),
        Ok("X-bZ".to_owned())
    );
    assert_eq!(
        apply("abc", &[edit(0, 2, ""), edit(1, 3, "")]),
        Err(EditError::Overlap(1..3))
    );
    for (start, end) in [(2, 4), (3, 2), (4, 4)] {
        assert_eq!(
            apply("abc", &[edit(start, end, "")]),
            Err(EditError::Outside(start..end))
        );
    }
    assert!(apply("é", &[edit(1, 1, "x")]).is_err());
}

#[test]
fn replaced_nodes_get_the_parentheses_they_need() {
    for (text, old, new, expected) in [
        ("a * b", "b", "c + d", "a * (c + d)"),
        ("a + b", "b", "c * d", "a + c * d"),
        ("a - b", "b", "c - d", "a - (c - d)"),
        ("a - b", "a", "c - d", "c - d - b"),
        ("-a", "a", "b * c", "-(b * c)"),
        ("a ^ b", "a", "-c", "(-c) ^ b"),
        ("sum(a)", "a", "b or c", "sum(b or c)"),
        ("(a)", "a", "b or c", "(b or c)"),
        ("a", "a", "b or c", "b or c"),
        (
            "max_over_time(a[1h:])",
            "a",
            "b + c",
            "max_over_time((b + c)[1h:])",
        ),
        (
            "a * on (x) group_left b",
            "b",
            "(c)",
            "a * on (x) group_left () (c)",
        ),
        (
            "a * on (x) group_left b",
            "b",
            "c + d",
            "a * on (x) group_left () (c + d)",
        ),
        ("rate(a[5m])", "a[5m]", "a[$w]", "rate(a[$w])"),
        ("a  /  b # why", "a", "sum(c)", "sum(c)  /  b # why"),
    ] {
        let start = text.rfind(old).unwrap();
        let span = start..start + old.len();
        let edit = replace_node(text, &span, new, Dialect::Grafana).unwrap();
        assert_eq!(apply(text, &[edit]).unwrap(), expected);
    }
    assert_eq!(
        replace_node("a + b", &(0..2), "c", Dialect::Prometheus),
        None
    );
    assert_eq!(
        replace_node("a + b", &(0..1), "c +", Dialect::Prometheus),
        None
    );
}
