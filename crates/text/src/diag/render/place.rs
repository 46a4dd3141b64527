//! Paths and places as every machine-readable format writes them.

use std::ops::Range;
use std::path::{Component, Path};

use crate::source::{SourceFile, Span, mark_len};

/// A path relative to `root` where it lies below it, with `/` between its parts and without `.`.
pub fn path(path: &Path, root: Option<&Path>) -> String {
    let below = root.and_then(|root| path.strip_prefix(root).ok());
    let mut out = String::new();
    for part in below.unwrap_or(path).components() {
        match part {
            Component::CurDir => continue,
            Component::RootDir => out.push('/'),
            part => {
                if !out.is_empty() && !out.ends_with('/') {
                    out.push('/');
                }
                out.push_str(&part.as_os_str().to_string_lossy());
            }
        }
    }
    out
}

/// The bytes of a span that are there, with whole characters and without the byte order mark: a span of
/// another text must not stop a report.
pub fn clamp(file: &SourceFile, span: Span) -> Range<usize> {
    let (first, len) = (mark_len(file.text()), file.text().len());
    let start = floor(file.text(), span.range().start.clamp(first, len));
    start..floor(file.text(), span.range().end.clamp(start, len))
}

/// The nearest boundary between characters, at or before `at`.
pub(super) fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn paths_are_relative_to_the_root() {
        let shown = |p: &str| path(Path::new(p), Some(Path::new("/w/x")));
        assert_eq!(shown("/w/x/a/b.yaml"), "a/b.yaml");
        assert_eq!(shown("./a/./b.yaml"), "a/b.yaml");
        assert_eq!(shown("../b.yaml"), "../b.yaml");
        assert_eq!(shown("/w/y.yaml"), "/w/y.yaml");
        assert_eq!(path(Path::new("/a"), None), "/a");
    }

    #[cfg(unix)]
    #[test]
    fn paths_that_are_no_text_are_shown_anyway() {
        use std::os::unix::ffi::OsStrExt;
        let odd = std::ffi::OsStr::from_bytes(b"a/\xff.yaml");
        assert_eq!(path(Path::new(odd), None), "a/\u{fffd}.yaml");
    }

    #[test]
    fn places_survive_any_span() {
        let file = SourceFile::new("x", "\u{feff}é\n");
        assert_eq!(clamp(&file, Span::new(FileId(0), 4..99)), 3..6);
        assert_eq!(clamp(&file, Span::new(FileId(0), 0..0)), 3..3);
        assert_eq!(clamp(&file, Span::new(FileId(0), 0..5)), 3..5);
    }
}
