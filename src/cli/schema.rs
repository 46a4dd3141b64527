//! `slosmith schema`: the JSON Schema of specs, for editors.

use std::io::Write;

use anyhow::Result;
use clap::Args;

use slosmith_spec::library::{beta_schema, json_schema};

/// Print the JSON Schema of specs, for editors
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The schema of the second document, of `slosmith/v1beta1`
    #[arg(long)]
    beta: bool,
}

pub fn run(args: &SchemaArgs, out: &mut dyn Write) -> Result<u8> {
    let schema = match args.beta {
        true => beta_schema(),
        false => json_schema(),
    };
    out.write_all(schema.as_bytes())?;
    Ok(0)
}
