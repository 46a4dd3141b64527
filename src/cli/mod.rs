//! The command line: one file per subcommand. Only this module prints.
//!
//! `slosmith lint rules/ --format json` is parsed into [`Cli`] and runs [`lint::run`]. It writes the report to standard output
//! and messages to standard error, and returns the exit code.

pub mod backtest;
pub mod build;
pub mod catalog;
#[cfg(feature = "aws")]
pub mod cloudwatch;
pub mod completions;
mod configuration;
pub mod diff;
pub mod doctor;
pub mod drift;
mod examples;
pub mod explain;
mod findings;
pub mod gate;
pub mod health;
pub mod help;
mod history;
pub mod import;
pub mod init;
mod inventory;
pub mod lint;
pub mod list;
pub mod lsp;
pub mod man;
pub mod migrate;
mod newer;
mod out;
mod page;
mod plan;
pub mod preview;
mod progress;
mod read;
pub mod schema;
pub mod signals;
mod stored;
pub mod suggest;
mod table;
pub mod templates;
pub mod terminal;
mod threads;
mod watch;
mod words;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use slosmith_text::diag::{caught, note_panics, one_line};
use terminal::{Terminal, force_styles};

/// Compiles SLO specs into Prometheus rules, Grafana dashboards, CloudWatch alarms and runbooks, and checks queries against
/// recorded metrics of LLM servers.
#[derive(Debug, Parser)]
#[command(
    name = "slosmith",
    version = env!("SLOSMITH_VERSION"),
    arg_required_else_help = true,
    disable_help_flag = true
)]
pub struct Cli {
    /// When to use colours
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        global = true,
        help_heading = GLOBAL
    )]
    color: Color,
    /// Print help; `-h` prints a summary
    #[arg(short = 'h', long = "help", action = ArgAction::Help, global = true, help_heading = GLOBAL)]
    _help: Option<bool>,
    #[command(subcommand)]
    command: Command,
}

