//! What each target starts from: files of the repository, never copies of them.

use std::path::{Path, PathBuf};

/// Longer files make slow starts.
const LONGEST: u64 = 64 << 10;

/// Target → folders or files below the repository, and endings.
const SOURCES: [(&str, &[&str], &[&str]); 10] = [
    (
        "exposition",
        &[
            "catalog/vllm/0.6.6",
            "catalog/vllm/0.33.0",
            "tests/fixtures",
        ],
        &["prom"],
    ),
    ("promql", &["tests/it/promql/expressions.txt"], &["txt"]),
    (
        "yaml",
        &["specs", "tests/fixtures", "crates/spec/src/library"],
        &["yaml"],
    ),
    (
        "spec",
        &["specs", "tests/fixtures/wrong", "tests/fixtures"],
        &["yaml"],
    ),
    (
        "artifact_yaml",
        &["tests/fixtures/rules", "generated"],
        &["yaml"],
    ),
    (
        "artifact_json",
        &[
            "tests/fixtures/rules",
            "tests/fixtures/cloudwatch",
            "generated",
        ],
        &["json"],
    ),
    ("artifact_hcl", &["tests/fixtures/rules"], &["tf"]),
    (
        "artifact_markdown",
        &["README.md", "docs", "generated"],
        &["md"],
    ),
    ("fixes", &["tests/fixtures/rules"], &["yaml", "json", "md"]),
    ("templates", &["tests/it/promql/expressions.txt"], &["txt"]),
];

/// The inputs that a target starts from, those that once failed first.
pub fn seeds(root: &Path, target: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    walk(&root.join("fuzz/regressions").join(target), &mut paths);
    let mut found: Vec<_> = paths
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    for (_, places, endings) in SOURCES.iter().filter(|(name, ..)| *name == target) {
        let mut paths = Vec::new();
        places
            .iter()
            .for_each(|place| walk(&root.join(place), &mut paths));
        for path in paths {
            let ending = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default();
            let short = path.metadata().is_ok_and(|about| about.len() <= LONGEST);
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            if ending == "md" && path.starts_with(root.join("tests")) {
                for (ending, block) in blocks(&text).filter(|(ending, _)| endings.contains(ending))
                {
                    found.extend(inputs(target, ending, block.into_bytes()));
                }
            } else if endings.contains(&ending) && short {
                found.extend(inputs(target, ending, text.into_bytes()));
            }
        }
    }
    found
}

/// The blocks of a page of test cases, with the endings of their files.
fn blocks(page: &str) -> impl Iterator<Item = (&str, String)> {
    let mut lines = page.lines();
    std::iter::from_fn(move || {
        let open = lines.by_ref().find(|line| line.starts_with("```"))?;
        let info = open.trim_start_matches('`');
        let fence = &open[..open.len() - info.len()];
        let inside = lines.by_ref().take_while(|line| *line != fence);
        let text = inside.map(|line| format!("{line}\n")).collect();
        Some((info.split(' ').next().unwrap_or_default(), text))
    })
}

/// A file as inputs of a target.
fn inputs(target: &str, ending: &str, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    match (target, ending) {
        (_, "txt") => bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect(),
        ("fixes", ending) => {
            let kind = ["yaml", "json", "md"]
                .iter()
                .position(|known| *known == ending);
            let kind = kind.and_then(|n| u8::try_from(n).ok()).unwrap_or_default();
            // 0x81 is a multiple of 3, so the kind stays.
            let with = |first: u8| [&[first], &bytes[..]].concat();
            vec![with(kind), with(0x81 + kind)]
        }
        _ => vec![bytes],
    }
}

/// All files below a path, sorted.
fn walk(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        return found.push(path.to_owned());
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().for_each(|path| walk(path, found));
}
