//! Which rules are asked: what `select` and `ignore` say of each.
//!
//! Both name rules, groups, `truth` (every group but `style`) and `all`. The nearer word wins: a rule's name over its
//! group's, that over `truth`, that over `all`; of two that are as near, `ignore`.

use slosmith_text::diag::{Group, RuleInfo};
use slosmith_text::source::Spanned;

/// Every rule that finds mistakes, not style.
const TRUTH: &str = "truth";
const ALL: &str = "all";

/// What `select` and `ignore` hold.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Rules to run; if empty, the correctness rules (`truth`).
    pub select: Vec<Spanned<String>>,
    pub ignore: Vec<Spanned<String>>,
    /// Rules to run in addition, because they have a level.
    pub levelled: Vec<Spanned<String>>,
}

impl Choice {
    pub fn asks(&self, rule: &RuleInfo) -> bool {
        let wanted = match self.select.as_slice() {
            [] => near(rule, TRUTH),
            select => nearest(rule, select),
        };
        let wanted = wanted.max(nearest(rule, &self.levelled));
        wanted > nearest(rule, &self.ignore)
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.select.iter().chain(&self.ignore)
    }
}

/// True for a word that names a rule, a group or more.
pub fn is_known(word: &str, known: &[RuleInfo]) -> bool {
    words(known).any(|found| found == word)
}

/// Every word that may stand in `select` and `ignore`.
pub fn words(known: &[RuleInfo]) -> impl Iterator<Item = &'static str> {
    let groups = Group::ALL.map(Group::as_str);
    let rules = known.iter().map(|rule| rule.name);
    rules.chain(groups).chain([TRUTH, ALL])
}

/// How near the nearest of some words comes to a rule; `None` when all mean others.
fn nearest(rule: &RuleInfo, words: &[Spanned<String>]) -> Option<u8> {
    words
        .iter()
        .filter_map(|word| near(rule, &word.value))
        .max()
}

fn near(rule: &RuleInfo, word: &str) -> Option<u8> {
    match word {
        _ if word == rule.name => Some(3),
        _ if word == rule.group.as_str() => Some(2),
        TRUTH if rule.group.is_truth() => Some(1),
        ALL => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_text::diag::{Fixes, Severity};
    use slosmith_text::source::Span;

    const fn rule(name: &'static str, group: Group) -> RuleInfo {
        RuleInfo {
            name,
            summary: "",
            group,
            doc_comment: "",
            level: Severity::Error,
            certain: "",
            fixes: Fixes::None,
            since: "0.1.0",
        }
    }

    const RULES: [RuleInfo; 4] = [
        rule("gone", Group::Catalog),
        rule("odd", Group::Catalog),
        rule("plain", Group::Style),
        rule("ugly", Group::Style),
    ];

    fn asked(select: &[&str], ignore: &[&str], levelled: &[&str]) -> Vec<&'static str> {
        let words = |list: &[&str]| {
            let word = |word: &&str| Spanned::new((*word).to_owned(), Span::default());
            list.iter().map(word).collect::<Vec<_>>()
        };
        let choice = Choice {
            select: words(select),
            ignore: words(ignore),
            levelled: words(levelled),
        };
        let asked = RULES.iter().filter(|rule| choice.asks(rule));
        asked.map(|rule| rule.name).collect()
    }

    #[test]
    fn style_is_asked_only_by_name() {
        assert_eq!(asked(&[], &[], &[]), ["gone", "odd"]);
        assert_eq!(asked(&["style"], &[], &[]), ["plain", "ugly"]);
        assert_eq!(asked(&["truth", "ugly"], &[], &[]), ["gone", "odd", "ugly"]);
        assert_eq!(asked(&[], &[], &["plain"]), ["gone", "odd", "plain"]);
        assert_eq!(asked(&["all"], &[], &[]).len(), 4);
    }

    #[test]
    fn the_nearer_word_wins() {
        assert_eq!(asked(&["all"], &["style"], &[]), ["gone", "odd"]);
        assert_eq!(asked(&["plain"], &["style"], &[]), ["plain"]);
        assert_eq!(asked(&["truth"], &["odd"], &[]), ["gone"]);
        assert_eq!(asked(&["odd"], &["odd"], &[]), Vec::<&str>::new());
        assert_eq!(asked(&[], &["all"], &[]), ["gone", "odd"]);
    }
}
