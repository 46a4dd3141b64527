use crate::{Dialect, parse, parse_with, pretty};

fn print(text: &str) -> String {
    parse(text).unwrap().to_string()
}

#[test]
fn one_line_is_canonical() {
    for (text, line) in [
        ("sum(x)by(a,b)", "sum by (a, b) (x)"),
        ("SUM(x) without(a,)", "sum without (a) (x)"),
        ("x{b='1',a=~\"2\",}", "x{b='1', a=~\"2\"}"),
        ("x{}", "x"),
        ("{a=\"1\",\"utf8.name\"}", "{\"utf8.name\", a=\"1\"}"),
        ("{\"x\"}", "{\"x\"}"),
        ("x offset 5m @ end()", "x @ end() offset 5m"),
        ("x offset +-5m @ 7 % y", "x offset +-5m @ 7 % y"),
        ("x[5m]offset - 5m", "x[5m] offset -5m"),
        ("a+on(x)group_left()(b)", "a + on (x) group_left () (b)"),
        ("a+on(x)group_left()b", "a + on (x) group_left b"),
        ("a==bool on()b", "a == bool on () b"),
        ("((a))", "((a))"),
        ("x[+5m]", "x[+5m]"),
        ("x offset +-5m * 2", "x offset +-5m * 2"),
        ("x[5m + +(3m)]", "x[5m + +(3m)]"),
        ("{\"\\xff\", a=\"\\xff\"}", "{\"\\xff\", a=\"\\xff\"}"),
        ("{\"a\u{7f}\"}", "{\"a\\u007f\"}"),
        ("a</1 and b>/2", "a </ 1 and b >/ 2"),
        ("0x1F + 1_000 + 1h30m", "0x1F + 1_000 + 1h30m"),
        ("-a^-2", "-a ^ -2"),
        (
            "sum by (\"x y\", group_left) (m)",
            "sum by (\"x y\", group_left) (m)",
        ),
        ("x[1h:5m] # why", "x[1h:5m]"),
        ("quantile(0.9, x)", "quantile(0.9, x)"),
    ] {
        assert_eq!(print(text), line);
        assert_eq!(print(line), line);
    }
}

#[test]
fn names_are_quoted_where_needed() {
    use crate::ast::AggregateOp;
    use crate::build::{aggregate, metric};
    assert_eq!(metric("on").to_string(), "{__name__=\"on\"}");
    assert_eq!(metric("by").to_string(), "by");
    assert_eq!(metric("a:b").to_string(), "a:b");
    assert_eq!(metric("a.b").to_string(), "{\"a.b\"}");
    let query = aggregate(AggregateOp::Sum, &["without", "a:b", "on"], metric("x"));
    assert_eq!(query.to_string(), "sum by (\"without\", \"a:b\", on) (x)");
}

#[test]
fn long_queries_break_at_their_joints() {
    let text = "(sum by (job) (rate(http_requests_total{code=~\"5..\", job=\"api\"}[1h])) / sum by (job) \
                (rate(http_requests_total{job=\"api\"}[1h])) > 14.4 * 0.001) and on (job) \
                job:errors:ratio5m > 14.4 * 0.001";
    let expected = r#"(
  sum by (job) (rate(http_requests_total{code=~"5..", job="api"}[1h]))
    /
  sum by (job) (rate(http_requests_total{job="api"}[1h]))
  > 14.4 * 0.001
)
and on (job)
job:errors:ratio5m > 14.4 * 0.001"#;
    assert_eq!(pretty(&parse(text).unwrap(), 80), expected);
    let narrow = r#"histogram_quantile(
  0.95,
  sum by (le) (
    rate(
      http_seconds_bucket{
        code=~"2..",
        job="api",
      }[5m]
    )
  )
)"#;
    let text = "histogram_quantile(0.95, sum by (le) (rate(http_seconds_bucket{code=~\"2..\",job=\"api\"}[5m])))";
    assert_eq!(pretty(&parse(text).unwrap(), 24), narrow);
    assert_eq!(pretty(&parse("a or b or c").unwrap(), 4), "a\nor\nb\nor\nc");
    assert_eq!(
        pretty(&parse("1 - (a / b)").unwrap(), 8),
        "1 - (\n  a / b\n)"
    );
    assert_eq!(pretty(&parse("a").unwrap(), 80), "a");
}

#[test]
fn what_just_fits_stays_on_its_line() {
    for text in [
        "a",
        "{\"a b\"}",
        "x{a=\"é\\n\", b!~\"\u{1f980}+\"}[5m] offset 1h",
        "{\"é.b\", \"ü\"=\"\"}",
        "histogram_quantile(0.9, sum by (le, \"é x\") (rate(b_bucket{le='+Inf'}[5m:30s])))",
        "-a ^ 2 * on () group_left (x) (b or vector(1)) >= bool 3",
        "quantile(0.5, $x{} / $y) and on ($z) c",
        "x{a=$b, c=~$d} $op (((-$e)))",
    ] {
        let tree = parse_with(text, Dialect::Grafana).unwrap();
        let line = tree.to_string();
        assert_eq!(pretty(&tree, line.chars().count()), line);
    }
}

#[test]
fn placeholders_for_operators_and_clauses_stay() {
    for text in [
        "a $op b",
        "a $op bool on (x) group_left (y) b",
        "a * (b $op c) ^ d",
        "a + b $op c",
        "sum(x) $by",
        "sum(x) $by / sum(y) $by",
        "(sum(x) $by)",
        "sum(x) $op y",
        "sum(x) $op (y)",
        "a / $on b",
        "a / $b",
        "a / $b{x=\"1\"}",
        "a / $f(b)",
    ] {
        let line = parse_with(text, Dialect::Grafana).unwrap().to_string();
        let back = parse_with(&line, Dialect::Grafana).unwrap().to_string();
        assert_eq!(back, line);
        let expected = match text.strip_prefix("sum(x) $by") {
            Some("") => "sum $by (x)",
            Some(_) => "sum $by (x) / sum $by (y)",
            None if text.starts_with('(') => "(sum $by (x))",
            None => text,
        };
        assert_eq!(line, expected);
    }
}
