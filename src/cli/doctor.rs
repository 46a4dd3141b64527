//! `slosmith doctor`: whether everything is there that a project needs.

mod programs;
mod project;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::Format;
use super::words::count;

/// Check the set-up of a project: configuration, specs, generated files, programs and completions
///
/// The exit code is 1 if there is a problem; warnings leave it 0.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// It works without.
    Warning,
    /// A build or a check in CI fails.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    state: State,
    /// What was found.
    text: String,
    /// What to do, unless all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl Check {
    fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self {
            check,
            state: State::Ok,
            text: text.into(),
            help: None,
        }
    }

    fn warning(check: &'static str, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            state: State::Warning,
            help: Some(help.into()),
            ..Self::ok(check, text)
        }
    }

    fn problem(check: &'static str, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            state: State::Problem,
            ..Self::warning(check, text, help)
        }
    }
}

/// Runs `slosmith doctor`; gives back the exit code.
///
/// # Errors
/// When the working directory cannot be determined, or `out` cannot be written.
pub fn run(args: &DoctorArgs, out: &mut dyn Write) -> Result<u8> {
    let mut checks = vec![Check::ok("slosmith", env!("CARGO_PKG_VERSION"))];
    checks.extend(project::checks(args.config.as_deref())?);
    checks.extend(programs::checks());
    match args.format {
        Format::Text => text(out, &checks)?,
        Format::Json => writeln!(out, "{:#}", serde_json::json!({"checks": checks}))?,
    }
    let problem = checks.iter().any(|check| check.state == State::Problem);
    Ok(u8::from(problem))
}

fn text(out: &mut dyn Write, checks: &[Check]) -> Result<()> {
    for check in checks {
        let state = match check.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Problem => "problem",
        };
        writeln!(out, "{state:<8} {:<14} {}", check.check, check.text)?;
        if let Some(help) = &check.help {
            writeln!(out, "{:<23} → {help}", "")?;
        }
    }
    let of = |state| checks.iter().filter(|check| check.state == state).count();
    let (problems, warnings) = (of(State::Problem), of(State::Warning));
    let (problems, warnings) = (count(problems, "problem"), count(warnings, "warning"));
    writeln!(out, "{problems}, {warnings}")?;
    Ok(())
}
