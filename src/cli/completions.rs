//! `slosmith completions`: shell completion scripts.

use std::io::Write;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;

/// Print a shell completion script
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to print the script for
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "slosmith", &mut script);
    out.write_all(&script)?;
    Ok(0)
}
