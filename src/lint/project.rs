//! All files of a run together.

use std::path::Path;

use super::scope::Scope;
use crate::artifact::Artifact;
use crate::source::Sources;

/// All files of a run, for rules that compare them.
#[derive(Clone, Copy, Debug)]
pub struct ProjectCx<'a> {
    /// What was read from each file.
    pub artifacts: &'a [Artifact],
    /// The files' texts.
    pub sources: &'a Sources,
    /// The folder that links and paths start from.
    pub root: &'a Path,
    /// What names are judged against.
    pub scope: &'a Scope<'a>,
}

impl<'a> ProjectCx<'a> {
    /// Puts the files of a run side by side.
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
