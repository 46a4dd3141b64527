//! `--watch` follows every file that a run opens, as the system sees it.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;

use crate::command::Watched;
use crate::project::{Project, spec};

pub(crate) fn trials() -> Vec<Trial> {
    trials! { "watched", Strace: trial every_file_that_is_read_is_watched }
}

const CONFIGURATION: &str = "\
[build]
defaults = [\"defaults\"]
templates = \"ours\"
[[output]]
template = \"own.txt\"
path = \"own/own.txt\"
";

/// A project that uses all that a build can read.
fn project() -> Project {
    let project = Project::empty();
    let own = spec("svc").replace(", owner: team", "");
    project.write(
        "specs/svc.yaml",
        &format!("extends: ../defaults/base.yaml\n{own}"),
    );
    let base = "apiVersion: slosmith/v1\nkind: defaults\nservice: {owner: team}\n";
    project.write("defaults/base.yaml", base);
    project.write("slosmith.toml", CONFIGURATION);
    project.write("own.txt", "ours\n");
    let page = include_str!("../../templates/preview/page.html");
    project.write("ours/preview/page.html", page);
    project
}

/// Files of the project that a run opens.
fn opened(project: &Project, args: &[&str]) -> Vec<String> {
    let files = project.files(".");
    let log = tempfile::NamedTempFile::new().expect("a file");
    let ran = Command::new("strace")
        .args(["-f", "-e", "trace=open,openat", "-o"])
        .arg(log.path())
        .arg(env!("CARGO_BIN_EXE_slosmith"))
        .args(args)
        .current_dir(project.path(""))
        .output()
        .expect("strace runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let log = std::fs::read_to_string(log.path()).expect("text");
    let names = log.lines().filter_map(|line| line.split('"').nth(1));
    let names = names.map(|name| project.path("").join(name));
    let names: Vec<_> = names.filter_map(|name| name.canonicalize().ok()).collect();
    let is_opened = |file: &String| names.contains(&real(project, file));
    files.into_iter().filter(is_opened).collect()
}

fn real(project: &Project, file: &str) -> PathBuf {
    project.path(file).canonicalize().expect("a file")
}

fn every_file_that_is_read_is_watched() {
    // A preview asks the configuration only which catalog counts, once: docs/configuration.md says to restart.
    for (args, number, once) in [
        (["build", "--out", "out"].as_slice(), 5, ""),
        (&["preview", "--templates", "ours"], 3, "slosmith.toml"),
    ] {
        let project = project();
        let mut files = opened(&project, args);
        files.retain(|file| file != once);
        assert_eq!(files.len(), number, "{files:?}");
        let watched = Watched::start(&project, &[args, &["--watch"]].concat());
        watched.until(" in ");
        for file in files {
            project.write(&file, &(project.read(&file) + "\n"));
            watched.until(&format!("{file} changed"));
            watched.until(" in ");
        }
    }
}