const GLOBAL: &str = "Global options";

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a project: `slosmith.toml`, a first spec and a CI workflow
    ///
    /// On a terminal, prompts for values that the options do not set. Never overwrites a file.
    #[command(after_long_help = examples::INIT)]
    Init(init::InitArgs),
    /// Convert SLOs, rules and dashboards from other tools into specs
    ///
    /// Reads sloth, OpenSLO and Pyrra SLOs, Prometheus alerting rules and Grafana dashboards. Parts that cannot be converted are
    /// listed on standard error and in comments of the specs.
    Import(import::ImportArgs),
    /// Compile specs into rules, dashboards, alarms and runbooks
    ///
    /// Writes one folder per service. Files that slosmith did not generate stay as they are.
    #[command(after_long_help = examples::BUILD)]
    Build(build::BuildArgs),
    /// Rewrite specs that use fields of before
    ///
    /// Renames and moves fields that the language of specs has changed, and keeps comments and layout.
    #[command(after_long_help = examples::MIGRATE)]
    Migrate(migrate::MigrateArgs),
    /// Write one HTML preview per service, for review without Grafana
    ///
    /// A preview shows the dashboards with two days of simulated data, and lists the SLOs, alerts and metrics. For several
    /// services, `index.html` lists the previews.
    #[command(after_long_help = examples::PREVIEW)]
    Preview(preview::PreviewArgs),
    /// Check specs, rules and dashboards against recorded server metrics
    #[command(after_long_help = examples::LINT)]
    Lint(lint::LintArgs),
    /// Check files while you edit them (Language Server Protocol)
    #[command(after_long_help = examples::LSP)]
    Lsp(lsp::LspArgs),
    /// Show how a server upgrade affects metrics, rules and dashboards
    #[command(after_long_help = examples::DRIFT)]
    Drift(drift::DriftArgs),
    /// Show which alert conditions are true on a server right now
    ///
    /// For each true condition, shows the measured value, the first action and the runbook. Exit code 3: no condition is true, but some
    /// could not be checked.
    #[command(after_long_help = examples::HEALTH)]
    Health(health::HealthArgs),
    /// Show when alerts would have fired on your own history
    ///
    /// Asks the server for what the rules read, and evaluates them as they are now. Only reads.
    #[command(after_long_help = examples::BACKTEST)]
    Backtest(backtest::BacktestArgs),
    /// Suggest thresholds and objectives from your own history
    ///
    /// Chooses values on the first two thirds of the history, and checks them on the rest. Prints the changes as a diff of the specs.
    #[command(after_long_help = examples::SUGGEST)]
    Suggest(suggest::SuggestArgs),
    /// Check a load test result against the pass criteria of a spec
    #[command(after_long_help = examples::GATE)]
    Gate(gate::GateArgs),
    /// Plan and apply CloudWatch alarms and dashboards in an AWS account
    #[cfg(feature = "aws")]
    #[command(name = "cloudwatch")]
    CloudWatch(cloudwatch::CloudWatchArgs),
    /// Manage CloudWatch objects (needs a build with `--features aws`)
    #[cfg(not(feature = "aws"))]
    #[command(name = "cloudwatch", after_long_help = examples::CLOUDWATCH)]
    CloudWatch(NotBuilt),
    /// List services with their SLOs and alerts
    #[command(after_long_help = examples::LIST)]
    List(list::ListArgs),
    /// Show what a change of specs means for SLOs, alerts and pages
    #[command(after_long_help = examples::DIFF)]
    Diff(diff::DiffArgs),
    /// Explain a lint rule or a diagnostic code
    #[command(after_long_help = examples::EXPLAIN)]
    Explain(explain::ExplainArgs),
    /// Show which metrics each release of a server exposes
    Catalog(catalog::CatalogArgs),
    /// List the built-in signals that a spec can use
    #[command(after_long_help = examples::SIGNALS)]
    Signals(signals::SignalsArgs),
    /// Export the built-in templates, so that you can change them
    Templates(templates::TemplatesArgs),
    /// Print the JSON Schema of specs, for editors
    #[command(after_long_help = examples::SCHEMA)]
    Schema(schema::SchemaArgs),
    /// Check the project: configuration, specs, outputs and programs
    ///
    /// Exits with 1 if there is a problem. Warnings do not count.
    #[command(after_long_help = examples::DOCTOR)]
    Doctor(doctor::DoctorArgs),
    /// Print a shell completion script
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(completions::CompletionsArgs),
    /// Write manual pages
    #[command(after_long_help = examples::MAN)]
    Man(man::ManArgs),
}

/// The arguments of a command that this build does not have.
#[cfg(not(feature = "aws"))]
#[derive(Debug, clap::Args)]
struct NotBuilt {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _args: Vec<std::ffi::OsString>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned text
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// The format of what also goes into a comment on a pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Aligned text
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Markdown, for a comment on a pull request
    Markdown,
}

/// The command line as a user sees it.
pub fn command() -> clap::Command {
    help::grouped(Cli::command())
}

/// Runs the command line. [`help::EXIT_CODES`] lists the exit codes.
pub fn main() -> ExitCode {
    let pages = Pages::usual();
    let matches = command().get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => {
            cli.color.set();
            pages.suit(&cli.command);
            note_panics();
            let ran = caught(|| run(&cli, newer::configuration(&matches)));
            ran.unwrap_or_else(|why| {
                let _ = writeln!(Terminal::stderr(), "error: {}", one_line(&why));
                ExitCode::from(2)
            })
        }
        Err(error) => error.exit(),
    }
}

