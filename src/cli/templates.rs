//! `slosmith templates`: our templates, for people who change them.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::examples;
use crate::diag::did_you_mean;
use crate::output::Writer;
use crate::template::built_in;

/// Work with templates
#[derive(Debug, Args)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Export built-in templates to a folder, for use with `--templates`
    #[command(after_long_help = examples::TEMPLATES_EXPORT)]
    Export {
        /// Where to write them; existing files are not overwritten
        folder: PathBuf,
        /// Templates such as `prometheus/rules.yaml`. Default: all
        names: Vec<String>,
    },
}

/// Runs `slosmith templates`.
///
/// # Errors
/// When a name is unknown, a file is in the way, or writing fails.
pub fn run(args: &TemplatesArgs, out: &mut dyn Write) -> Result<u8> {
    let Command::Export { folder, names } = &args.command;
    for name in names {
        if !built_in().any(|(known, _)| known == name) {
            let help = did_you_mean(name, built_in().map(|(known, _)| known));
            let help = help.map(|help| format!(": {help}")).unwrap_or_default();
            bail!("there is no template `{name}`{help}");
        }
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let chosen = || built_in().filter(|(name, _)| wanted(name));
    for (name, _) in chosen() {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            bail!("{}: the file exists; nothing was written", path.display());
        }
    }
    let writer = Writer::within(vec![folder.clone()]);
    for (name, text) in chosen() {
        let path = folder.join(name);
        writer.put(&path, text)?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(0)
}
