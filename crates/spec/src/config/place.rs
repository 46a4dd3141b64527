//! Places in the file.

use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};

use toml::Spanned as At;

use slosmith_text::source::{FileId, Span, Spanned};

/// Turns values with TOML's places into values with ours.
pub(super) struct Place<'a> {
    pub(super) file: FileId,
    pub(super) folder: &'a Path,
}

impl Place<'_> {
    pub(super) fn span(&self, bytes: Bytes<usize>) -> Span {
        Span::new(self.file, bytes)
    }

    pub(super) fn here<T>(&self, at: At<T>) -> Spanned<T> {
        let span = self.span(at.span());
        Spanned::new(at.into_inner(), span)
    }

    pub(super) fn all(&self, list: Vec<At<String>>) -> Vec<Spanned<String>> {
        list.into_iter().map(|at| self.here(at)).collect()
    }

    pub(super) fn path(&self, at: At<PathBuf>) -> Spanned<PathBuf> {
        self.here(at).map(|path| self.folder.join(path))
    }
}
