//! Wrong specs: one mistake each, reported once, at its exact place, and nothing is written.
//!
//! The first line of each fixture says what is wrong and where. The snapshots are what a person sees.

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::project::build;
use crate::trial::{Needs, trial};

mod made;

/// What a fixture says about itself: code, path, line and column.
type Expected = Vec<(String, String)>;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wrong")
}

pub(crate) fn trials() -> Vec<Trial> {
    let names = names();
    assert!(names.len() > 200, "only {} fixtures", names.len());
    let fixture = |name: String| {
        trial(format!("wrong::{name}"), Needs::Nothing, move || {
            let wanted = expected(&fixtures(), &name);
            assert!(!wanted.is_empty(), "it does not say what is wrong");
            check(&fixtures(), &name, &wanted);
        })
    };
    names
        .into_iter()
        .map(fixture)
        .chain(made::trials())
        .collect()
}

/// `# wrong: CODE at LINE:COLUMN`, in one file or in the files of a folder.
fn expected(folder: &Path, name: &str) -> Expected {
    let path = folder.join(name);
    let mut files = vec![name.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(&path).expect("a folder");
        let names = entries.map(|e| e.expect("entry").file_name());
        files = names
            .map(|f| format!("{name}/{}", f.to_string_lossy()))
            .collect();
        files.sort();
    }
    let mut found = Expected::new();
    for file in files {
        let text = std::fs::read_to_string(folder.join(&file)).expect("text");
        let lines = text.lines().filter_map(|l| l.strip_prefix("# wrong: "));
        found.extend(lines.map(|line| {
            let (code, at) = line.split_once(" at ").expect("`CODE at LINE:COLUMN`");
            (code.to_owned(), format!("{file}:{at}"))
        }));
    }
    found
}

/// Errors that were printed: code and place.
fn printed(stderr: &str) -> Expected {
    let mut lines = stderr.lines();
    let mut found = Expected::new();
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
fn check(folder: &Path, name: &str, wanted: &Expected) {
    let temp = tempfile::tempdir().expect("a folder");
    let out = temp.path().join("generated");
    let output = build(folder, name, &out);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{name}:\n{stderr}");
    assert!(output.stdout.is_empty(), "{name}");
    assert!(!out.exists(), "{name}: something was written");
    assert!(!stderr.contains("panicked"), "{name}:\n{stderr}");
    assert!(
        !stderr.contains('\x1b'),
        "{name}: control characters reach the terminal"
    );
    assert_eq!(&printed(&stderr), wanted, "{name}:\n{stderr}");
    let stem = name.strip_suffix(".yaml").unwrap_or(name);
    insta::with_settings!({
        snapshot_path => "snapshots/wrong",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(stem, stderr);
    });
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(fixtures()).expect("fixtures");
    let names = entries.map(|e| e.expect("entry").file_name());
    let mut names: Vec<_> = names.map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
