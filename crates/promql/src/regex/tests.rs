use super::*;

#[test]
fn takes_what_go_takes() {
    for pattern in [
        "",
        "a|b",
        "5..",
        ".*",
        ".+?",
        "a{2,5}",
        "a{,5}",
        "/api/{id}/.*",
        "a{",
        "}",
        "]",
        "(?i)a",
        "(?i:a)",
        "(?-s).",
        "(?P<x>a)(?<y>b)",
        "(?P<x>a)(?P<x>b)",
        r"\Qa.b\E+",
        r"\d+\.\d",
        r"[\w-z]",
        "[]a]",
        "[^]a]",
        "[[:alpha:]_]",
        "[a-]",
        r"\pL\p{Greek}\P{^Lu}",
        r"\x41\x{1F600}",
        r"\012",
        "^*",
        "()",
        "(|a)*",
        "(?:a|b)c$",
        r"[\]\-]",
        "é+",
        "a{0}",
        "[[]",
    ] {
        assert_eq!(check(pattern), Ok(()), "{pattern}");
    }
}

#[test]
fn rejects_what_go_rejects() {
    for pattern in [
        r"\p{Letter}",
        r"\p{greek}",
        "(",
        ")",
        "a)(b",
        "[",
        "[a",
        "*",
        "|*",
        "(*)",
        "a**",
        "a+*",
        "a*??",
        "a{1001}",
        "a{2,1}",
        "(a{100}){100}",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?x)a",
        "(?i-)a",
        r"\1",
        r"(a)\1",
        r"\C",
        r"\Z",
        r"\u1234",
        r"\",
        "[z-a]",
        "[[:foo:]]",
        r"\p{Nope}",
        "(?P<>a)",
        r"[a-\d]",
        r"\E",
        "{5}",
        r"\xg1",
    ] {
        assert!(check(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn knows_what_matches_nothing() {
    for pattern in [
        "", ".*", "a?", "a|", "(a*)(b?)", "^$", "(?i)", r"\B", "x{0,3}", "()",
    ] {
        assert!(matches_empty(pattern), "{pattern}");
    }
    for pattern in [".+", "a", "a*b", "5..", r"\b", "[a]", "x{1,3}", "(", "a|b"] {
        assert!(!matches_empty(pattern), "{pattern}");
    }
}

#[test]
fn points_into_the_literal() {
    let error = check("ab(c")
        .unwrap_err()
        .in_literal("\"ab(c\"", "ab(c", &(10..16));
    assert_eq!(error.span, 13..14);
    let error = check("\\")
        .unwrap_err()
        .in_literal("\"\\\\\"", "\\", &(10..14));
    assert_eq!(error.span, 10..14);
}

#[test]
fn lists_of_names_are_no_patterns() {
    let names = |pattern: &str| {
        let places = alternatives(pattern)?.into_iter();
        Some(places.map(|at| pattern[at].to_owned()).collect::<Vec<_>>())
    };
    for pattern in ["a|b", "(a|b)", "^(a|b)$", "^(?:a|b)", "(a|b)$"] {
        assert_eq!(
            names(pattern).as_deref(),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
    }
    assert_eq!(names("^a:b$"), Some(vec!["a:b".to_owned()]));
    for pattern in ["^a|b$", "a.*|b", "(a|b)_c", "^(a)(b)$", "a\\.b"] {
        assert_eq!(names(pattern), None, "{pattern}");
    }
}
