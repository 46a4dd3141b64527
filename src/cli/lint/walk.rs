//! Finds the files to check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::input::Files;
use crate::config::{Code, Config};
use crate::input;

/// Extensions of files that may contain queries.
const ENDINGS: [&str; 8] = [
    "json", "markdown", "md", "rules", "tf", "tofu", "yaml", "yml",
];

/// Extensions of files that are not checked, but are reported if they name vLLM metrics.
const OTHERS: [&str; 15] = [
    "adoc",
    "cue",
    "go",
    "ipynb",
    "js",
    "jsonnet",
    "jsx",
    "libsonnet",
    "mdx",
    "py",
    "rst",
    "sh",
    "tpl",
    "ts",
    "tsx",
];

/// Folders that hold other people's files.
const SKIPPED: [&str; 3] = ["node_modules", "target", "vendor"];

/// Default file name of standard input.
const STDIN: &str = "stdin.yaml";

/// All files that are named or lie in a folder that is named, each once; `-` is standard input.
///
/// # Errors
/// When a path does not exist.
pub(in crate::cli) fn files(paths: &[PathBuf], config: &Config, here: &Path) -> Result<Files> {
    let mut files = Files::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        if path == Path::new("-") {
            files.stdin = Some(PathBuf::from(STDIN));
            continue;
        }
        if !path.exists() {
            bail!("{}: no such file or folder", path.display());
        }
        if !path.is_dir() {
            if seen.insert(path.clone()) {
                files.named.push(path.clone());
            }
            continue;
        }
        let wanted = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || !(is_skipped(entry) || config.excludes(entry.path(), here))
        };
        let folder = walkdir::WalkDir::new(path).sort_by_file_name();
        for entry in folder.into_iter().filter_entry(wanted) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    files.unreadable.push(refused(path, &error));
                    continue;
                }
            };
            let ending = entry.path().extension().and_then(|e| e.to_str());
            let language = Code::of(entry.path());
            let list = match ending {
                _ if language.is_some_and(|code| config.code.contains(&code)) => &mut files.found,
                Some(ending) if ENDINGS.contains(&ending) => &mut files.found,
                Some(ending) if OTHERS.contains(&ending) => &mut files.others,
                _ => continue,
            };
            let path = shown(entry.path());
            if input::is_file(entry.path()) && seen.insert(path.clone()) {
                list.push(path);
            }
        }
    }
    Ok(files)
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
