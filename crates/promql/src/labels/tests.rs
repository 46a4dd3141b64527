use super::*;
use crate::ast::Selector;
use crate::{Dialect, parse, parse_with};

fn kept(text: &str) -> Kept {
    kept_labels(&parse(text).unwrap())
}

fn only(labels: &[&str]) -> Kept {
    Kept::Only(labels.iter().map(|&label| label.into()).collect())
}

fn all_but(labels: &[&str]) -> Kept {
    Kept::AllOf {
        without: labels.iter().map(|&label| label.into()).collect(),
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

/// Metrics with known labels: `a` surely has x, `c` surely x and y, `b` surely x; `o` is open.
struct Known;

impl Leaf for Known {
    fn labels(&self, selector: &Selector) -> Flow {
        let set = |labels: &[&str]| labels.iter().map(|&label| label.into()).collect();
        let name = selector.metric.as_ref().map(|name| name.text.as_str());
        let (sure, more) = match name {
            Some("a") => (set(&["x"]), Some(set(&["y"]))),
            Some("b") => (set(&["x"]), Some(set(&["z"]))),
            Some("c") => (set(&["x", "y"]), Some(set(&[]))),
            Some("h_bucket") => (set(&["le", "x"]), Some(set(&[]))),
            _ => (set(&[]), None),
        };
        Flow::of_series(sure, more)
    }
}

/// `x` surely, `y?` perhaps, anything else never; `*` for an open end.
fn flow(text: &str) -> String {
    let expr = parse_with(text, Dialect::Grafana).unwrap();
    let flow = label_flow(&expr, &Known);
    let mut words: Vec<String> = flow.sure.iter().map(ToString::to_string).collect();
    match &flow.possible {
        Kept::Only(labels) => {
            let may = labels
                .iter()
                .filter(|label| &***label != "__name__" && !flow.sure.contains(*label));
            words.extend(may.map(|label| format!("{label}?")));
        }
        Kept::AllOf { without } => {
            words.extend(without.iter().map(|label| format!("-{label}")));
            words.push("*".to_owned());
        }
    }
    words.join(" ")
}

#[test]
fn certainty_on_both_ends() {
    for (text, expected) in [
        // selectors
        ("a", "x y?"),
        ("a{y=\"1\"}", "x y"),
        ("a{y=~\".+\", x=\"\"}", "y"),
        ("a{y!=\"\"}", "x y"),
        ("a{y!~\"\"}", "x y"),
        ("a{y!~\".*\"}", "x y"),
        ("a{y=~\"\"}", "x"),
        ("a{y=\"$v\"}", "x y?"),
        ("a{q=\"1\"}", "q x y?"),
        ("o{q=\"1\"}", "q *"),
        ("rate(a[5m])", "x y?"),
        ("max_over_time(a[1h:])", "x y?"),
        ("1 + 2", ""),
        ("vector(scalar(a))", ""),
        // aggregations
        ("sum(a)", ""),
        ("sum by (x, y, q) (a)", "x y?"),
        ("sum by (x, q) (o)", "q? x?"),
        ("sum by (x, $g) (a)", "x y?"),
        ("sum without (x) (a)", "y?"),
        ("sum without (q) (a)", "x y?"),
        ("sum without ($g) (a)", "x? y?"),
        ("sum without (x) (o)", "-x *"),
        ("topk by (x) (1, a)", "x y?"),
        ("count_values(\"v\", a)", "v"),
        ("count_values by (x) (\"v\", a)", "v x"),
        ("quantile by (y) (0.9, a)", "y?"),
        ("$agg by (x) (a)", "*"),
        // functions
        ("histogram_quantile(0.9, h_bucket)", "x"),
        (
            "histogram_quantile($q, sum by (le, x) (rate(h_bucket[5m])))",
            "x",
        ),
        ("absent(a{x=\"1\", y=~\"2\"})", "x"),
        ("absent(a{x=~\"1\", x=\"2\"})", "x"),
        ("absent(a{x=\"2\", x=~\"1\"})", ""),
        ("absent(sum(a{x=\"1\"}))", ""),
        ("absent_over_time(a{x=\"1\"}[5m])", "x"),
        ("absent(a{x=\"$v\"})", "x?"),
        ("label_replace(a, \"q\", \"$1\", \"x\", \"(.*)\")", "q x y?"),
        (
            "label_replace(a, \"q\", \"$1\", \"y\", \"(.*)\")",
            "x q? y?",
        ),
        ("label_replace(a, \"q\", \"$1\", \"n\", \"(.*)\")", "x y?"),
        ("label_replace(a, \"x\", \"$1\", \"n\", \"(.*)\")", "y?"),
        ("label_replace(a, \"x\", \"$1\", \"n\", \"(.+)\")", "x y?"),
        ("label_replace(a, \"q\", \"v\", \"x\", \".*\")", "q x y?"),
        ("label_replace(a, \"q\", \"v\", \"x\", \"1\")", "x q? y?"),
        (
            "label_replace(a, \"q\", \"v-$1\", \"x\", \"(.+)\")",
            "q x y?",
        ),
        ("label_replace(a, \"x\", \"\", \"\", \"\")", "y?"),
        ("label_replace(a, \"x\", \"\", \"y\", \"1\")", "x? y?"),
        ("label_replace(a, \"$d\", \"\", \"y\", \"1\")", "*"),
        ("label_join(a, \"q\", \"-\", \"n\", \"m\")", "q x y?"),
        ("label_join(a, \"q\", \"\", \"n\", \"y\")", "x q? y?"),
        ("label_join(a, \"q\", \"\", \"n\", \"x\")", "q x y?"),
        ("label_join(a, \"x\", \"-\", \"n\")", "y?"),
        // operations
        ("a > 1", "x y?"),
        ("2 * a", "x y?"),
        ("a / b", "x"),
        ("a / c", "x y"),
        ("a / o", "x y?"),
        ("a / on (x) b", "x"),
        ("a / on (y) c", "y"),
        ("a > on (x) b", "x"),
        ("a / ignoring (x) c", "y"),
        ("a * on (x) group_left b", "x y?"),
        ("a * on (x) group_left (z) b", "x y? z?"),
        ("a * on (x) group_left (y) b", "x"),
        ("a * on (x) group_left (y) c", "x y"),
        ("b * on (x) group_right (y) c", "x"),
        ("a * on (y) group_left c", "x y"),
        ("a * ignoring (y) group_left b", "x y?"),
        ("a and c", "x y"),
        ("a and on (x) b", "x y?"),
        ("a and on (y) b", "x"),
        ("a unless c", "x y?"),
        ("a or c", "x y?"),
        ("a or sum by (y) (c)", "x? y?"),
        ("a or vector(0)", "x? y?"),
        ("a * $k", "x y?"),
        ("$k * 2", "*"),
        ("a / on ($j) c", "x? y?"),
        ("a * on (x) group_left ($g) b", "x y? z?"),
        ("a * ignoring ($i) group_left c", "x y?"),
    ] {
        assert_eq!(flow(text), expected, "{text}");
    }
}

#[test]
fn presence_of_the_name_is_open() {
    let expr = parse("count by (__name__) (a)").unwrap();
    assert_eq!(
        label_flow(&expr, &Known).presence("__name__"),
        Presence::May
    );
}

#[test]
fn joins_that_cannot_match() {
    for (text, expected) in [
        ("a / sum by (y) (c)", Some(("x", true))),
        ("sum by (x) (a) / c", Some(("y", false))),
        ("sum(a) / sum by (x) (a)", Some(("x", false))),
        ("sum by (x) (a) / on (x) sum(a)", Some(("x", true))),
        ("h_bucket and a", Some(("le", true))),
        ("a unless sum(a)", Some(("x", true))),
        (
            "sum by (x) (a) > ignoring (x) sum by (y) (c)",
            Some(("y", false)),
        ),
        ("a * on (z) group_left c{z=\"1\"}", Some(("z", false))),
        ("a / c", None),
        ("a / b", None),
        ("a or sum(a)", None),
        (r#"b{z="1"} and b{z="2"}"#, Some(("z", false))),
        (
            r#"max by (z) (rate(b{z="1"}[5m])) / max by (z) (c{z="2"})"#,
            Some(("z", false)),
        ),
        (r#"b{z="1"} and ignoring (z) b{z="2"}"#, None),
        (r#"b{z="1"} and on (y) b{z="2"}"#, None),
        (r#"b{z="1"} + b{z=~"2"}"#, None),
        (r#"max(b{z="1"}) and max(b{z="2"})"#, None),
        (r#"(b{z="1"} or b) and b{z="2"}"#, None),
        (
            r#"label_replace(b{z="1"}, "z", "2", "", "") and b{z="2"}"#,
            None,
        ),
        ("a > 1", None),
        ("a / $x", None),
        ("a / on (y) c", None),
        ("sum(a) / on ($g) sum by (x) (a)", None),
        ("sum(a) / ignoring ($g) sum by (x) (a)", None),
        ("sum(a) / on () sum by (x) (a)", None),
    ] {
        let expr = parse_with(text, Dialect::Grafana).unwrap();
        let found = unmatched_joins(&expr, &Known);
        let shown = found
            .first()
            .map(|join| (&*join.label, join.why == Unmatched::OnlyLeft));
        assert_eq!(shown, expected, "{text}");
    }
}
