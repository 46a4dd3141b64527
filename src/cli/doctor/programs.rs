//! Programs beside slosmith, and the shell.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Check;
use crate::input;

/// The oldest Prometheus that reads the generated rules, as in docs/prometheus.md.
const PROMETHEUS: (u64, u64) = (2, 42);

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![promtool(), git()];
    checks.extend(completions());
    checks
}

fn promtool() -> Check {
    let name = "promtool";
    let (major, minor) = PROMETHEUS;
    let Some(said) = said("promtool") else {
        let help =
            format!("install Prometheus {major}.{minor} or newer to run the generated unit tests");
        return Check::warning(name, "not found", help);
    };
    let Some(version) = version(&said) else {
        return Check::warning(
            name,
            said,
            "its version could not be read; check that `promtool --version` prints one",
        );
    };
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0_u64));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    match found >= PROMETHEUS {
        true => Check::ok(name, version),
        false => Check::warning(
            name,
            format!("{version} is too old"),
            format!("install Prometheus {major}.{minor} or newer"),
        ),
    }
}

fn git() -> Check {
    match said("git") {
        Some(said) => Check::ok("git", version(&said).unwrap_or(said)),
        None => Check::warning(
            "git",
            "not found",
            "commit specs and generated files with git",
        ),
    }
}

/// What a program says of itself, on whichever stream.
fn said(program: &str) -> Option<String> {
    let ran = Command::new(program).arg("--version").output().ok()?;
    let said = [ran.stdout, ran.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    said.lines().next().map(str::to_owned)
}

/// The first word that looks like a version.
fn version(said: &str) -> Option<String> {
    let mut words = said.split_whitespace();
    let is = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    words
        .find(is)
        .map(|word| word.trim_end_matches(',').to_owned())
}

/// Whether the person's shell completes the command; nothing where no shell is known.
fn completions() -> Option<Check> {
    let name = "completions";
    let shell = PathBuf::from(std::env::var_os("SHELL")?);
    let shell = shell.file_name()?.to_str()?.to_owned();
    let home = PathBuf::from(std::env::var_os("HOME")?);
    // Where it is loaded from, and where such a file is.
    let (rc, file) = match shell.as_str() {
        "bash" => (
            ".bashrc",
            ".local/share/bash-completion/completions/slosmith",
        ),
        "zsh" => (".zshrc", ".zfunc/_slosmith"),
        "fish" => (
            ".config/fish/config.fish",
            ".config/fish/completions/slosmith.fish",
        ),
        _ => return None,
    };
    let installed = match shell.as_str() {
        "bash" => "/usr/share/bash-completion/completions/slosmith",
        "zsh" => "/usr/share/zsh/vendor-completions/_slosmith",
        _ => "/usr/share/fish/vendor_completions.d/slosmith.fish",
    };
    let loads = input::read_text(&home.join(rc), input::SMALL);
    let loads = loads.is_ok_and(|text| text.contains("slosmith completions"));
    Some(
        match loads || home.join(file).exists() || Path::new(installed).exists() {
            true => Check::ok(name, shell),
            false => Check::warning(
                name,
                format!("{shell} does not complete slosmith"),
                "see `slosmith completions --help`",
            ),
        },
    )
}
