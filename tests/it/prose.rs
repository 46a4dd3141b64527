//! The prose of the docs: words that the reader has to decode, and sentences that are too long.

use std::path::Path;

/// Words and phrases that a plainer one replaces.
const BANNED: [&str; 22] = [
    "nobody",
    "somebody",
    "whoever",
    "whom",
    "mend",
    "mends",
    "mended",
    "judge",
    "judges",
    "judged",
    "that of",
    "those of",
    "is gone",
    "are gone",
    "what counts",
    "asks for",
    "asked for",
    "is told",
    "are told",
    "better there",
    "ours",
    "theirs",
];

/// The same before a noun: "if the answer is no, …" is plain.
const BANNED_BEFORE_A_NOUN: [&str; 2] = [" is no ", " are no "];

/// Most words of a sentence on the pages that a new user reads first.
const LONGEST: usize = 30;

/// The pages that a new user reads first.
const FIRST: [&str; 6] = [
    "README.md",
    "docs/concepts.md",
    "docs/install.md",
    "docs/start.md",
    "docs/troubleshooting.md",
    "docs/tutorial.md",
];

/// Pages that are generated from other files, whose texts have tests of their own.
const GENERATED: [&str; 5] = [
    "docs/cli.md",
    "docs/coverage.md",
    "docs/rules.md",
    "docs/signals.md",
    "docs/templates.md",
];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a page")
}

/// A page without code, its paragraphs and table rows apart.
fn paragraphs(page: &str) -> Vec<String> {
    let text: String = page
        .split("\n```")
        .step_by(2)
        .collect::<Vec<_>>()
        .join("\n\n");
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        let line = line.trim();
        let starts = line.is_empty() || line.starts_with(['|', '#', '-']) || is_numbered(line);
        if starts {
            paragraphs.push(String::new());
        }
        let last = paragraphs.last_mut().expect("a paragraph");
        last.push(' ');
        last.push_str(line);
    }
    let prose = |text: String| text.split('`').step_by(2).collect::<Vec<_>>().join("code");
    paragraphs.into_iter().map(prose).collect()
}

fn is_numbered(line: &str) -> bool {
    let number = line.split_once(". ").map_or("", |(number, _)| number);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[test]
fn pages_use_plain_words() {
    let mut faults = Vec::new();
    for page in crate::docs::pages() {
        if GENERATED.contains(&page.as_str()) {
            continue;
        }
        for paragraph in paragraphs(&read(&page)) {
            let text = format!(" {} ", words(&paragraph).join(" "));
            let is_in = |banned: &&str| text.contains(&format!(" {banned} "));
            let found = BANNED.into_iter().filter(is_in);
            let before = BANNED_BEFORE_A_NOUN.into_iter();
            let before = before.filter(|banned| paragraph.contains(banned));
            for banned in found.chain(before) {
                faults.push(format!("{page}: `{}` in:{paragraph}", banned.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_first_pages_have_short_sentences() {
    let mut faults = Vec::new();
    for page in FIRST {
        for paragraph in paragraphs(&read(page)) {
            if paragraph.trim().starts_with('|') {
                continue;
            }
            for sentence in paragraph.split_inclusive(['.', ':', ';', '?']) {
                let count = words(sentence).len();
                if count > LONGEST {
                    faults.push(format!("{page}: {count} words:{sentence}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
