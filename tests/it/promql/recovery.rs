//! What is left of a broken query.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use slosmith::artifact;
use slosmith::promql::visit::selectors;
use slosmith::promql::{Dialect, parse_recovering, parse_with};
use slosmith::source::FileId;

/// The selectors found, as they print, and the messages.
fn recovered(text: &str) -> (Vec<String>, Vec<String>) {
    let (expr, errors) = parse_recovering(text, Dialect::Grafana);
    let found = expr.iter().flat_map(selectors).map(ToString::to_string);
    (
        found.collect(),
        errors.into_iter().map(|error| error.message).collect(),
    )
}

#[test]
fn intact_selectors_are_found() {
    for (text, expected) in [
        // unbalanced
        ("sum(rate(a[5m])", &["a"][..]),
        ("sum(rate(a[5m]) by (job) / sum(b)", &["a", "b"]),
        ("sum(a)) / sum(b)", &["a", "b"]),
        ("rate(a{x=\"1\"[5m]) + b", &["a{x=\"1\"}", "b"]),
        ("rate(a{x=\"1\"[5m])} + b", &["a{x=\"1\"}", "b"]),
        ("rate(a[5m) + b", &["a", "b"]),
        ("rate(a[5m + rate(b[5m])", &["a", "b"]),
        ("rate(a5m]) + b", &["a5m", "b"]),
        ("a{x=\"1\" + b", &["a{x=\"1\"}", "b"]),
        ("(a + b] * c", &["a", "b", "c"]),
        ("a{x=\"1} + b", &["a", "b"]),
        ("a + \"open", &["a"]),
        // missing operands and arguments
        ("a + ", &["a"]),
        ("* a", &["a"]),
        ("a / / b", &["a", "b"]),
        ("(a + ) * b", &["a", "b"]),
        ("rate(, a) + b", &["a", "b"]),
        ("topk(a)", &["a"]),
        ("sum(a, b) / c", &["a", "b", "c"]),
        ("topk(1, a, b)", &["a", "b"]),
        ("sum() + a", &["a"]),
        ("histogram_quantile(sum(a))", &["a"]),
        // stray tokens
        ("a b", &["a", "b"]),
        ("sum(a b) / c", &["a", "b", "c"]),
        ("a && b", &["a", "b"]),
        ("a = b", &["a", "b"]),
        ("a; b", &["a", "b"]),
        ("a > 1 for 5m", &["a", "for"]),
        ("sum by job (a)", &["a"]),
        ("sum by (job (a))", &["a"]),
        ("sum a / b", &["a", "b"]),
        ("a on (x) b", &["a", "b"]),
        ("a * group_left (x) b", &["a", "b"]),
        ("a by (x)", &["a"]),
        ("rate(a[5m],) + b", &["a", "b"]),
        // matchers
        ("a{x=1} + b", &["a", "b"]),
        ("a{x=\"1\" y=\"2\"} + b", &["a{x=\"1\", y=\"2\"}", "b"]),
        ("a{x=\"1\" or y=\"2\"} + b", &["a{x=\"1\", y=\"2\"}", "b"]),
        ("a{x==\"1\", y=\"2\"} + b", &["a{y=\"2\"}", "b"]),
        ("a{x=~\"(\"} + b", &["a{x=~\"(\"}", "b"]),
        ("a{x=\"\\d\", y=\"2\"}", &["a{x=\"\\d\", y=\"2\"}"]),
        ("a{,x=\"1\"}", &["a{x=\"1\"}"]),
        ("a{__name__=\"b\"}", &["a{__name__=\"b\"}"]),
        // durations and time
        ("rate(a[5 m]) + b", &["a", "b"]),
        ("rate(a[5minutes]) + b", &["a", "b"]),
        ("rate(a[]) + b", &["a", "b"]),
        ("rate(a[b]) + c", &["a", "c"]),
        ("rate(a[0s]) + b", &["a", "b"]),
        ("a offset + b", &["a", "b"]),
        ("a offset 5m [5m] + b", &["a offset 5m", "b"]),
        ("sum(a) offset 5m + b", &["a", "b"]),
        ("sum(a)[5m] + b", &["a", "b"]),
        ("a @ x + b", &["a", "x", "b"]),
        // functions and types
        ("rat(a[5m]) / nope(b)", &["a", "b"]),
        ("rate(a) / sum(b[5m])", &["a", "b"]),
        ("a and 1 or b", &["a", "b"]),
        ("a[5m:] anchored + b", &["a", "b"]),
        ("a == bool on (x) fill(c) b", &["a", "b"]),
    ] {
        let (found, messages) = recovered(text);
        assert_eq!(found, expected, "{text}: {messages:?}");
        assert!(!messages.is_empty(), "{text}");
    }
}

