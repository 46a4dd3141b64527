//! Selections of series by labels: which can hold no series, and which hold a part of another.
//!
//! `code=~"5.."` is within `code!="499"`; beside `code="499"`, it selects nothing.

use slosmith_promql as promql;
use slosmith_promql::ast::MatchOp;

pub type Matcher = (String, MatchOp, String);

/// All HTTP statuses, and their classes as vLLM writes them: `5xx`.
pub fn statuses() -> impl Iterator<Item = String> {
    let classes = (1..6).map(|class| format!("{class}xx"));
    (100..600).map(|status| status.to_string()).chain(classes)
}

/// True where each series that `narrow` selects is one that `wide` selects, as far as their matchers show.
pub fn is_within(narrow: &[Matcher], wide: &[Matcher]) -> bool {
    wide.iter().all(|matcher| {
        let (label, op, value) = matcher;
        let own = narrow.iter().filter(|(other, ..)| other == label);
        let own = own.map(|(_, op, value)| (*op, value.as_str()));
        let beyond: Vec<_> = own.chain([(op.opposite(), value.as_str())]).collect();
        narrow.contains(matcher) || beyond.len() > 1 && none_passes(&beyond)
    })
}

/// A label and a value of it that `narrow` selects and `wide` does not.
pub fn outside<'a>(narrow: &'a [Matcher], wide: &[Matcher]) -> Option<(&'a str, String)> {
    narrow.iter().find_map(|(label, op, text)| {
        let named =
            named(*op, text).or_else(|| is_of_statuses(*op, text).then(|| statuses().collect()))?;
        let mut values = named.into_iter();
        let value = values
            .find(|value| passes_all(label, value, narrow) && !passes_all(label, value, wide))?;
        Some((label.as_str(), value))
    })
}

/// True where a value passes all matchers of a label, as far as is known.
pub fn passes_all<'a>(
    label: &str,
    value: &str,
    all: impl IntoIterator<Item = &'a Matcher>,
) -> bool {
    let mut own = all.into_iter().filter(|(other, ..)| other == label);
    own.all(|(_, op, text)| passes(value, (*op, text)))
}

fn passes(value: &str, (op, text): (MatchOp, &str)) -> bool {
    match op {
        MatchOp::Equal => text == value,
        MatchOp::NotEqual => text != value,
        MatchOp::Match => promql::matches(text, value) != Some(false),
        MatchOp::NotMatch => promql::matches(text, value) != Some(true),
    }
}

/// A label of which no value passes all matchers.
pub fn impossible<'a>(all: impl Iterator<Item = &'a Matcher> + Clone) -> Option<&'a str> {
    let labels = all.clone().map(|(label, ..)| label.as_str());
    labels.into_iter().find(|label| {
        let own = all.clone().filter(|(other, ..)| other == label);
        let own: Vec<_> = own.map(|(_, op, value)| (*op, value.as_str())).collect();
        own.len() > 1 && none_passes(&own)
    })
}

/// True where matchers of one label exclude each other, by the values that they name or by all HTTP statuses.
fn none_passes(all: &[(MatchOp, &str)]) -> bool {
    let some = |values: &[String]| {
        let mut values = values.iter();
        values.any(|value| all.iter().all(|matcher| passes(value, *matcher)))
    };
    if let Some(named) = all.iter().find_map(|(op, text)| named(*op, text)) {
        return !some(&named);
    }
    let mut regexes = all
        .iter()
        .filter(|(op, _)| *op == MatchOp::Match)
        .peekable();
    regexes.peek().is_some()
        && regexes.all(|(op, text)| is_of_statuses(*op, text))
        && !some(&statuses().collect::<Vec<_>>())
}

/// The values that a matcher selects, where it names all of them.
pub fn named(op: MatchOp, text: &str) -> Option<Vec<String>> {
    match op {
        MatchOp::Equal => Some(vec![text.to_owned()]),
        MatchOp::Match => {
            let places = promql::alternatives(text)?;
            Some(places.into_iter().map(|at| text[at].to_owned()).collect())
        }
        MatchOp::NotEqual | MatchOp::NotMatch => None,
    }
}

