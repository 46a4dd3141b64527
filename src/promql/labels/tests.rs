use super::*;
use crate::promql::parse;

fn kept(text: &str) -> Kept {
    kept_labels(&parse(text).unwrap())
}

fn only(labels: &[&str]) -> Kept {
    Kept::Only(labels.iter().map(|&label| label.to_owned()).collect())
}

fn all_but(labels: &[&str]) -> Kept {
    Kept::AllOf {
        without: labels.iter().map(|&label| label.to_owned()).collect(),
    }
}

#[test]
fn finite_results() {
    for (text, labels) in [
        ("1 + 2", &[][..]),
        ("vector(1)", &[]),
        ("sum(x)", &[]),
        ("sum by (a, b) (x)", &["a", "b"]),
        ("sum by (a, b) (sum by (b, c) (x))", &["b"]),
        ("sum without (a) (sum by (a, b) (x))", &["b"]),
        ("sum by (a) (x) / sum by (a, b) (y)", &["a"]),
        ("x / on (a) y", &["a"]),
        ("x > on (a) y", &["a"]),
        ("sum by (a) (x) * on (a) group_left (v) y", &["a", "v"]),
        (
            "sum by (a, v) (x) * on (a) group_left (v) sum by (a) (y)",
            &["a"],
        ),
        (
            "sum by (a, b) (x) * ignoring (b) group_left sum by (a) (y)",
            &["a", "b"],
        ),
        (
            "y * on (a) group_right (v) sum by (a, c) (x)",
            &["a", "c", "v"],
        ),
        ("sum by (a) (x) and on () y", &["a"]),
        ("sum by (a) (x) or sum by (b) (y)", &["a", "b"]),
        ("sum by (a) (x) > 1", &["a"]),
        ("1 < sum by (a) (x)", &["a"]),
        ("-sum by (a) (x)", &["a"]),
        (
            "histogram_quantile(0.9, sum by (le, a) (rate(x[5m])))",
            &["a"],
        ),
        (
            "label_replace(sum by (a) (x), \"b\", \"$1\", \"a\", \"(.*)\")",
            &["a", "b"],
        ),
        (
            "absent(x{a=\"1\", b=~\"2\", c=\"3\", c=\"4\", d=\"\"})",
            &["a"],
        ),
        ("count_values(\"v\", x)", &["v"]),
        ("topk(1, sum by (a) (x))", &["a"]),
        ("max_over_time(sum by (a) (x)[1h:])", &["a"]),
        ("hour()", &[]),
    ] {
        assert_eq!(kept(text), only(labels), "{text}");
    }
}

#[test]
fn open_results() {
    for (text, without) in [
        ("x", &[][..]),
        ("x{a=\"\"}", &["a"]),
        ("rate(x[5m])", &[]),
        ("sum without (a) (x)", &["a"]),
        ("x / ignoring (a) y", &["a"]),
        ("x{a=\"\"} or y{a=\"\", b=\"\"}", &["a"]),
        ("x{a=\"\"} or sum by (a) (y)", &[]),
        ("x{a=\"\"} / y{b=\"\"}", &["a", "b"]),
        ("x{a=\"\"} * on (b) group_left (a) y", &[]),
        ("x * on (b) group_left (a) sum by (b) (y)", &["a"]),
        ("histogram_quantile(0.9, rate(x[5m]))", &["le"]),
        ("info(sum by (a) (x))", &[]),
    ] {
        assert_eq!(kept(text), all_but(without), "{text}");
    }
}