#[test]
fn each_mistake_is_told_once() {
    for (text, expected) in [
        ("sum(rate(a[5m])", &["`(` without `)`"][..]),
        ("a && b", &["unexpected character `&`"]),
        (
            "rat(a[5m]) / rate(b)",
            &[
                "unknown function `rat`",
                "argument 1 of `rate` needs a range vector, got an instant vector",
            ],
        ),
        (
            "rate(a[5minutes])",
            &["`5minutes` is neither a number nor a duration"],
        ),
        (
            "a{x=\"1\" y=\"2\"}",
            &["unexpected `y`, expected `,` or `}`"],
        ),
        ("", &["empty query"]),
        (
            "x{a ",
            &["unexpected end of query, expected `=`, `!=`, `=~` or `!~`"],
        ),
        (
            "(sum b",
            &["unexpected `b`, expected `(` and what to aggregate"],
        ),
        ("(a or 0", &["`(` without `)`"]),
        ("count_values(\"v\",", &["`(` without `)`"]),
        (
            "sum(rate(a) + rate(b[5m])",
            &[
                "`(` without `)`",
                "argument 1 of `rate` needs a range vector, got an instant vector",
            ],
        ),
        (
            "x{a x{a=\"b\n x{c=\"d\"}",
            &[
                "unexpected `x`, expected `=`, `!=`, `=~` or `!~`",
                "string without closing quote",
            ],
        ),
        (
            "rate({a=1}[5m])",
            &["unexpected `1`, expected a value in quotes"],
        ),
    ] {
        assert_eq!(recovered(text).1, expected, "{text}");
    }
}

/// Every query of the fixtures that can be read, with its dialect.
fn of_fixtures() -> BTreeSet<(Dialect, String)> {
    let mut found = BTreeSet::new();
    let folders = ["rules", "kinds", "sloth"].map(|name| Path::new("tests/fixtures").join(name));
    let mut left = Vec::from(folders);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder").flatten();
            left.extend(entries.map(|entry| entry.path()));
        } else if let Ok(text) = fs::read_to_string(&path)
            && let Ok(file) = artifact::read(FileId(0), &path, &text)
        {
            let queries = file.queries.into_iter().map(|q| (q.dialect, q.text));
            found.extend(queries.filter(|(dialect, text)| parse_with(text, *dialect).is_ok()));
        }
    }
    found
}

#[test]
fn a_text_that_breaks_off_is_one_mistake() {
    let queries = of_fixtures();
    assert!(queries.len() > 250, "{}", queries.len());
    let some = queries.into_iter().filter(|(_, query)| query.len() < 300);
    for (dialect, query) in some {
        for (end, _) in query.char_indices().skip(1) {
            let text = &query[..end];
            let (_, errors) = parse_recovering(text, dialect);
            let said: Vec<_> = errors.iter().map(|error| &error.message).collect();
            assert!(said.len() <= 1, "{text}: {said:#?}");
            let strict = parse_with(text, dialect);
            assert_eq!(strict.is_err(), said.len() == 1, "{text}: {said:#?}");
        }
    }
}