/// True for a label that holds nothing but HTTP statuses: `exit_code` and `grpc_code` hold other numbers.
pub fn holds_http_status(label: &str) -> bool {
    let name = label.replace('_', "").to_ascii_lowercase();
    let name = name
        .trim_start_matches("http")
        .trim_start_matches("response");
    matches!(name, "code" | "status" | "statuscode")
}

/// The label of HTTP statuses by which `narrow` selects a part of `wide`: an event without it is in no such part. Other labels, such as
/// `error_type`, may be on errors alone.
pub fn status_label<'a>(narrow: &'a [Matcher], wide: &[Matcher]) -> Option<&'a str> {
    let mut of_statuses = narrow.iter().filter(|(label, op, text)| {
        holds_http_status(label) && is_of_statuses(*op, text) && !passes("", (*op, text))
    });
    let (label, ..) = of_statuses.next()?;
    wide.iter()
        .all(|(other, ..)| other != label)
        .then_some(label)
}

/// True for a pattern that matches HTTP statuses and nothing else: `5..|timeout` takes more.
fn is_of_statuses(op: MatchOp, text: &str) -> bool {
    let of_statuses = |c: char| c.is_ascii_digit() || "x.|()[]^-$".contains(c);
    op == MatchOp::Match
        && text.chars().all(of_statuses)
        && statuses().any(|value| passes(&value, (op, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_selects_a_part_by_its_label() {
        let of = |label: &str, value: &str| [(label.to_owned(), MatchOp::Match, value.to_owned())];
        assert_eq!(status_label(&of("code", "5.."), &[]), Some("code"));
        assert_eq!(status_label(&of("code", "5.."), &of("code", "...")), None);
        assert_eq!(status_label(&of("code", "5..|"), &[]), None);
        assert_eq!(status_label(&of("reason", "timeout"), &[]), None);
        assert_eq!(status_label(&of("error_type", "5.."), &[]), None);
    }

    #[test]
    fn only_what_is_certain_is_impossible() {
        use MatchOp::{Equal, Match, NotEqual, NotMatch};
        for (one, other, wanted) in [
            ((Equal, "a"), (Equal, "b"), true),
            ((Equal, "a"), (NotEqual, "a"), true),
            ((Equal, "500"), (Match, "5.."), false),
            ((Match, "200|201"), (Match, "5.."), true),
            ((Match, "5.."), (Match, "4.."), true),
            ((Match, "5.."), (NotMatch, "5.."), true),
            ((Match, "5.."), (NotMatch, "5[0-9][0-9]"), false),
            ((Match, "5..|timeout"), (NotMatch, "5.."), false),
            ((Match, ".+"), (NotMatch, "[0-9]+"), false),
            ((Match, "a.*"), (Match, "b.*"), false),
            ((NotEqual, "a"), (NotMatch, ".*"), false),
        ] {
            let all = [one, other].map(|(op, text)| ("code".to_owned(), op, text.to_owned()));
            assert_eq!(impossible(all.iter()).is_some(), wanted, "{all:?}");
        }
    }

    #[test]
    fn a_part_is_within_its_whole() {
        let matcher = |op, value: &str| ("code".to_owned(), op, value.to_owned());
        let failed = [matcher(MatchOp::Match, "5..")];
        for (op, value, within) in [
            (MatchOp::NotEqual, "499", true),
            (MatchOp::NotEqual, "503", false),
            (MatchOp::NotMatch, "4..", true),
            (MatchOp::Match, "2..|5..", true),
            (MatchOp::Match, "2..|503", false),
            (MatchOp::Match, "5..", true),
            (MatchOp::Equal, "500", false),
        ] {
            let whole = [matcher(op, value)];
            assert_eq!(is_within(&failed, &whole), within, "{value}");
            assert_eq!(outside(&failed, &whole).is_none(), within, "{value}");
        }
        assert!(is_within(&failed, &[]) && !is_within(&[], &failed));
    }
}
