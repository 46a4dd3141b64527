//! `slosmith schema`: the JSON Schema of specs, for editors.

use std::io::Write;

use anyhow::Result;

pub fn run(out: &mut dyn Write) -> Result<u8> {
    out.write_all(crate::library::json_schema().as_bytes())?;
    Ok(0)
}
