use super::*;
use crate::parse;

fn error(text: &str) -> SyntaxError {
    parse(text).unwrap_err()
}

#[test]
fn types_follow_prometheus() {
    for (text, found) in [
        ("1", ValueType::Scalar),
        ("\"x\"", ValueType::String),
        ("x", ValueType::Vector),
        ("x[5m]", ValueType::Matrix),
        ("x[5m:]", ValueType::Matrix),
        ("1 + 2", ValueType::Scalar),
        ("1 + x", ValueType::Vector),
        ("-(scalar(x))", ValueType::Scalar),
        ("vector(1)", ValueType::Vector),
    ] {
        assert_eq!(value_type(&parse(text).unwrap()), found, "{text}");
    }
}

#[test]
fn errors_point_at_the_part_and_help() {
    for (text, part, help) in [
        ("rat(x[5m])", "rat", "did you mean `rate`?"),
        ("rate(x)", "x", "add a range, such as `[5m]`"),
        (
            "rate(sum(x))",
            "sum(x)",
            "a subquery makes a range of it, such as `[5m:]`",
        ),
        ("1 + (2 > 1)", ">", "write `> bool`"),
        (
            "x and 1",
            "and",
            "`vector(…)` makes an instant vector of a scalar",
        ),
        (
            "x * on (a) group_left (a) y",
            "a",
            "remove it from the group modifier",
        ),
        (
            "holt_winters(x[5m], 0.1, 0.2)",
            "holt_winters",
            "Prometheus 3 calls it `double_exponential_smoothing`",
        ),
    ] {
        let error = error(text);
        assert_eq!(&text[error.span.clone()], part, "{text}: {error}");
        assert_eq!(error.help.as_deref(), Some(help), "{text}: {error}");
    }
}

#[test]
fn empty_selectors_are_rejected() {
    for text in [
        "{}",
        "{a=\"\"}",
        "{a=~\".*\"}",
        "{a!~\".+\"}",
        "{a!=\"b\"}",
        "{\"\"}",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    for text in [
        "{a!=\"\"}",
        "{a=~\".+\"}",
        "{a!~\".*\"}",
        "{a=\"b\", c=\"\"}",
        "{\"x\"}",
        "info(x, {a=~\".*\"})",
    ] {
        assert!(parse(text).is_ok(), "{text}");
    }
}
