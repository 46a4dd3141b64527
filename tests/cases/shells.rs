//! zsh and fish complete commands and options with the scripts that they are given; tests/it/start.rs asks bash.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("shells::fish_completes", Needs::Fish, fish),
        trial("shells::zsh_completes", Needs::Zsh, zsh),
    ]
}

fn said(shell: &str, args: &[&str], code: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_slosmith")).parent();
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", binary.expect("a folder").display());
    let folder = tempfile::tempdir().expect("a folder");
    let mut shell = Command::new(shell);
    shell
        .args(args)
        .arg(code)
        .env("PATH", path)
        .env("HOME", folder.path());
    let done = shell.output().expect("the shell");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn fish() {
    let complete = |line: &str| {
        let code = format!("slosmith completions fish | source; complete -C '{line}'");
        let said = said("fish", &["--no-config", "-c"], &code);
        let words = said
            .lines()
            .map(|line| line.split('\t').next().unwrap_or_default());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("slosmith bui"), ["build"]);
    assert_eq!(complete("slosmith build --che"), ["--check"]);
    assert_eq!(complete("slosmith lint --format sar"), ["sarif"]);
    assert_eq!(complete("slosmith catalog rec"), ["record"]);
}

/// zsh completes on a terminal only: one of its own, into which a line and a tab are typed.
fn zsh() {
    let complete = |line: &str, wanted: &str| {
        let code = format!(
            "zmodload zsh/zpty\n\
             zpty z zsh -f -i\n\
             zpty -w z 'PS1=; autoload -U compinit; compinit -D; source <(slosmith completions zsh); print rea\"\"dy'\n\
             zpty -r -m z said '*ready*'\n\
             zpty -w -n z $'{line}\\t'\n\
             zpty -r -m z said '*{wanted}*' && print -r -- completed\n\
             zpty -d z"
        );
        // A completion that never comes must not be waited for.
        let said = said("timeout", &["20", "zsh", "-f", "-c"], &code);
        assert!(said.ends_with("completed\n"), "{line}: {said}");
    };
    complete("slosmith bui", "build");
    complete("slosmith build --che", "--check");
    complete("slosmith catalog rec", "record");
}
