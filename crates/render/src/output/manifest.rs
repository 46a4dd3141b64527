//! The list of our files in a service folder, with their fingerprints.
//!
//! ```text
//! # Files that slosmith wrote here; it replaces and removes these and no others.
//! # slosmith 0.1.0 (7be0c1d2)
//! # inputs 0c4f…
//! # servers vllm{job="vllm"}
//! # renamed from bot
//! 9c1d…  prometheus/rules/alerts.yaml
//! ```
//!
//! `xxh128sum --check` reads it. The inputs are all that the files follow from: when they and the files are as
//! listed, there is nothing to build. With the servers that the spec selects, and the service that it was, other services are compared.
//!
//! The first lines tell of the build that last changed a file. A build that changes no file keeps the manifest, so that two
//! branches conflict only where their outputs do; [`memory`](super::memory) has the inputs of that build. A manifest with the markers of such a conflict lists the files of both.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::{Claims, Digest, Folder, OutputError, check_inside, read};

pub const MANIFEST: &str = ".slosmith-manifest";

const HEADER: &str =
    "# Files that slosmith wrote here; it replaces and removes these and no others.";
const VERSION: &str = "# slosmith ";
const INPUTS: &str = "# inputs ";
const SERVERS: &str = "# servers ";
const RENAMED_FROM: &str = "# renamed from ";
/// The lines that `git merge` writes around the two sides of a conflict, and before their common ancestor.
const CONFLICT: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The slosmith that wrote it; `None` in a manifest of an earlier version.
    pub(super) version: Option<String>,
    /// Of all that the files follow from; `None` after a build of some targets, or one with warnings.
    pub(super) inputs: Option<Digest>,
    pub(super) claims: Claims,
    /// Path and fingerprint; without one, nothing is known of what the file should say.
    pub(super) files: BTreeMap<String, Option<Digest>>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error("not UTF-8 text")]
    Text,
    #[error("the first line differs")]
    Header,
    #[error("`{0}` is outside the folder")]
    Path(String),
}

impl Manifest {
    /// The manifest of a service folder; an empty one where there is none.
    pub(super) fn read(root: &Path) -> Result<Self, OutputError> {
        let path = root.join(MANIFEST);
        let Some(bytes) = read(&path)? else {
            return Ok(Self::default());
        };
        let parsed = std::str::from_utf8(&bytes).map_err(|_| ManifestError::Text);
        let parsed = parsed.and_then(Self::parse);
        parsed.map_err(|why| OutputError::Manifest { path, why })
    }

    fn parse(text: &str) -> Result<Self, ManifestError> {
        let is_marker = |line: &&str| CONFLICT.iter().any(|marker| line.starts_with(marker));
        let conflict = text.lines().any(|line| is_marker(&line));
        let mut lines = text.lines().filter(|line| !is_marker(line));
        if lines.next() != Some(HEADER) {
            return Err(ManifestError::Header);
        }
        let mut manifest = Self::default();
        for line in lines.filter(|line| *line != HEADER) {
            if let Some(version) = line.strip_prefix(VERSION) {
                manifest.version = Some(version.to_owned());
            } else if let Some(inputs) = line.strip_prefix(INPUTS) {
                manifest.inputs = Digest::parse(inputs);
            } else if let Some(servers) = line.strip_prefix(SERVERS) {
                manifest.claims.servers = Some(servers.to_owned());
            } else if let Some(old) = line.strip_prefix(RENAMED_FROM) {
                manifest.claims.renamed_from = Some(old.to_owned());
            } else {
                let (path, digest) = entry(line);
                manifest.files.insert(path, digest);
            }
        }
        if conflict {
            manifest.inputs = None;
            manifest
                .files
                .values_mut()
                .for_each(|digest| *digest = None);
        }
        let mut paths = manifest.files.keys();
        match paths.find(|path| check_inside(path).is_err()) {
            None => Ok(manifest),
            Some(path) => Err(ManifestError::Path(path.clone())),
        }
    }

