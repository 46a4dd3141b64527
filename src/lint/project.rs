//! All files of a run together.

use std::path::Path;

use super::scope::Scope;
use crate::artifact::Artifact;

/// All files of a run, for rules that compare them.
#[derive(Clone, Copy, Debug)]
pub struct ProjectCx<'a> {
    /// The parsed files.
    pub artifacts: &'a [Artifact],
    /// The folder that links and paths are relative to.
    pub root: &'a Path,
    /// The releases, profiles and labels that queries are checked against.
    pub scope: &'a Scope<'a>,
}

impl<'a> ProjectCx<'a> {
    /// The files of a run.
    pub(super) fn new(artifacts: &'a [Artifact], root: &'a Path, scope: &'a Scope<'a>) -> Self {
        Self {
            artifacts,
            root,
            scope,
        }
    }
}
