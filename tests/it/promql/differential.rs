//! The same verdicts and meanings as `promql-parser`, on a list that covers the syntax.

use slosmith::promql::{parse, pretty};

const EXPRESSIONS: &str = include_str!("expressions.txt");

fn expressions() -> impl Iterator<Item = (bool, &'static str)> {
    EXPRESSIONS.lines().filter_map(|line| {
        let accepted = line.strip_prefix("+ ").map(|text| (true, text));
        accepted.or_else(|| line.strip_prefix("- ").map(|text| (false, text)))
    })
}

#[test]
fn verdicts_agree() {
    assert!(expressions().count() > 150);
    let mut wrong = Vec::new();
    for (accepted, text) in expressions() {
        let ours = parse(text).is_ok();
        let theirs = promql_parser::parser::parse(text).is_ok();
        if ours != accepted || theirs != accepted {
            wrong.push(format!(
                "{text}: expected {accepted}, ours {ours}, theirs {theirs}"
            ));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn printing_keeps_the_meaning() {
    // Their printer sorts matchers, so it tells only meaning.
    let meaning = |text: &str| promql_parser::parser::parse(text).map(|expr| expr.to_string());
    for (_, text) in expressions().filter(|(accepted, _)| *accepted) {
        let expr = parse(text).unwrap();
        for printed in [expr.to_string(), pretty(&expr, 20)] {
            assert_eq!(meaning(&printed), meaning(text), "{text} -> {printed}");
        }
    }
}

#[test]
fn errors_point_into_the_text() {
    for (_, text) in expressions().filter(|(accepted, _)| !accepted) {
        let error = parse(text).unwrap_err();
        assert!(text.get(error.span.clone()).is_some(), "{text}: {error:?}");
        assert!(!error.message.is_empty());
    }
}
