//! A test that may need more than cargo.

use std::process::Command;
use std::sync::OnceLock;

use libtest_mimic::Trial;

/// What a test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Promtool,
    /// `strace`, and the right to trace.
    Strace,
    /// `python3` with PyYAML.
    Python,
    Chromium,
    Vmalert,
    Thanos,
    Mimirtool,
    Amtool,
    Zsh,
    Fish,
    DashboardLinter,
    Minisign,
}

impl Needs {
    /// The name of what is not here.
    fn missing(self) -> Option<&'static str> {
        static MISSING: [OnceLock<bool>; 13] = [const { OnceLock::new() }; 13];
        let (name, args): (_, &[&str]) = match self {
            Self::Nothing => return None,
            Self::Promtool => ("promtool", &["--version"]),
            Self::Strace => (
                "strace",
                &["-f", "--seccomp-bpf", "-o", "/dev/null", "true"],
            ),
            Self::Python => ("python3", &["-c", "import yaml"]),
            Self::Chromium => ("chromium", &["--version"]),
            Self::Vmalert => ("vmalert", &["--version"]),
            Self::Thanos => ("thanos", &["--version"]),
            Self::Mimirtool => ("mimirtool", &["version"]),
            Self::Amtool => ("amtool", &["--version"]),
            Self::Zsh => ("zsh", &["--version"]),
            Self::Fish => ("fish", &["--version"]),
            Self::DashboardLinter => ("dashboard-linter", &["--help"]),
            Self::Minisign => ("minisign", &["-v"]),
        };
        let missing = MISSING[self as usize].get_or_init(|| {
            let tried = Command::new(name).args(args).output();
            !tried.is_ok_and(|done| done.status.success())
        });
        missing.then_some(name)
    }
}

/// A test; ignored, with the reason before its name, where what it needs is not here.
pub(crate) fn trial(
    name: impl Into<String>,
    needs: Needs,
    run: impl FnOnce() + Send + 'static,
) -> Trial {
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    match needs.missing() {
        Some(missing) => trial
            .with_kind(format!("no {missing}"))
            .with_ignored_flag(true),
        None => trial,
    }
}

/// One of many that prove the same: `.ci/run` runs them, a plain `cargo test` the few that are a [`trial`]. Those with `more` in
/// their path run in `.ci/more` alone.
pub(crate) fn in_ci(
    name: impl Into<String>,
    needs: Needs,
    run: impl FnOnce() + Send + 'static,
) -> Trial {
    on_request(trial(name, needs, run), needs, "ci")
}

/// A test that takes long; it runs when it is asked for.
pub(crate) fn slow(
    name: impl Into<String>,
    needs: Needs,
    run: impl FnOnce() + Send + 'static,
) -> Trial {
    on_request(trial(name, needs, run), needs, "slow")
}

/// Listed as ignored, with the reason before its name.
fn on_request(trial: Trial, needs: Needs, why: &str) -> Trial {
    let trial = trial.with_ignored_flag(true);
    match needs.missing() {
        Some(_) => trial,
        None => trial.with_kind(why),
    }
}
