//! `/metrics` pages.

use std::collections::BTreeSet;

use slosmith::catalog::exposition::{Dialect, Page, ProblemKind, parse, print};
use slosmith::catalog::record::recorded;

use super::{MARK, text};

/// Any page is read to its end, problems have places, and printing what was read is stable.
pub fn exposition(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let page = parse(text);
    for problem in &page.problems {
        assert!(text.is_char_boundary(problem.offset));
        let line = text[..problem.offset].matches('\n').count() + 1;
        assert_eq!(problem.line, line);
    }
    marked(text, &page);
    for dialect in [Dialect::Classic, Dialect::OpenMetrics] {
        let once = print(&page.families, dialect);
        if clash(&once) {
            continue;
        }
        let again = parse(&once);
        readable(&again, &once);
        assert_eq!(print(&again.families, dialect), once);
    }
    let kept = recorded(&page, false);
    readable(&parse(&kept), &kept);
}

/// OpenMetrics has one name for a counter `x_total` and a family `x`, which may both be on a page.
fn clash(printed: &str) -> bool {
    let mut seen = BTreeSet::new();
    let types = printed.lines().filter(|line| line.starts_with("# TYPE "));
    let mut names = types.filter_map(|line| line.split(' ').nth(2));
    !names.all(|name| seen.insert(name))
}

/// A byte order mark moves every place and changes nothing else.
fn marked(text: &str, page: &Page) {
    if text.starts_with(MARK) {
        return;
    }
    let marked = parse(&format!("{MARK}{text}"));
    let print = |page: &Page| print(&page.families, Dialect::Classic);
    assert_eq!(print(&marked), print(page));
    let moved = marked.problems.iter().skip(1);
    let moved = moved.map(|p| (p.kind, p.line, p.offset - MARK.len()));
    assert!(moved.eq(page.problems.iter().map(|p| (p.kind, p.line, p.offset))));
}

fn readable(page: &Page, text: &str) {
    let broken = page
        .problems
        .iter()
        .find(|p| p.kind == ProblemKind::Malformed);
    assert!(broken.is_none(), "{broken:?} in {text:?}");
}
