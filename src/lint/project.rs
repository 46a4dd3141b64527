//! All files of a run together.

use std::path::Path;

use super::scope::Scope;
use crate::artifact::Artifact;
use crate::source::Sources;

/// All files of a run, for rules that compare them.
#[derive(Clone, Copy, Debug)]
pub struct ProjectCx<'a> {
    /// The parsed files.
    pub artifacts: &'a [Artifact],
    /// The files' texts.
    pub sources: &'a Sources,
    /// The folder that links and paths are relative to.
    pub root: &'a Path,
    /// The releases, profiles and labels that queries are checked against.
    pub scope: &'a Scope<'a>,
}

impl<'a> ProjectCx<'a> {
    /// The files of a run.
    pub(super) fn new(
        artifacts: &'a [Artifact],
        sources: &'a Sources,
        root: &'a Path,
        scope: &'a Scope<'a>,
    ) -> Self {
        Self {
            artifacts,
            sources,
            root,
            scope,
        }
    }
}
