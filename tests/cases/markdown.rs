//! Test cases in Markdown: a heading with the name of a file, a block with its text, a block `text` with what is printed, and
//! a block `diff` with what a fix changes.
//!
//! A block may name a file itself, ` ```yaml a.yaml `: then the heading is the name of a folder. ` ```diff base.yaml ` holds
//! changes to a file beside the page; a line `@@` separates them.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use similar::TextDiff;

#[derive(Clone, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Paths and texts.
    pub(crate) files: Vec<(String, String)>,
    /// What the page shows of a run: the kind of block, its place and its text.
    pub(crate) shown: Vec<(String, Range<usize>, String)>,
    /// Where the page can show more.
    pub(crate) end: usize,
}

pub(crate) fn cases(page: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut cases: Vec<Case> = Vec::new();
    let (mut at, mut block): (_, Option<(&str, Range<usize>)>) = (0, None);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match &block {
            Some((fence, inside))
                if line.trim_end() == &fence[..fence.len() - info(fence).len()] =>
            {
                let case = cases.last_mut().expect("a block below a heading");
                case.add(
                    page,
                    info(fence),
                    inside.start..at,
                    &text[inside.end..start],
                );
                case.end = at;
                block = None;
            }
            None if line.starts_with("```") => block = Some((line.trim_end(), start..at)),
            None => {
                if let Some(name) = line.strip_prefix("## ") {
                    let name = name.trim_end().to_owned();
                    cases.push(Case {
                        name,
                        end: at,
                        ..Case::default()
                    });
                }
            }
            Some(_) => {}
        }
    }
    assert!(
        block.is_none(),
        "{}: a block without an end",
        page.display()
    );
    cases
}

/// What follows the backticks.
fn info(fence: &str) -> &str {
    fence.trim_start_matches('`')
}

impl Case {
    fn add(&mut self, page: &Path, info: &str, at: Range<usize>, text: &str) {
        let (path, text) = match info.split_once(' ') {
            None if ["text", "diff"].contains(&info) => {
                return self.shown.push((info.to_owned(), at, text.to_owned()));
            }
            None => (self.name.clone(), text.to_owned()),
            Some(("diff", base)) => {
                let base = std::fs::read_to_string(page.with_file_name(base)).expect("a base");
                (self.name.clone(), patched(&base, text))
            }
            Some((_, file)) => (format!("{}/{file}", self.name), text.to_owned()),
        };
        self.files.push((path, text));
    }

    /// Compares the output of a run with what the page shows, or puts it there under `INSTA_UPDATE=always`, as `insta` does.
    pub(crate) fn check(&self, page: &Path, kind: &str, output: &str) {
        static WRITES: Mutex<()> = Mutex::new(());
        let find = |case: &Self| case.shown.iter().find(|(info, ..)| info == kind).cloned();
        let output = match output.trim_end() {
            "" => String::new(),
            output => format!("{output}\n"),
        };
        let shown = find(self).map(|(.., text)| text).unwrap_or_default();
        if output == shown {
            return;
        }
        if std::env::var_os("INSTA_UPDATE").is_none_or(|value| value != "always") {
            let diff = TextDiff::from_lines(&shown, &output);
            panic!(
                "{}, {}:\n{}",
                page.display(),
                self.name,
                diff.unified_diff()
            );
        }
        let _write = WRITES.lock();
        let mut now = cases(page).into_iter();
        let now = now.find(|case| case.name == self.name).expect("the case");
        let mut fence = "```".to_owned();
        while output.contains(&fence) {
            fence.push('`');
        }
        let block = format!("{fence}{kind}\n{output}{fence}\n");
        let (at, block) = match find(&now) {
            Some((_, at, _)) => (at, block),
            None => (now.end..now.end, format!("\n{block}")),
        };
        let mut text = std::fs::read_to_string(page).expect("text");
        text.replace_range(at, &block);
        std::fs::write(page, text).expect("a file");
    }
}

/// A text with changes: the lines after ` ` and `-` become those after ` ` and `+`. A change without old lines begins the text.
fn patched(base: &str, diff: &str) -> String {
    let mut lines: Vec<_> = base.lines().collect();
    for change in diff.split("@@\n") {
        let side = |sign| {
            change
                .lines()
                .filter(move |line| line.starts_with([' ', sign]))
        };
        let old: Vec<_> = side('-').map(|line| &line[1..]).collect();
        let mut places = (0..lines.len()).filter(|at| lines[*at..].starts_with(&old));
        let at = places.next().expect("the old lines");
        assert!(old.is_empty() || places.next().is_none(), "twice: {change}");
        lines.splice(at..at + old.len(), side('+').map(|line| &line[1..]));
    }
    lines.join("\n") + "\n"
}
