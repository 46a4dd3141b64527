//! Other programs, and shell completions.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Check;
use slosmith_text::input;

/// Oldest supported Prometheus version, as in docs/prometheus.md.
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
            format!("install Prometheus {major}.{minor} or newer, to run the generated unit tests");
        return Check::warning(name, "not found", help);
    };
    let Some(version) = version(&said) else {
        return Check::warning(
            name,
            format!("unknown version: {said}"),
            "check the output of `promtool --version`",
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
            "install git, to commit specs and generated files",
        ),
    }
}

/// The first line of `PROGRAM --version`, from either stream.
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

/// Checks whether completions are installed; `None` for an unknown shell.
fn completions() -> Option<Check> {
    let name = "completions";
    let shell = PathBuf::from(std::env::var_os("SHELL")?);
    let shell = shell.file_name()?.to_str()?.to_owned();
    let home = PathBuf::from(std::env::var_os("HOME")?);
    // The start-up file of the shell, and the folder of completion files.
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
                format!("no completion installed for {shell}"),
                "`slosmith completions --help` shows how to install it",
            ),
        },
    )
}
