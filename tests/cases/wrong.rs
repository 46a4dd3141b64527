//! Wrong specs: one mistake each, reported once, at its exact place, and nothing is written.
//!
//! `tests/fixtures/wrong` has a page per topic. The first line of each spec says what is wrong and where; the last block is what a
//! person sees.

use std::path::Path;
use std::sync::Arc;

use libtest_mimic::Trial;

use crate::markdown::{Case, cases};
use crate::project::build;
use crate::trial::{Needs, trial};

mod made;

/// Errors: code, path, line and column.
type Errors = Vec<(String, String)>;

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wrong");
    let entries = std::fs::read_dir(folder).expect("fixtures");
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let topic = file.file_stem().expect("a name").to_string_lossy();
        if file.extension().is_some_and(|e| e == "yaml") {
            let name = format!("wrong::bases::{topic}");
            let file = file.clone();
            all.push(trial(name, Needs::Nothing, move || is_right(&file)));
            continue;
        }
        let page = Arc::new(file.clone());
        all.extend(cases(&file).into_iter().map(|case| {
            let (name, page) = (format!("wrong::{topic}::{}", case.name), Arc::clone(&page));
            trial(name, Needs::Nothing, move || is_wrong(&page, &case))
        }));
    }
    assert!(all.len() > 500, "only {} cases", all.len());
    all
}

/// What the cases of a page change has no mistake itself.
fn is_right(base: &Path) {
    let temp = tempfile::tempdir().expect("a folder");
    let name = base.file_name().expect("a name").to_str().expect("UTF-8");
    let folder = base.parent().expect("a folder");
    let output = build(folder, name, &temp.path().join("generated"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Writes the files of a case; gives back what they say of themselves: `# wrong: CODE at LINE:COLUMN`.
fn written(folder: &Path, case: &Case) -> Errors {
    if case.files.is_empty() {
        let (bytes, code, at) = made::file(&case.name);
        std::fs::write(folder.join(&case.name), bytes).expect("a file");
        return vec![(code.to_owned(), format!("{}:{at}", case.name))];
    }
    let mut wanted = Errors::new();
    for (path, text) in &case.files {
        let lines = text.lines().filter_map(|l| l.strip_prefix("# wrong: "));
        wanted.extend(lines.map(|line| {
            let (code, at) = line.split_once(" at ").expect("`CODE at LINE:COLUMN`");
            (code.to_owned(), format!("{path}:{at}"))
        }));
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    assert!(!wanted.is_empty(), "it does not say what is wrong");
    wanted
}

/// Errors that were printed.
fn printed(stderr: &str) -> Errors {
    let mut lines = stderr.lines();
    let mut found = Errors::new();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("error[") {
            let code = rest.split(']').next().expect("a code");
            let place = lines
                .next()
                .and_then(|l| l.trim_start().strip_prefix("--> "));
            found.push((code.to_owned(), place.unwrap_or_default().to_owned()));
        }
    }
    found
}

/// Builds one wrong spec and checks all that holds for every wrong spec.
fn is_wrong(page: &Path, case: &Case) {
    let temp = tempfile::tempdir().expect("a folder");
    let wanted = written(temp.path(), case);
    let out = temp.path().join("generated");
    let output = build(temp.path(), &case.name, &out);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty());
    assert!(!out.exists(), "something was written");
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(
        !stderr.contains('\x1b'),
        "control characters reach the terminal"
    );
    assert_eq!(printed(&stderr), wanted, "{stderr}");
    case.check(page, "text", &stderr);
}
