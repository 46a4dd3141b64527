use proptest::prelude::*;

use super::*;
use crate::diag::Diagnostic;
use crate::source::{FileId, SourceFile, Sources};

fn file(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::default();
    let id = sources.add(SourceFile::new("a.yaml", text));
    (sources, id)
}

fn finding(fix: Fix) -> Diagnostic {
    let span = fix.edits.first().map(|e| e.span).unwrap_or_default();
    Diagnostic::error("bad", span, "no").fix(fix)
}

fn edits(file: FileId, edits: &[(usize, usize, &str)]) -> Diagnostic {
    let edit = |(start, end, text): &(usize, usize, &str)| {
        Edit::replace(Span::new(file, *start..*end), *text)
    };
    finding(Fix::safe_edits("mend", edits.iter().map(edit).collect()))
}

fn run(text: &str, fixes: &[&[(usize, usize, &str)]]) -> (String, Vec<usize>, Vec<(usize, Left)>) {
    let (sources, id) = file(text);
    let findings: Vec<_> = fixes.iter().map(|fix| edits(id, fix)).collect();
    let outcome = apply(&sources, &findings, false);
    let fixed = outcome.fixed().into_iter().collect();
    let new = outcome.files.get(&id).map(|f| f.text.clone());
    (new.unwrap_or_default(), fixed, outcome.left)
}

#[test]
fn separate_edits_are_all_made() {
    let found = run(
        "abc def",
        &[&[(4, 7, "D")], &[(0, 1, "A"), (2, 3, "")], &[(7, 7, "!")]],
    );
    // The insertion at the end of a replacement waits: who comes first would matter.
    assert_eq!(
        found,
        ("Ab D".into(), vec![0, 1], vec![(2, Left::Overlaps)])
    );
}

#[test]
fn neighbours_do_not_disturb_each_other() {
    let found = run("abcd", &[&[(2, 4, "y")], &[(0, 2, "x")]]);
    assert_eq!(found, ("xy".into(), vec![0, 1], vec![]));
}

#[test]
fn the_first_of_two_overlapping_wins_whole() {
    let found = run(
        "abcdefgh",
        &[
            &[(3, 5, "X")],
            &[(0, 1, "A"), (4, 6, "Y")],
            &[(5, 8, "Z")],
            &[(0, 5, "W")],
        ],
    );
    let left = vec![(1, Left::Overlaps), (3, Left::Overlaps)];
    assert_eq!(found, ("abcXZ".into(), vec![0, 2], left));
}

#[test]
fn the_same_fix_twice_is_made_once() {
    let wrap: &[_] = &[(0, 0, "rate("), (3, 3, ")")];
    let other: &[_] = &[(0, 0, "rate("), (4, 4, ")")];
    let found = run("abc d", &[wrap, wrap, other]);
    assert_eq!(
        found,
        ("rate(abc) d".into(), vec![0, 1], vec![(2, Left::Overlaps)])
    );
}

#[test]
fn unusable_fixes_are_left() {
    let fixes: &[&[_]] = &[
        &[(1, 2, "x")],             // in the middle of é
        &[(0, 9, "x")],             // past the end
        &[],                        // nothing to do
        &[(0, 1, "a")],             // no change
        &[(0, 1, "x"), (0, 2, "")], // against itself
        &[(3, 3, "x"), (3, 3, "y")],
    ];
    let (text, fixed, left) = run("aé", fixes);
    assert_eq!((text.as_str(), fixed), ("", vec![]));
    let all: Vec<_> = (0..fixes.len()).map(|i| (i, Left::Unusable)).collect();
    assert_eq!(left, all);
}

#[test]
fn fixes_that_need_a_look_wait_for_one() {
    let (sources, id) = file("abc");
    let edit = Edit::replace(Span::new(id, 0..1), "x");
    let findings = [finding(Fix::unsafe_edits("mend", vec![edit]))];
    let outcome = apply(&sources, &findings, false);
    assert_eq!(outcome.left, [(0, Left::Unsafe)]);
    assert!(outcome.files.is_empty());
    assert_eq!(apply(&sources, &findings, true).files[&id].text, "xbc");
}

#[test]
fn a_fix_over_two_files_is_made_in_both_or_in_none() {
    let mut sources = Sources::default();
    let a = sources.add(SourceFile::new("a", "one"));
    let b = sources.add(SourceFile::new("b", "two"));
    let at = |file, text| Edit::replace(Span::new(file, 0..3), text);
    let both = |x, y| finding(Fix::safe_edits("mend", vec![at(a, x), at(b, y)]));
    let only = finding(Fix::safe_edits("mend", vec![at(b, "2")]));
    let outcome = apply(&sources, &[only.clone(), both("I", "II")], false);
    assert_eq!(outcome.left, [(1, Left::Overlaps)]);
    assert!(!outcome.files.contains_key(&a));
    let outcome = apply(&sources, &[both("I", "II"), only], false);
    assert_eq!(outcome.files[&a].text, "I");
    assert_eq!(outcome.files[&b].findings, [0]);
}

#[test]
fn diffs_show_three_lines_around_a_change() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
    let new = old.replace('5', "five");
    insta::assert_snapshot!(diff("a/b.yaml", old, &new), @r"
    --- a/a/b.yaml
    +++ b/a/b.yaml
    @@ -2,7 +2,7 @@
     2
     3
     4
    -5
    +five
     6
     7
     8
    ");
    assert_eq!(diff("a", old, old), "");
}

proptest! {
    /// What is applied is what a naive reading of "the earlier finding wins" gives, whatever the edits.
    #[test]
    fn any_edits_at_all(
        text in "[aé\n]{0,12}",
        fixes in prop::collection::vec(prop::collection::vec((0usize..14, 0usize..4, "[xé]{0,2}"), 1..3), 0..6),
    ) {
        let (sources, id) = file(&text);
        let finding = |fix: &Vec<(usize, usize, String)>| {
            let fix: Vec<_> = fix.iter().map(|(s, n, t)| (*s, s + n, t.as_str())).collect();
            edits(id, &fix)
        };
        let findings: Vec<_> = fixes.iter().map(finding).collect();
        let outcome = apply(&sources, &findings, false);
        let fixed = outcome.fixed();
        prop_assert_eq!(fixed.len() + outcome.left.len(), findings.len());
        let mut kept: Vec<&Edit> = fixed.iter()
            .filter_map(|i| findings[*i].details.fix.as_ref())
            .flat_map(|fix| &fix.edits).collect();
        kept.sort();
        kept.dedup();
        let mut wanted = text.clone();
        for edit in kept.iter().rev() {
            wanted.replace_range(edit.span.range(), &edit.text);
        }
        let new = outcome.files.get(&id).map_or(text.as_str(), |f| &f.text);
        prop_assert_eq!(new, wanted.as_str());
        // Whatever was left for overlapping does overlap something that was kept.
        for (i, why) in &outcome.left {
            let edits = findings[*i].details.fix.as_ref().map(|fix| fix.edits.as_slice());
            let near = |e: &Edit| kept.iter().any(|k| k.span.start <= e.span.end && e.span.start <= k.span.end);
            prop_assert!(*why != Left::Overlaps || edits.is_some_and(|e| e.iter().any(near)));
        }
    }
}
