//! The content of the input files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::cli::build::input as specs;
use crate::cli::read;
use slosmith_render::output::Digest;
use slosmith_spec::spec::Bases;
use slosmith_text::diag::Sink;
use slosmith_text::input;
use slosmith_text::source::Sources;

pub(in crate::cli) enum Place {
    File(PathBuf),
    Folder(PathBuf),
    Specs(PathBuf),
    /// The specs that a path or glob names, from a folder.
    Named(PathBuf, String),
}

/// The files that are read, and the folders in which they, or new ones, may change.
#[derive(Default)]
pub(super) struct Look {
    pub(super) files: BTreeMap<PathBuf, Digest>,
    /// Their true names: no link is among them.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl Look {
    pub(super) fn at(places: &[Place]) -> Self {
        let mut look = Self::default();
        let mut found = BTreeSet::new();
        for place in places {
            match place {
                Place::File(path) => look.file(path),
                Place::Folder(path) => look.tree(path).iter().for_each(|file| look.file(file)),
                Place::Specs(path) => {
                    look.tree(path);
                    found.extend(specs::specs_under(path).unwrap_or_default());
                }
                Place::Named(root, named) => {
                    look.tree(&specs::start(root, named));
                    let named = specs::matching(root, named).unwrap_or_default();
                    for path in named {
                        look.tree(&path);
                        found.extend(specs::specs_under(&path).unwrap_or_default());
                    }
                }
            }
        }
        look.specs(&found);
        look
    }

    fn specs(&mut self, files: &BTreeSet<PathBuf>) {
        let (mut sources, mut bases) = (Sources::default(), Bases::default());
        for path in files {
            self.file(path);
            // Errors in a spec are reported by the build.
            if let Ok(Ok(file)) = read::read(path, false, &mut sources) {
                bases.of(file, &mut sources, &mut Sink::default());
                sources.forget(file);
            }
        }
        bases.named().for_each(|path| self.file(path));
    }

    fn file(&mut self, path: &Path) {
        if let Ok(bytes) = input::read(path, input::ARTIFACT) {
            self.files.insert(path.to_owned(), Digest::of(&bytes));
        }
        self.around(path);
        if let Ok(real) = path.canonicalize() {
            self.around(&real);
        }
    }

    /// The files below a folder, or the file itself; its folders are where files may be added.
    fn tree(&mut self, root: &Path) -> Vec<PathBuf> {
        self.around(root);
        let mut files = Vec::new();
        let entries = walkdir::WalkDir::new(root).into_iter();
        let entries = entries.filter_entry(|entry| !specs::is_passed(entry));
        for entry in entries.filter_map(Result::ok) {
            match entry.path().is_dir() {
                true => self.folders.extend(entry.path().canonicalize()),
                false => files.push(entry.into_path()),
            }
        }
        files
    }

    /// The nearest folder above a path: what the path names appears, changes and goes away in it.
    fn around(&mut self, path: &Path) {
        let whole = std::path::absolute(path).unwrap_or_default();
        let above = whole.ancestors().skip(1);
        let nearest = above.filter_map(|folder| folder.canonicalize().ok()).next();
        self.folders.extend(nearest);
    }
}