fn run(cli: &Cli, configuration: Option<&Path>) -> ExitCode {
    threads::start();
    let mut out = Terminal::stdout();
    let newer = match &cli.command {
        // `catalog update` must work with an unusable catalog: it replaces the catalog.
        Command::Catalog(args) if args.is_update() => newer::install(configuration).or(Ok(())),
        // These commands need no catalog. A shell that loads completions must not fail because of one.
        Command::Explain(_)
        | Command::Templates(_)
        | Command::Schema(_)
        | Command::Completions(_)
        | Command::Man(_) => Ok(()),
        _ => newer::install(configuration),
    };
    let done = newer.and_then(|()| dispatch(&cli.command, &mut out));
    let flushed = out
        .flush()
        .map_err(anyhow::Error::from)
        .or_else(unless_closed);
    match done.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) if closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // A write error cannot be reported: stderr is closed.
            let _ = writeln!(
                Terminal::stderr(),
                "error: {}",
                one_line(&format!("{error:#}"))
            );
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: &Command, out: &mut Terminal) -> anyhow::Result<u8> {
    match command {
        Command::Init(args) => init::run(args, out),
        Command::Build(args) => build::run(args, out),
        Command::Migrate(args) => migrate::run(args, out),
        Command::Preview(args) => preview::run(args, out),
        Command::Lint(args) => lint::run(args, out),
        Command::Lsp(args) => lsp::run(args),
        Command::Drift(args) => drift::run(args, out),
        Command::Health(args) => health::run(args, out),
        Command::Backtest(args) => backtest::run(args, out),
        Command::Suggest(args) => suggest::run(args, out),
        Command::Gate(args) => gate::run(args, out),
        Command::Import(args) => import::run(args, out),
        #[cfg(feature = "aws")]
        Command::CloudWatch(args) => cloudwatch::run(args, out),
        #[cfg(not(feature = "aws"))]
        Command::CloudWatch(_) => anyhow::bail!(
            "this build has no `cloudwatch` command; run `cargo install --locked --path . --features aws` in a clone of slosmith"
        ),
        Command::List(args) => list::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Catalog(args) => catalog::run(args, out),
        Command::Signals(args) => signals::run(args, out),
        Command::Templates(args) => templates::run(args, out),
        Command::Schema(args) => schema::run(args, out),
        Command::Doctor(args) => doctor::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
    }
}

/// A closed pipe does not change the result of a command.
fn unless_closed(error: anyhow::Error) -> anyhow::Result<()> {
    if closed(&error) { Ok(()) } else { Err(error) }
}

fn closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// When colours, links and box drawing are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal; `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR=0` override this
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    fn set(self) {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        match self {
            // The streams read the other variables; `NO_COLOR` has priority.
            Self::Auto if set("NO_COLOR").is_some() => {}
            Self::Auto if set("FORCE_COLOR").is_some_and(|value| value != "0") => {
                force_styles(true)
            }
            Self::Auto => {}
            Self::Always => force_styles(true),
            Self::Never => force_styles(false),
        }
    }
}

/// Memory comes in pages of the usual size, except where huge ones of 2 MiB are worth their room.
///
/// `lint` and `drift` may read a large file into many small values, and take a tenth less time with huge pages. A build
/// takes no less time with them, and half as much memory again: it works on many services, with little of each.
struct Pages {
    may_be_huge: bool,
}

impl Pages {
    fn usual() -> Self {
        Self {
            may_be_huge: may_be_huge() && set_huge(false),
        }
    }

    /// Selects huge pages for commands that gain by them, unless the parent process has disabled them.
    fn suit(&self, command: &Command) {
        let reads_much = matches!(command, Command::Lint(_) | Command::Drift(_));
        if self.may_be_huge && reads_much {
            set_huge(true);
        }
    }
}

#[cfg(target_os = "linux")]
fn may_be_huge() -> bool {
    rustix::thread::transparent_huge_pages_are_disabled() == Ok(false)
}

#[cfg(target_os = "linux")]
fn set_huge(huge: bool) -> bool {
    rustix::thread::disable_transparent_huge_pages(!huge).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn may_be_huge() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn set_huge(_: bool) -> bool {
    false
}
