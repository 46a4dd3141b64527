//! Places in files: every value and every finding can say where it is.
//!
//! ```
//! use slosmith_text::source::{SourceFile, Sources, Span};
//!
//! let mut sources = Sources::default();
//! let file = sources.add(SourceFile::new("a.yaml", "expr: up\n"));
//! let span = Span::new(file, 6..8);
//! assert_eq!(&sources.get(file).text()[span.range()], "up");
//! let place = sources.get(file).line_col(6);
//! assert_eq!((place.line, place.col), (1, 7));
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};

pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, behind) = match memchr::memchr(b'\n', text.as_bytes()) {
            Some(end) => (&text[..end], &text[end + 1..]),
            None => (text, ""),
        };
        rest = Some(behind).filter(|behind| !behind.is_empty());
        Some(line)
    })
}

/// The fewest blanks in front of a line that has more than blanks.
pub fn common_indent(text: &str) -> usize {
    let full = text.lines().filter(|line| !line.trim().is_empty());
    let blanks = full.map(|line| line.len() - line.trim_start_matches(' ').len());
    blanks.min().unwrap_or(0)
}

/// True when each byte is one of these. There is no way out of the inner loop, which then takes many bytes at once.
pub fn holds_only(text: &str, these: impl Fn(u8) -> bool) -> bool {
    let mut parts = text.as_bytes().chunks(256);
    parts.all(|part| part.iter().fold(true, |all, b| all & these(*b)))
}

/// For each byte whether it is an ASCII letter or digit, or one of these signs: words are long, and looked through often.
pub const fn word_bytes(signs: &[u8]) -> [bool; 256] {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 0x80_u8 {
        bytes[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < signs.len() {
        bytes[signs[at] as usize] = true;
        at += 1;
    }
    bytes
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            file,
            start: clamp(range.start),
            end: clamp(range.end),
        }
    }

    /// The bytes as a range for slicing the file's text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and the place it was read from.
///
/// Two spanned values are equal when their values are: places never decide meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

/// The same as without the place.
impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T> Spanned<T> {
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(f(self.value), self.span)
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: std::hash::Hash> std::hash::Hash for Spanned<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

/// Lets a map keyed by spanned names be asked by name.
impl std::borrow::Borrow<str> for Spanned<String> {
    fn borrow(&self) -> &str {
        &self.value
    }
}

impl<T: PartialOrd> PartialOrd for Spanned<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord> Ord for Spanned<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A line and column as people count them: both from 1, columns in Unicode characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCol {
    pub line: usize,
    pub col: usize,
}

/// Bytes of the byte order mark that a text begins with, or 0. It belongs to no line and to no value.
pub fn mark_len(text: &str) -> usize {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) {
        MARK.len_utf8()
    } else {
        0
    }
}

#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
    /// Made when it is first asked for: most files have nothing to point at.
    index: OnceLock<Index>,
}

impl SourceFile {
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
            index: OnceLock::new(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end counts as the end, and one in the byte
    /// order mark as the place behind it.
    pub fn line_col(&self, offset: usize) -> LineCol {
        let mut offset = offset.clamp(mark_len(&self.text), self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let index = self.index();
        let line = index.line(offset);
        let start = index.lines[line - 1];
        LineCol {
            line,
            col: index.chars(&self.text, offset) - index.chars(&self.text, start) + 1,
        }
    }

    pub fn line(&self, offset: usize) -> Range<usize> {
        let index = self.index();
        let line = index.line(offset);
        let end = index.lines.get(line).copied();
        index.lines[line - 1]..end.unwrap_or(self.text.len())
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.text))
    }
}

/// Bytes between two counts of characters.
const STRIDE: usize = 256;

/// Where lines start and how many characters are before a byte: a column costs the same however long
/// its line is.
#[derive(Debug)]
struct Index {
    lines: Vec<usize>,
    /// How many characters begin before each `STRIDE`th byte.
    chars: Vec<usize>,
}

impl Index {
    fn of(text: &str) -> Self {
        let mut lines = vec![mark_len(text)];
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        lines.extend(ends.map(|(at, _)| at + 1));
        let mut count = 0;
        let chars = text.as_bytes().chunks(STRIDE).map(|chunk| {
            let before = count;
            count += begun(chunk);
            before
        });
        let mut chars: Vec<_> = chars.collect();
        chars.push(count);
        Self { lines, chars }
    }

    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset).max(1)
    }

    /// How many characters begin before `offset`.
    fn chars(&self, text: &str, offset: usize) -> usize {
        let full = offset / STRIDE;
        self.chars[full] + begun(&text.as_bytes()[full * STRIDE..offset])
    }
}

/// How many characters begin in some bytes of a text.
fn begun(bytes: &[u8]) -> usize {
    let continues = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    bytes.len() - bytes.iter().filter(continues).count()
}

#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub fn add(&mut self, file: SourceFile) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(file);
        id
    }

    pub fn forget(&mut self, id: FileId) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            *file = SourceFile::new(std::mem::take(&mut file.path), "");
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let file = SourceFile::new("x", "aé\nb");
        assert_eq!(file.line_col(3), LineCol { line: 1, col: 3 });
        assert_eq!(file.line_col(4), LineCol { line: 2, col: 1 });
        assert_eq!(file.line_col(99), LineCol { line: 2, col: 2 });
        assert_eq!(file.line_col(2), LineCol { line: 1, col: 2 });
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        let file = SourceFile::new("x", "\u{feff}é\nb");
        for (offset, line, col) in [(0, 1, 1), (1, 1, 1), (3, 1, 1), (5, 1, 2), (6, 2, 1)] {
            assert_eq!(file.line_col(offset), LineCol { line, col }, "{offset}");
        }
        let only = SourceFile::new("x", "\u{feff}");
        assert_eq!(only.line_col(0), LineCol { line: 1, col: 1 });
    }

    #[test]
    fn the_index_agrees_with_counting() {
        let text = format!("{}\n{}\n", "aé😀".repeat(300), "x".repeat(STRIDE));
        let file = SourceFile::new("x", text.as_str());
        for (offset, _) in text.char_indices() {
            let before = &text[..offset];
            let start = before.rfind('\n').map_or(0, |n| n + 1);
            let line = before.matches('\n').count() + 1;
            let col = before[start..].chars().count() + 1;
            assert_eq!(file.line_col(offset), LineCol { line, col });
        }
    }
}
