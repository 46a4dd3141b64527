//! What the command line says.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::{Choice, Code, Config, Level, is_known, words};
use crate::diag::render::Format;
use crate::diag::{Severity, did_you_mean};
use crate::lint::rules;
use crate::source::{Span, Spanned};

/// Check specs, rules and dashboards against recorded vLLM metrics
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files, or folders to search for YAML, JSON, HCL and Markdown; `-` reads standard input
    #[arg(default_value = ".")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// vLLM releases on which every query must work. Default: those in `slosmith.toml`, else the newest recorded one. A
    /// spec has its own range
    #[arg(long, value_name = "RANGE")]
    pub(super) vllm: Option<String>,
    /// A serving configuration in use, such as `lora` (repeatable)
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Vec<String>,
    /// Languages of source code whose string literals are checked if they are queries; `ts` is TypeScript and
    /// JavaScript
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = language)]
    code: Vec<Code>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Rules and groups to run, instead of those that `slosmith.toml` selects: `style`, `truth` (all but `style`),
    /// `all`, `unknown-metric`
    #[arg(long, value_name = "RULE|GROUP", value_delimiter = ',', value_parser = rule_or_group)]
    select: Vec<String>,
    /// Rules and groups to turn off, in addition to those in `slosmith.toml`
    #[arg(long, value_name = "RULE|GROUP", value_delimiter = ',', value_parser = rule_or_group)]
    ignore: Vec<String>,
    /// Another level for a rule, such as `unknown-label=off` (repeatable)
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level)]
    pub(super) level: Vec<(String, Level)>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Show only the number of findings per rule; with `--format human`, `concise` or `json`
    #[arg(long)]
    pub(super) statistics: bool,
    /// Print only findings
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(super) output_file: Option<PathBuf>,
    /// Name of standard input in the report; its extension tells the format
    #[arg(long, value_name = "FILE", default_value = "stdin.yaml")]
    pub(super) stdin_filename: PathBuf,
    /// Lowest level that fails the run
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FailOn::Error)]
    pub(super) fail_on: FailOn,
    /// Exit with 0 whatever is found; files that cannot be read still exit with 2
    #[arg(long)]
    pub(super) exit_zero: bool,
    /// Apply every safe fix
    #[arg(long)]
    pub(super) fix: bool,
    /// With `--fix` or `--diff`: also fixes that may change the meaning
    #[arg(long)]
    pub(super) unsafe_fixes: bool,
    /// Show what fixes would change; write nothing
    #[arg(long)]
    pub(super) diff: bool,
    /// Write all findings to the baseline named in the configuration, so that later runs show only new ones
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    pub(super) write_baseline: bool,
}

/// Which findings fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Certain errors
    Error,
    /// Also probable errors
    Warning,
    /// Every finding
    Info,
}

impl FailOn {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}

/// Why a text names no rule, or gives none a level.
#[derive(Debug, thiserror::Error)]
enum RuleError {
    #[error("`{0}` is not RULE=LEVEL, where LEVEL is error, warning, info or off")]
    Form(String),
    #[error("there is no rule `{0}`")]
    Rule(String),
    #[error("there is no rule or group `{0}`{1}")]
    Word(String, String),
}

fn language(text: &str) -> Result<Code, String> {
    let found = Code::ALL.into_iter().find(|(name, _)| *name == text);
    let names = Code::ALL.map(|(name, _)| name).join(", ");
    found.map_or_else(
        || Err(format!("it is one of {names}")),
        |(_, code)| Ok(code),
    )
}

fn level(text: &str) -> Result<(String, Level), RuleError> {
    let wrong = || RuleError::Form(text.to_owned());
    let (rule, level) = text.split_once('=').ok_or_else(wrong)?;
    let level = match level {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "info" => Level::Info,
        "off" => Level::Off,
        _ => return Err(wrong()),
    };
    if rules::find(rule).is_none() {
        return Err(RuleError::Rule(rule.to_owned()));
    }
    Ok((rule.to_owned(), level))
}

fn rule_or_group(text: &str) -> Result<String, RuleError> {
    let known = rules::infos();
    if is_known(text, &known) {
        return Ok(text.to_owned());
    }
    let hint = did_you_mean(text, words(&known)).map(|hint| format!(": {hint}"));
    Err(RuleError::Word(text.to_owned(), hint.unwrap_or_default()))
}

impl LintArgs {
    /// Lets the command line go before the configuration.
    pub(super) fn override_config(&self, config: &mut Config) {
        let word = |word: &String| Spanned::new(word.clone(), Span::default());
        if !self.select.is_empty() {
            config.choice = Choice {
                select: self.select.iter().map(word).collect(),
                ignore: std::mem::take(&mut config.choice.ignore),
                levelled: Vec::new(),
            };
        }
        config.choice.ignore.extend(self.ignore.iter().map(word));
        config.code.extend(&self.code);
        for (rule, level) in &self.level {
            config.set_level(rule, *level);
        }
    }
}
