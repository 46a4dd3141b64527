//! Files for `--out`.

use std::path::Path;

use anyhow::{Context, Result};
use slosmith_render::output::Writer;

/// Writes a report to a file instead of standard output.
pub(super) fn put(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let written = Writer::within(vec![folder]).put(path, text);
    written.with_context(|| format!("`--out`: {}", path.display()))
}
