//! `slosmith man`: manual pages, one for each command.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::Cli;
use slosmith_render::output::Writer;

/// Write manual pages
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Output folder, such as `~/.local/share/man/man1`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(args: &ManArgs, out: &mut dyn Write) -> Result<u8> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    gather(command, &mut pages);
    let writer = Writer::within(vec![args.folder.clone()]);
    for page in pages {
        let path = args.folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text)?;
        // The text after the options of a command is its examples.
        let text = String::from_utf8_lossy(&text).replace(".SH EXTRA\nExamples:", ".SH EXAMPLES");
        writer.put(&path, &text)?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(0)
}

fn gather(command: Command, pages: &mut Vec<Man>) {
    for inner in command.get_subcommands() {
        gather(inner.clone(), pages);
    }
    pages.push(Man::new(command));
}
