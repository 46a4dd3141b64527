//! The command line of `slosmith lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::live::LiveArgs;

use slosmith_catalog::Range;
use slosmith_lint::lint::rules;
use slosmith_spec::config::{Choice, Code, Config, Level, is_known, words};
use slosmith_text::diag::render::Format;
use slosmith_text::diag::{Severity, did_you_mean};
use slosmith_text::source::{Span, Spanned};

/// Check specs, rules and dashboards against recorded server metrics
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files, or folders to search for YAML, JSON, HCL and Markdown files; `-` for standard input
    #[arg(default_value = ".")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// vLLM releases on which every query must work. Default: `vllm` in `slosmith.toml`, otherwise the newest recorded
    /// release. Specs set their own range
    #[arg(long, value_name = "RANGE")]
    pub(super) vllm: Option<String>,
    /// Releases of another server, such as `sglang=0.5.23` or `litellm=>=1.80` (repeatable). Default: `[products]` in
    /// `slosmith.toml`, otherwise the newest recorded release
    #[arg(long, value_name = "NAME=RANGE", value_parser = product)]
    pub(super) product: Vec<(String, Range)>,
    /// vLLM profile in use, such as `lora` (repeatable)
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Vec<String>,
    /// Also check queries in string literals of source code in these languages; `ts` includes JavaScript
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = language)]
    code: Vec<Code>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Rules and rule categories to run, instead of the selection in `slosmith.toml`: `style`, `truth` (all except
    /// `style`), `all`, or rules such as `unknown-metric`
    #[arg(long, value_name = "RULE|CATEGORY", value_delimiter = ',', value_parser = rule_or_group)]
    select: Vec<String>,
    /// Rules and rule categories to turn off, in addition to `ignore` in `slosmith.toml`
    #[arg(long, value_name = "RULE|CATEGORY", value_delimiter = ',', value_parser = rule_or_group)]
    ignore: Vec<String>,
    /// Level of a rule: error, warning, info or off, such as `unknown-label=off` (repeatable)
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level)]
    pub(super) level: Vec<(String, Level)>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Show only the number of findings per rule. Formats: human, concise and json
    #[arg(long)]
    pub(super) statistics: bool,
    /// Print only findings
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", alias = "output-file")]
    pub(super) out: Option<PathBuf>,
    /// File name of standard input in the report; its extension sets the file type
    #[arg(long, value_name = "FILE", default_value = "stdin.yaml")]
    pub(super) stdin_filename: PathBuf,
    /// Exit with 1 if a finding has this or a higher level
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FailOn::Error)]
    pub(super) fail_on: FailOn,
    /// Exit with 0 also if there are findings. Unreadable files still exit with 2
    #[arg(long)]
    pub(super) exit_zero: bool,
    /// Apply all safe fixes
    #[arg(long)]
    pub(super) fix: bool,
    /// With `--fix` or `--diff`: include fixes that may change the meaning of a query
    #[arg(long)]
    pub(super) unsafe_fixes: bool,
    /// Show the changes of `--fix` as a diff; write nothing
    #[arg(long)]
    pub(super) diff: bool,
    /// Write all findings to the `baseline` file of `slosmith.toml`, so that later runs show only new findings
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    pub(super) write_baseline: bool,
    #[command(flatten)]
    pub(super) live: LiveArgs,
}

/// Findings that exit with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Errors: certain mistakes
    Error,
    /// Errors and warnings: also probable mistakes
    Warning,
    /// All findings
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

#[derive(Debug, thiserror::Error)]
enum RuleError {
    #[error("expected RULE=LEVEL, with the level error, warning, info or off; found `{0}`")]
    Form(String),
    #[error("unknown rule `{0}`")]
    Rule(String),
    #[error("unknown rule or rule category `{0}`{1}")]
    Word(String, String),
}

fn language(text: &str) -> Result<Code, String> {
    let found = Code::ALL.into_iter().find(|(name, _)| *name == text);
    let names = Code::ALL.map(|(name, _)| name).join(", ");
    found.map_or_else(
        || Err(format!("expected one of {names}")),
        |(_, code)| Ok(code),
    )
}

fn product(text: &str) -> Result<(String, Range), String> {
    let (name, range) = text
        .split_once('=')
        .ok_or("expected NAME=RANGE, such as `sglang=0.5.23`")?;
    let range = Range::parse(range.trim()).map_err(|why| why.with_help())?;
    Ok((name.trim().to_owned(), range))
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
    /// Overrides the configuration with the command line.
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
