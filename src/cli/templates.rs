//! `slosmith templates`: exports the built-in templates.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::examples;
use slosmith_render::output::Writer;
use slosmith_render::template::built_in;
use slosmith_text::diag::did_you_mean;

/// Export the built-in templates, so that you can change them
#[derive(Debug, Args)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write built-in templates to a folder, for `--templates`
    #[command(after_long_help = examples::TEMPLATES_EXPORT)]
    Export {
        /// Folder to write to. Existing files are never overwritten
        folder: PathBuf,
        /// Templates such as `prometheus/rules.yaml`. Default: all
        names: Vec<String>,
    },
}

pub fn run(args: &TemplatesArgs, out: &mut dyn Write) -> Result<u8> {
    let Command::Export { folder, names } = &args.command;
    for name in names {
        if !built_in().any(|(known, _)| known == name) {
            let help = did_you_mean(name, built_in().map(|(known, _)| known));
            let help = help.map(|help| format!(": {help}")).unwrap_or_default();
            bail!("unknown template `{name}`{help}");
        }
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let chosen = || built_in().filter(|(name, _)| wanted(name));
    for (name, _) in chosen() {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            bail!(
                "{}: file already exists; nothing was written",
                path.display()
            );
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
