//! Our own source as text: without comments, strings and tests, so that words in them count for nothing.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// One file of one of our crates.
pub(super) struct File {
    /// The folder of the crate's sources: `src`, `crates/plan/src`.
    pub(super) root: String,
    /// Path below it, with `/`.
    pub(super) path: String,
    /// The file as it is.
    pub(super) text: String,
    /// The same number of lines without test modules, with comments and literals blanked out.
    pub(super) shipped: String,
}

impl File {
    /// Path below the repository.
    pub(super) fn place(&self) -> String {
        format!("{}/{}", self.root, self.path)
    }
}

/// Every file of our crates, crate by crate; read once for all walls.
pub(super) fn files() -> &'static [File] {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
        let roots = roots().into_iter();
        roots.flat_map(read).collect()
    });
    &FILES
}

/// The folders of sources: one of the command, one of each crate beside it.
pub(crate) fn roots() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let entries = std::fs::read_dir(crates).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let crates = names.map(|name| format!("crates/{}/src", name.to_string_lossy()));
    let mut roots: Vec<_> = std::iter::once("src".to_owned()).chain(crates).collect();
    roots.sort();
    roots
}

/// The files below a folder of sources.
fn read(root: String) -> Vec<File> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join(&root);
    let mut paths = Vec::new();
    collect(&top, &mut paths);
    paths.sort();
    let file = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("source is text");
        let path = path.strip_prefix(&top).expect("below the root");
        let path = path.to_str().expect("UTF-8").replace('\\', "/");
        let is_test = path.split('/').any(|p| p == "tests.rs" || p == "tests");
        let shipped = if is_test {
            String::new()
        } else {
            without_tests(&blank(&text))
        };
        File {
            root: root.clone(),
            path,
            text,
            shipped,
        }
    };
    paths.into_iter().map(file).collect()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Replaces comments, strings and characters by spaces; lines stay where they are.
pub(super) fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_word = false;
    while let Some(c) = rest.chars().next() {
        let skip = if in_word { 0 } else { literal(rest) };
        let skip = skip.max(comment(rest)).max(quoted(rest));
        let (taken, after) = rest.split_at(skip.max(c.len_utf8()));
        if skip > 0 {
            out.extend(taken.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(taken);
        }
        in_word = c.is_alphanumeric() || c == '_';
        rest = after;
    }
    out
}

/// Length of the comment that `text` begins with, or 0.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if !text.starts_with("/*") {
        return 0;
    }
    let mut open = 0_usize;
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        match &bytes[at..bytes.len().min(at + 2)] {
            b"/*" => open += 1,
            b"*/" if open == 1 => return at + 2,
            b"*/" => open -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the string or character that `text` begins with, or 0; a lifetime is none.
fn quoted(text: &str) -> usize {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return 0;
    };
    let inner = &text[1..];
    let first = inner.chars().next().unwrap_or(' ');
    if quote == '\'' && first != '\\' && !inner[first.len_utf8()..].starts_with('\'') {
        return 0;
    }
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 2,
            _ => {}
        }
    }
    text.len()
}

/// Length of the raw string that `text` begins with, or 0.
fn literal(text: &str) -> usize {
    let after = text.strip_prefix('b').unwrap_or(text);
    let Some(after) = after.strip_prefix('r') else {
        return 0;
    };
    let hashes = after.len() - after.trim_start_matches('#').len();
    let Some(inner) = after[hashes..].strip_prefix('"') else {
        return 0;
    };
    let end = format!("\"{}", "#".repeat(hashes));
    let head = text.len() - inner.len();
    inner
        .find(&end)
        .map_or(text.len(), |at| head + at + end.len())
}

/// Cuts out what follows `#[cfg(test)]`, braces and all; lines stay where they are.
fn without_tests(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let end = at + item_end(&rest[at..]);
        out.extend(rest[at..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    out + rest
}

/// Where the item that `code` begins with ends: at its closing brace, or at a `;` before any brace.
fn item_end(code: &str) -> usize {
    let mut open = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 1 => return at + 1,
            '}' => open -= 1,
            ';' if open == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}
