//! The texts of several files, one behind the other, so that a place in all of them is a place in one.

use std::ops::Range;

use crate::source::{FileId, Span};

/// Texts of files; never empty.
#[derive(Clone, Debug)]
pub struct Joined {
    text: String,
    /// Each file and where its text begins, in order.
    files: Vec<(FileId, usize)>,
}

impl Joined {
    /// One file alone.
    pub fn one(file: FileId, text: &str) -> Self {
        Self {
            text: text.to_owned(),
            files: vec![(file, 0)],
        }
    }

    /// All bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first file.
    pub(super) fn first(&self) -> (FileId, &str) {
        let end = self.files.get(1).map_or(self.text.len(), |(_, at)| *at);
        (self.files[0].0, &self.text[..end])
    }

    /// A place as its file counts.
    pub fn span(&self, range: Range<usize>) -> Span {
        let index = self.files.partition_point(|(_, at)| *at <= range.start);
        let (file, base) = self.files[index.saturating_sub(1)];
        Span::new(file, range.start - base..range.end - base)
    }
}
