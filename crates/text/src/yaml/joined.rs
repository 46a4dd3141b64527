//! The texts of several files, one behind the other, so that a place in all of them is a place in one.

use std::ops::Range;

use crate::source::{FileId, Span};

#[derive(Clone, Debug, Default)]
pub struct Joined {
    text: String,
    files: Vec<(FileId, Range<usize>)>,
}

impl Joined {
    pub fn one(file: FileId, text: &str) -> Self {
        Self::of(&[(file, text)])
    }

    /// Several files; a line ends between two.
    pub fn of(parts: &[(FileId, &str)]) -> Self {
        let mut joined = Self::default();
        for (file, text) in parts {
            if !joined.files.is_empty() {
                joined.text.push('\n');
            }
            let start = joined.text.len();
            joined.text.push_str(text);
            joined.files.push((*file, start..joined.text.len()));
        }
        joined
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &str)> {
        let files = self.files.iter();
        files.map(|(file, range)| (*file, &self.text[range.clone()]))
    }

    pub fn text_of(&self, file: FileId) -> Option<&str> {
        self.files()
            .find(|(id, _)| *id == file)
            .map(|(_, text)| text)
    }

    /// A place as its file counts.
    pub fn span(&self, range: Range<usize>) -> Span {
        let index = self
            .files
            .partition_point(|(_, at)| at.start <= range.start);
        let (file, base) = match self.files.get(index.saturating_sub(1)) {
            Some((file, at)) => (*file, at.start),
            None => return Span::default(),
        };
        Span::new(file, range.start - base..range.end.max(range.start) - base)
    }

    pub fn range(&self, span: Span) -> Range<usize> {
        let base = self.files.iter().find(|(file, _)| *file == span.file);
        let base = base.map_or(0, |(_, at)| at.start);
        span.range().start + base..span.range().end + base
    }
}
