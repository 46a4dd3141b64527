//! The files that a spec extends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Document, environments, read_environment};
use crate::config;
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::input;
use slosmith_text::source::{FileId, Sources, Span};
use slosmith_text::yaml::{self, Node};

/// A spec in one of its environments, or as it is.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// What the spec extends, in order, and itself as the last.
    pub files: Vec<FileId>,
    pub environment: Option<String>,
}

impl Variant {
    pub fn file(&self) -> FileId {
        self.files.last().copied().unwrap_or_default()
    }

    pub fn read(&self, sources: &Sources) -> Result<Document, Sink> {
        read_environment(&self.texts(sources), self.environment.as_deref())
    }

    pub fn texts<'s>(&self, sources: &'s Sources) -> Vec<(FileId, &'s str)> {
        let files = self.files.iter();
        files
            .map(|file| (*file, sources.get(*file).text()))
            .collect()
    }
}

/// Files that specs extend, each read once in a run.
#[derive(Debug, Default)]
pub struct Bases {
    known: BTreeMap<PathBuf, FileId>,
    /// What is extended, whether it can be read or not.
    named: BTreeSet<PathBuf>,
}

impl Bases {
    /// Begins with the files that were read already.
    pub fn among(sources: &Sources) -> Self {
        let files = sources.iter();
        let known = files.map(|(id, file)| (config::plain(file.path()), id));
        Self {
            known: known.collect(),
            ..Self::default()
        }
    }

    /// The files that something extends, whether they exist or not.
    pub fn named(&self) -> impl Iterator<Item = &Path> {
        self.named.iter().map(PathBuf::as_path)
    }

    /// What is to be built of a file: a service in each environment, and nothing of a file of defaults or with an error.
    pub fn of_spec(
        &mut self,
        file: FileId,
        sources: &mut Sources,
        sink: &mut Sink,
    ) -> Vec<Variant> {
        if is_defaults(file, sources.get(file).text()) {
            return Vec::new();
        }
        let mut found = Sink::default();
        let files = self.of(file, sources, &mut found);
        let failed = found.has_errors();
        sink.absorb(found);
        if failed {
            return Vec::new();
        }
        let texts: Vec<_> = files.iter().map(|f| (*f, sources.get(*f).text())).collect();
        let variants = environments(&texts).into_iter().map(|environment| Variant {
            files: files.clone(),
            environment,
        });
        variants.collect()
    }

    /// The files that a spec is put together from: what it extends, in order, and itself as the last. A file that is
    /// reached twice counts once, where it is first.
    pub fn of(&mut self, spec: FileId, sources: &mut Sources, sink: &mut Sink) -> Vec<FileId> {
        let mut walk = Walk {
            bases: self,
            sources,
            sink,
            open: Vec::new(),
            found: Vec::new(),
        };
        walk.visit(spec);
        walk.found
    }
}

/// True for a file of `kind: defaults`, which is no spec by itself.
pub fn is_defaults(file: FileId, text: &str) -> bool {
    let kind = |root: Node<'_>| root.get("kind").and_then(Node::text).map(str::to_owned);
    // Most specs have neither word, and need not be parsed for this.
    text.contains("kind")
        && text.contains("defaults")
        && yaml::document(file, text).is_ok_and(|root| kind(root).as_deref() == Some("defaults"))
}

struct Walk<'a> {
    bases: &'a mut Bases,
    sources: &'a mut Sources,
    sink: &'a mut Sink,
    open: Vec<FileId>,
    found: Vec<FileId>,
}

impl Walk<'_> {
    fn visit(&mut self, file: FileId) {
        self.open.push(file);
        for (path, span) in extended(file, self.sources.get(file).text()) {
            match self.base(file, &path, span) {
                Ok(base) if self.found.contains(&base) => {}
                Ok(base) => self.visit(base),
                Err(error) => self.sink.push(error),
            }
        }
        self.open.pop();
        self.found.push(file);
    }

    fn base(&mut self, from: FileId, path: &str, span: Span) -> Result<FileId, Diagnostic> {
        let error = |code, message: String| Diagnostic::error(code, span, message);
        let from = self.sources.get(from).path().to_owned();
        let folder = from.parent().unwrap_or(Path::new(""));
        if Path::new(path).is_absolute() {
            let message = format!("`extends` must be a relative path; found `{path}`");
            return Err(error("outside-project", message));
        }
        let whole = config::plain(&folder.join(path));
        self.bases.named.insert(whole.clone());
        let file = match self.bases.known.get(&whole) {
            Some(file) => *file,
            None => {
                if !input::is_file(&whole) {
                    let message = format!("file `{}` does not exist", whole.display());
                    let error = error("missing-file", message);
                    return Err(error.help("paths in `extends` are relative to this file"));
                }
                if !input::is_in_project(&from, &whole) {
                    let message = format!("`{path}` is outside the project");
                    let error = error("outside-project", message);
                    return Err(error
                        .help("use a file inside the project; symbolic links must not lead out of the project"));
                }
                let bytes = input::read(&whole, input::ARTIFACT).map_err(|why| {
                    let message = format!("`{}` cannot be read: {why}", whole.display());
                    error("missing-file", message)
                })?;
                let file = yaml::decode(&whole, bytes, self.sources)?;
                self.bases.known.insert(whole, file);
                file
            }
        };
        if self.open.contains(&file) {
            let name = |file: &FileId| self.sources.get(*file).path().display().to_string();
            let first = self.open.iter().position(|open| *open == file).unwrap_or(0);
            let circle: Vec<_> = self.open[first..].iter().chain([&file]).map(name).collect();
            let message = format!("a file extends itself: `{}`", circle.join("` → `"));
            return Err(error("cyclic-reference", message));
        }
        Ok(file)
    }
}

/// The files in `extends` of a file. The reader of the file reports a wrong shape.
fn extended(file: FileId, text: &str) -> Vec<(String, Span)> {
    if !text.contains("extends") {
        return Vec::new();
    }
    let Ok(root) = yaml::document(file, text) else {
        return Vec::new();
    };
    let Some(value) = root.get("extends") else {
        return Vec::new();
    };
    let items = value.items().iter().chain(std::iter::once(value));
    let names = items.filter_map(|item| {
        let span = Span::new(file, item.range());
        Some((item.text()?.to_owned(), span))
    });
    names.collect()
}
