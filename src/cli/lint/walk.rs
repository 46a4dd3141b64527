//! Finds the files to check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::input::Files;
use slosmith_lint::artifact::ending;
use slosmith_spec::config::{Code, Config};
use slosmith_text::input;

/// Extensions of files that may contain queries.
const ENDINGS: [&str; 11] = [
    "hcl", "json", "jsonc", "markdown", "md", "mdx", "rules", "tf", "tofu", "yaml", "yml",
];

/// Extensions of files that are not checked, but are reported if they name recorded metrics.
const OTHERS: [&str; 36] = [
    "adoc",
    "alloy",
    "bicep",
    "cc",
    "conf",
    "cpp",
    "cs",
    "cue",
    "erb",
    "go",
    "gotmpl",
    "ipynb",
    "j2",
    "java",
    "js",
    "json5",
    "jsonnet",
    "jsx",
    "kt",
    "kts",
    "libsonnet",
    "mdx",
    "promql",
    "py",
    "rb",
    "river",
    "rs",
    "rst",
    "sh",
    "template",
    "tftpl",
    "tmpl",
    "toml",
    "tpl",
    "ts",
    "tsx",
];

/// Folders that hold other people's files.
const SKIPPED: [&str; 3] = ["node_modules", "target", "vendor"];

/// Default file name of standard input.
const STDIN: &str = "stdin.yaml";

struct Candidate {
    path: PathBuf,
    /// The file itself, without links on the way to it.
    real: PathBuf,
    is_link: bool,
    list: List,
}

#[derive(Clone, Copy)]
enum List {
    Named,
    Found,
    Other,
}

/// All files that are named or lie in a folder that is named; `-` is standard input.
///
/// Each file comes once, under the first of its paths: links come after what they lead to.
pub(in crate::cli) fn files(paths: &[PathBuf], config: &Config, here: &Path) -> Result<Files> {
    let mut files = Files::default();
    let mut candidates = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            files.stdin = Some(PathBuf::from(STDIN));
        } else if !path.exists() {
            bail!("{}: no such file or folder", path.display());
        } else if path.is_dir() {
            candidates.extend(walk(path, config, here, &mut files.unreadable));
        } else {
            candidates.push(Candidate {
                path: path.clone(),
                real: real(path),
                is_link: false,
                list: List::Named,
            });
        }
    }
    let direct = candidates.iter().filter(|file| !file.is_link);
    let direct: BTreeSet<_> = direct.map(|file| file.real.clone()).collect();
    let mut seen = BTreeSet::new();
    for file in candidates {
        if (!file.is_link || !direct.contains(&file.real)) && seen.insert(file.real) {
            let list = match file.list {
                List::Named => &mut files.named,
                List::Found => &mut files.found,
                List::Other => &mut files.others,
            };
            list.push(file.path);
        }
    }
    let all = files.stdin.iter().chain(&files.named).chain(&files.found);
    let language = |path: &PathBuf| Some((path.clone(), config.language(path, here)?));
    files.languages = all.filter_map(language).collect();
    Ok(files)
}

fn walk(
    path: &Path,
    config: &Config,
    here: &Path,
    unreadable: &mut Vec<(PathBuf, String)>,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let wanted = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !(is_skipped(entry) || config.excludes(entry.path(), here))
    };
    let root = real(path);
    let folder = walkdir::WalkDir::new(path).sort_by_file_name();
    for entry in folder.into_iter().filter_entry(wanted) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                unreadable.push(refused(path, &error));
                continue;
            }
        };
        let ending = ending(entry.path());
        let language = Code::of(entry.path());
        let list = match ending {
            _ if language.is_some_and(|code| config.code.contains(&code)) => List::Found,
            ending if ENDINGS.contains(&ending) => List::Found,
            ending if OTHERS.contains(&ending) => List::Other,
            _ => continue,
        };
        if input::is_file(entry.path()) {
            let is_link = entry.path_is_symlink();
            let below = entry.path().strip_prefix(path);
            found.push(Candidate {
                path: shown(entry.path()),
                real: match below {
                    Ok(below) if !is_link => root.join(below),
                    _ => real(entry.path()),
                },
                is_link,
                list,
            });
        }
    }
    found
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What the walk could not look at, and why.
fn refused(folder: &Path, error: &walkdir::Error) -> (PathBuf, String) {
    let why = error.io_error().map(ToString::to_string);
    let path = shown(error.path().unwrap_or(folder));
    (path, why.unwrap_or_else(|| error.to_string()))
}

fn is_skipped(entry: &walkdir::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || (entry.file_type().is_dir() && SKIPPED.contains(&&*name))
}

/// The path without the leading `./` of a walk through `.`.
fn shown(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}
