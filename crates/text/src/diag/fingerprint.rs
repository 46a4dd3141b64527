//! Names for findings that outlive edits elsewhere in the file.

use std::collections::BTreeMap;
use std::path::Path;

use super::Diagnostic;
use super::render::place;
use crate::source::Sources;

/// The name of this way to make fingerprints; a new way gets a new name.
pub const SCHEME: &str = "slosmith/v1";

/// One fingerprint per finding, in the order of the findings.
///
/// It is made from the rule, the file's path relative to `root` and the text of the place, so it stays
/// when lines move. Equal ones are counted in order: fixing the first of two makes the second the first.
pub fn of(diagnostics: &[Diagnostic], sources: &Sources, root: Option<&Path>) -> Vec<String> {
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let mut one = |d: &Diagnostic| {
        let file = sources.get(d.span.file);
        let path = place::path(file.path(), root);
        let text = &file.text()[place::clamp(file, d.span)];
        let hash = hash([d.code, &path, text]);
        let count = seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:016x}:{count}")
    };
    diagnostics.iter().map(&mut one).collect()
}

/// FNV-1a of 64 bits. The standard library's hash may differ between releases of the compiler.
fn hash(parts: [&str; 3]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    for part in parts {
        part.bytes().for_each(&mut add);
        // No text holds this byte, so parts cannot run into each other.
        add(0xff);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceFile, Span};

    fn prints(text: &str, words: &[&str]) -> Vec<String> {
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new("/w/a.yaml", text));
        let find = |word: &&str| {
            let at = text.find(*word).expect("the word stands in the text");
            Diagnostic::error("bad", Span::new(file, at..at + 1), "no")
        };
        let found: Vec<_> = words.iter().map(find).collect();
        of(&found, &sources, Some(Path::new("/w")))
    }

    #[test]
    fn lines_may_move_but_texts_may_not_change() {
        let before = prints("a1\nb\n", &["a", "b"]);
        assert_eq!(before, prints("x\n\nb\n a2\n", &["a", "b"]));
        assert_ne!(before[0], before[1]);
        // Committed baselines hold these, so they may never change under the same scheme.
        assert_eq!(before[0], "8ea87c9f5bc621a6:1");
    }

    #[test]
    fn equal_places_are_counted() {
        let found = prints("a1 a2 a3", &["a1", "a2", "a3"]);
        let numbers: Vec<_> = found.iter().filter_map(|f| f.split(':').nth(1)).collect();
        assert_eq!(numbers, ["1", "2", "3"]);
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(hash(["ab", "c", ""]), hash(["a", "bc", ""]));
        assert_eq!(hash(["", "", ""]), hash(["", "", ""]));
    }
}
