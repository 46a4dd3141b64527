//! Known findings: reads and writes the baseline file.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{Job, count};
use crate::cli::terminal::Terminal;
use slosmith_lint::lint::suppress::baseline::{self, Baseline};
use slosmith_render::output::Writer;
use slosmith_spec::config::plain;
use slosmith_text::diag::Diagnostic;
use slosmith_text::diag::render::place;
use slosmith_text::input;
use slosmith_text::source::{SourceFile, Spanned};

use super::input::Loaded;

impl Job<'_> {
    pub(super) fn baseline(&self, found: Vec<Diagnostic>, loaded: &mut Loaded) -> Vec<Diagnostic> {
        let Some(named) = &self.config.baseline else {
            return found;
        };
        let text = match self.known(named) {
            Ok(Some(text)) => text,
            Ok(None) => return found,
            Err(fault) => {
                loaded.unreadable = true;
                return found.into_iter().chain([fault]).collect();
            }
        };
        match Baseline::read(&text) {
            Ok(baseline) => {
                let file = loaded.sources.add(SourceFile::new(&named.value, text));
                let linted = |path: &str| loaded.shows(path, self.root);
                baseline.apply(found, &loaded.sources, Some(self.root), file, &linted)
            }
            Err(why) => {
                let fault = self.fault(named, &why.to_string());
                loaded.unreadable = true;
                found.into_iter().chain([fault]).collect()
            }
        }
    }

    /// Writes all findings to the baseline; returns an error if it must not be written.
    pub(super) fn write_baseline(
        &self,
        found: &[Diagnostic],
        loaded: &Loaded,
    ) -> Result<Option<Diagnostic>> {
        let Some(named) = &self.config.baseline else {
            bail!("`--write-baseline`: set `baseline` in slosmith.toml to the file to write");
        };
        if loaded.unknown {
            bail!(
                "the baseline was not written: some files cannot be read, so their findings are unknown; make them readable or exclude them"
            );
        }
        let old = match self.known(named) {
            Ok(old) => old,
            Err(fault) => return Ok(Some(fault)),
        };
        if let Some(text) = &old
            && !baseline::is_ours(text)
        {
            let why = "this file is not a baseline and was not overwritten";
            let fault = self.fault(named, why);
            return Ok(Some(
                fault.help("set `baseline` to another file, or remove this file"),
            ));
        }
        let mut baseline = Baseline::of(found, &loaded.sources, Some(self.root));
        // A baseline of another version cannot be compared.
        if let Some(Ok(known)) = old.as_deref().map(Baseline::read) {
            let exists =
                |path: &str| self.root.join(path).exists() || self.here.join(path).exists();
            let linted = |path: &str| loaded.looked_at(path, self.root) || !exists(path);
            baseline = baseline.keeping(known, &linted);
        }
        let text = baseline.to_json();
        let path = &named.value;
        let writer = Writer::within(vec![self.root.to_owned()]);
        writer.replace(path, old.as_deref(), &text)?;
        let said = count(baseline.count(), "finding");
        writeln!(Terminal::stderr(), "{}: {said}", path.display())?;
        Ok(None)
    }

    fn known(&self, named: &Spanned<PathBuf>) -> Result<Option<String>, Diagnostic> {
        let path = self.here.join(&named.value);
        if !lies_in(&path, self.root) {
            let why = "the baseline must be in or below the folder of slosmith.toml";
            return Err(self.fault(named, why));
        }
        match input::read_text(&path, input::BASELINE) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(named, &error.to_string())),
        }
    }

    /// A finding at `baseline` in the configuration. The text of the file is never shown: it may be any file.
    fn fault(&self, named: &Spanned<PathBuf>, why: &str) -> Diagnostic {
        let path = place::path(&named.value, Some(self.here));
        Diagnostic::error("invalid-baseline", named.span, format!("{path}: {why}"))
    }
}

/// True when neither the path nor a link on it leads out of a folder.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let parent = || real(path.parent()?);
    let found = real(path).or_else(parent);
    let stays = || Some(found?.starts_with(real(folder)?));
    plain(path).starts_with(plain(folder)) && stays().unwrap_or(true)
}
