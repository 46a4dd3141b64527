//! `slosmith doctor`: checks the set-up of a project.

mod names;
mod programs;
mod project;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::Format;
use super::page::HttpArgs;
use super::terminal::{Mood, Terminal};
use super::words::count;

/// Check the project: configuration, specs, outputs and programs
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// URL of the Prometheus that scrapes the servers, to check that it stores the names that the specs use
    #[arg(long, value_name = "URL")]
    prometheus: Option<String>,
    /// `/metrics` output of a running vLLM server, for the same check: an http:// or https:// URL, a file, or - for standard
    /// input
    #[arg(long, value_name = "URL|FILE")]
    metrics: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    http: HttpArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// slosmith works without it.
    Warning,
    /// A build or a check in CI fails.
    Problem,
}

#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    state: State,
    text: String,
    /// How to fix it; none if the check passed.
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

pub fn run(args: &DoctorArgs, out: &mut Terminal) -> Result<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let version = match cfg!(feature = "aws") {
        true => version.to_owned(),
        false => format!("{version} (built without `cloudwatch`)"),
    };
    let mut checks = vec![Check::ok("slosmith", version)];
    checks.extend(project::checks(args.config.as_deref())?);
    checks.extend(names::checks(args));
    checks.extend(programs::checks());
    match args.format {
        Format::Text => text(out, &checks)?,
        Format::Json => writeln!(out, "{:#}", serde_json::json!({"checks": checks}))?,
    }
    let problem = checks.iter().any(|check| check.state == State::Problem);
    Ok(u8::from(problem))
}

const TEXT: usize = 24;

fn text(out: &mut Terminal, checks: &[Check]) -> Result<()> {
    let of = |state| checks.iter().filter(|check| check.state == state).count();
    let (problems, warnings) = (of(State::Problem), of(State::Warning));
    let worst = checks.iter().map(|check| check.state).max();
    let verdict = [count(problems, "problem"), count(warnings, "warning")].join(", ");
    out.paint(shown(worst.unwrap_or(State::Ok)).0, &verdict)?;
    writeln!(out)?;
    for check in checks {
        let (mood, state) = shown(check.state);
        out.paint(mood, &format!("{state:<8}"))?;
        write!(out, " {:<14} ", check.check)?;
        out.fold(TEXT, TEXT, &check.text)?;
        if let Some(help) = &check.help {
            write!(out, "{:TEXT$}→ ", "")?;
            out.fold(TEXT + 2, TEXT + 2, help)?;
        }
    }
    Ok(())
}

fn shown(state: State) -> (Mood, &'static str) {
    match state {
        State::Ok => (Mood::Good, "ok"),
        State::Warning => (Mood::Doubtful, "warning"),
        State::Problem => (Mood::Bad, "problem"),
    }
}
