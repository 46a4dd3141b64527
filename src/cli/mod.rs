//! The command line: one file per subcommand. Only this module prints.
//!
//! `slosmith lint rules/ --format json` is parsed into [`Cli`] and runs [`lint::run`], which writes the report to standard
//! output, words for people to standard error, and gives the exit code.

pub mod build;
pub mod catalog;
#[cfg(feature = "aws")]
pub mod cloudwatch;
pub mod color;
pub mod completions;
mod configuration;
pub mod doctor;
pub mod drift;
mod examples;
pub mod explain;
mod findings;
pub mod gate;
pub mod health;
pub mod import;
pub mod init;
pub mod lint;
pub mod lsp;
pub mod man;
mod memory;
mod newer;
mod page;
mod plan;
pub mod preview;
mod read;
pub mod schema;
pub mod signals;
mod table;
pub mod templates;
pub mod terminal;
mod threads;
mod watch;
mod words;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use memory::Pages;
use terminal::Terminal;

/// Compiles SLO specs, and checks queries against recorded vLLM metrics.
#[derive(Debug, Parser)]
#[command(name = "slosmith", version, arg_required_else_help = true)]
pub struct Cli {
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    color: color::Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the first files of a project: a configuration, a spec and a CI file
    #[command(after_long_help = examples::INIT)]
    Init(init::InitArgs),
    /// Turn what other tools have into specs: sloth, OpenSLO, Pyrra, alerting rules, Grafana dashboards
    Import(import::ImportArgs),
    /// Compile specs into Prometheus rules, dashboards, alarms and runbooks
    #[command(after_long_help = examples::BUILD)]
    Build(build::BuildArgs),
    /// Write one HTML page per service, for reviewers without Grafana
    #[command(after_long_help = examples::PREVIEW)]
    Preview(preview::PreviewArgs),
    /// Check specs, rules and dashboards against recorded vLLM metrics
    #[command(after_long_help = examples::LINT)]
    Lint(lint::LintArgs),
    /// Check files while you edit them, in editors with the Language Server Protocol
    #[command(after_long_help = examples::LSP)]
    Lsp(lsp::LspArgs),
    /// Show how a vLLM upgrade affects metrics and the files that query them
    #[command(after_long_help = examples::DRIFT)]
    Drift(drift::DriftArgs),
    /// Show which conditions of a spec hold on a server's metrics page
    #[command(after_long_help = examples::HEALTH)]
    Health(health::HealthArgs),
    /// Check the result of a load test against the criteria of a spec
    #[command(after_long_help = examples::GATE)]
    Gate(gate::GateArgs),
    /// Show and make the changes that an AWS account needs to match specs
    #[cfg(feature = "aws")]
    #[command(name = "cloudwatch")]
    CloudWatch(cloudwatch::CloudWatchArgs),
    /// Explain what a lint rule checks, and why
    #[command(after_long_help = examples::EXPLAIN)]
    Explain(explain::ExplainArgs),
    /// Show which metrics each vLLM release serves
    Catalog(catalog::CatalogArgs),
    /// List the signals that a spec can name without declaring them
    #[command(after_long_help = examples::SIGNALS)]
    Signals(signals::SignalsArgs),
    /// Export the built-in templates, so that you can change them
    Templates(templates::TemplatesArgs),
    /// Print the JSON Schema of specs, for editors
    #[command(after_long_help = examples::SCHEMA)]
    Schema,
    /// Check the set-up of a project: configuration, specs, generated files, programs
    #[command(after_long_help = examples::DOCTOR)]
    Doctor(doctor::DoctorArgs),
    /// Print a script with which a shell completes commands and options
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(completions::CompletionsArgs),
    /// Write manual pages
    #[command(after_long_help = examples::MAN)]
    Man(man::ManArgs),
}

/// How a view is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned text
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// Runs the command line; 2 is the exit code of everything that could not be done.
pub fn main() -> ExitCode {
    let pages = Pages::usual();
    let matches = Cli::command().get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => {
            cli.color.set();
            pages.suit(&cli.command);
            run(&cli, newer::configuration(&matches))
        }
        Err(error) => error.exit(),
    }
}

fn run(cli: &Cli, configuration: Option<&Path>) -> ExitCode {
    threads::start();
    let mut out = Terminal::stdout();
    let newer = match &cli.command {
        // It replaces a catalog that cannot be used.
        Command::Catalog(args) if args.is_update() => newer::install(configuration).or(Ok(())),
        // They ask no catalog, and a shell that starts must not fail because of one.
        Command::Explain(_)
        | Command::Templates(_)
        | Command::Schema
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
            // There is nowhere left to report that stderr is gone.
            let _ = writeln!(Terminal::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: &Command, out: &mut Terminal) -> anyhow::Result<u8> {
    match command {
        Command::Init(args) => init::run(args, out),
        Command::Build(args) => build::run(args, out),
        Command::Preview(args) => preview::run(args, out),
        Command::Lint(args) => lint::run(args, out),
        Command::Lsp(args) => lsp::run(args),
        Command::Drift(args) => drift::run(args, out),
        Command::Health(args) => health::run(args, out),
        Command::Gate(args) => gate::run(args, out),
        Command::Import(args) => import::run(args, out),
        #[cfg(feature = "aws")]
        Command::CloudWatch(args) => cloudwatch::run(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Catalog(args) => catalog::run(args, out),
        Command::Signals(args) => signals::run(args, out),
        Command::Templates(args) => templates::run(args, out),
        Command::Schema => schema::run(out),
        Command::Doctor(args) => doctor::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
    }
}

/// What was found does not change because nobody reads on.
fn unless_closed(error: anyhow::Error) -> anyhow::Result<()> {
    if closed(&error) { Ok(()) } else { Err(error) }
}

/// The reader of a pipe went away: nobody wants the rest.
fn closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}