    /// What it will say: what is written now, and what targets that were not asked for left.
    pub(super) fn of(folder: &Folder, before: &Self) -> Self {
        let kept = before.files.iter().filter(|(path, _)| folder.keeps(path));
        let kept = kept.map(|(path, digest)| (path.clone(), *digest));
        let written = folder.files.iter();
        let written = written.map(|(path, text)| (path.clone(), Some(Digest::of(text.as_bytes()))));
        Self {
            version: folder.version.map(str::to_owned),
            inputs: folder.inputs,
            claims: folder.claims.clone(),
            files: kept.chain(written).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        if let Some(version) = &self.version {
            let _ = writeln!(text, "{VERSION}{version}");
        }
        if let Some(inputs) = self.inputs {
            let _ = writeln!(text, "{INPUTS}{inputs}");
        }
        if let Some(servers) = &self.claims.servers {
            let _ = writeln!(text, "{SERVERS}{servers}");
        }
        if let Some(old) = &self.claims.renamed_from {
            let _ = writeln!(text, "{RENAMED_FROM}{old}");
        }
        for (path, digest) in &self.files {
            let digest = digest.map(|d| format!("{d}  ")).unwrap_or_default();
            let _ = writeln!(text, "{digest}{path}");
        }
        text
    }

    pub(super) fn owns(&self, path: &str) -> bool {
        path == MANIFEST || self.files.contains_key(path)
    }

    pub(super) fn made(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let next = self.files.range(inside.clone()..).next();
        next.is_some_and(|(path, _)| path.starts_with(&inside))
    }
}

/// One line; a path alone is what an earlier version wrote.
fn entry(line: &str) -> (String, Option<Digest>) {
    let parts = line.split_once("  ");
    match parts.and_then(|(digest, path)| Some((path, Digest::parse(digest)?))) {
        Some((path, digest)) => (path.to_owned(), Some(digest)),
        None => (line.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back() {
        let files = [("a b/c", Some(Digest::of(b"x"))), ("d", None)];
        let manifest = Manifest {
            version: Some("0.1.0 (7be0c1d2)".to_owned()),
            inputs: Some(Digest::of(b"spec")),
            claims: Claims {
                servers: Some("vllm{job=\"vllm\"}".to_owned()),
                renamed_from: Some("bot".to_owned()),
            },
            files: files.map(|(path, d)| (path.to_owned(), d)).into(),
        };
        assert_eq!(Manifest::parse(&manifest.text()), Ok(manifest));
    }

    #[test]
    fn a_list_without_fingerprints_is_still_ours() {
        let manifest = Manifest::parse(&format!("{HEADER}\na/b\n")).expect("ours");
        assert_eq!(manifest.inputs, None);
        assert!(manifest.owns("a/b") && manifest.made("a") && !manifest.made("a/b"));
    }

    #[test]
    fn a_conflict_lists_the_files_of_both_sides() {
        let digest = Digest::of(b"x");
        let text = format!(
            "{HEADER}\n<<<<<<< ours\n# inputs {digest}\n=======\n# inputs {digest}\n>>>>>>> theirs\n\
             {digest}  a\n<<<<<<< ours\n{digest}  b\n||||||| base\n=======\n{digest}  c\n>>>>>>> theirs\n"
        );
        let manifest = Manifest::parse(&text).expect("a manifest");
        // Both sides are new.
        let added = format!("<<<<<<< ours\n{text}||||||| base\n=======\n{text}>>>>>>> theirs\n");
        assert_eq!(Manifest::parse(&added).as_ref(), Ok(&manifest));
        assert_eq!(manifest.inputs, None);
        let unknown = ["a", "b", "c"].map(|path| (path.to_owned(), None));
        assert_eq!(manifest.files, unknown.into());
    }

    #[test]
    fn paths_that_leave_and_lists_of_others_are_refused() {
        for text in ["groceries\n".to_owned(), format!("{HEADER}\n../x\n")] {
            Manifest::parse(&text).expect_err(&text);
        }
    }
}
