use super::*;

fn kinds(text: &str) -> Vec<Kind> {
    let mut lexer = Lexer::new(text, Dialect::Prometheus);
    let mut kinds = Vec::new();
    loop {
        match lexer.next().unwrap().kind {
            Kind::End => return kinds,
            kind => kinds.push(kind),
        }
    }
}

fn error(text: &str) -> SyntaxError {
    let mut lexer = Lexer::new(text, Dialect::Prometheus);
    loop {
        match lexer.next() {
            Ok(token) => assert_ne!(token.kind, Kind::End, "{text} lexes"),
            Err(error) => return error,
        }
    }
}

#[test]
fn numbers_have_go_values() {
    for (text, value) in [
        ("1", 1.0),
        ("1e3", 1000.0),
        ("0x1F", 31.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0755", 493.0),
        ("0899", 899.0),
        ("1_000", 1000.0),
        ("1_0.5", 10.5),
        ("Inf", f64::INFINITY),
    ] {
        assert_eq!(kinds(text), [Kind::Number], "{text}");
        assert_eq!(number_value(text), Some(value), "{text}");
    }
    assert!(number_value("NaN").is_some_and(f64::is_nan));
}

#[test]
fn bad_numbers_are_errors_under_their_bytes() {
    for text in [
        "2.5.",
        "100..4",
        "0deadbeef",
        "1__0",
        "1_",
        "5mm",
        "5m1",
        "1.5h",
        "0xg",
        "1e400",
    ] {
        assert_eq!(error(text).span, 0..text.len(), "{text}");
    }
    assert!(error("5m1h").help.is_some());
}

#[test]
fn durations_fall() {
    assert_eq!(duration_millis("1h30m"), Some(5_400_000));
    assert_eq!(duration_millis("1m30ms"), Some(60_030));
    assert_eq!(duration_millis("2w"), Some(14 * 86_400_000));
    assert_eq!(duration_millis("0s"), Some(0));
    for text in ["", "5", "5y1hs", "5m1h", "5m1m", "1us", "9999999999y"] {
        assert_eq!(duration_millis(text), None, "{text}");
    }
}

#[test]
fn strings_decode() {
    for (raw, value) in [
        (r#""a\n\t\x41\u00e9\U0001F600\101""#, "a\n\tAé😀A"),
        (r"'it\'s'", "it's"),
        (r"`raw\n`", r"raw\n"),
        (r#""\xc3\xa9""#, "é"),
        (r#""\xff""#, "\u{FFFD}"),
    ] {
        assert_eq!(kinds(raw), [Kind::String], "{raw}");
        assert_eq!(decode(raw), value, "{raw}");
    }
    assert_eq!(
        decode(&quote("a\"\\\n\u{FFFD}\u{1}")),
        "a\"\\\n\u{FFFD}\u{1}"
    );
}

#[test]
fn bad_strings_are_errors() {
    assert_eq!(error(r#""ab\c""#).span, 3..5);
    assert_eq!(
        error(r#""ab\c""#).help.as_deref(),
        Some(r"write `\\c` for a backslash")
    );
    for text in [
        r#""\'""#,
        r#""\x.""#,
        r#""\ud800""#,
        r#""\400""#,
        "\"a\nb\"",
        "\"\\",
        "`\\``",
        "\"\u{FFFD}\"",
    ] {
        error(text);
    }
}

#[test]
fn words_depend_on_their_place() {
    use Kind::{Colon, Equal, LeftBrace, LeftBracket, MetricName, Name, RightBrace, RightBracket};
    assert_eq!(
        kinds("a:b{by=}[5m:1m]"),
        [
            MetricName,
            LeftBrace,
            Name,
            Equal,
            RightBrace,
            LeftBracket,
            Kind::Duration,
            Colon,
            Kind::Duration,
            RightBracket
        ]
    );
    assert_eq!(kinds("Sum"), [Kind::Aggregate(AggregateOp::Sum)]);
    assert_eq!(kinds("sums :a # rest\n"), [Name, MetricName]);
}

#[test]
fn foreign_characters_are_shown() {
    assert_eq!(error("a && b").help.as_deref(), Some("PromQL writes `and`"));
    assert_eq!(error("é").span, 0..2);
}
