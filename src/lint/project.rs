//! All files of a run together.

use std::path::Path;

use super::scope::Scope;
use crate::artifact::Artifact;

#[derive(Clone, Copy, Debug)]
pub struct ProjectCx<'a> {
    pub artifacts: &'a [Artifact],
    pub root: &'a Path,
    pub scope: &'a Scope<'a>,
}

impl<'a> ProjectCx<'a> {
    pub(super) fn new(artifacts: &'a [Artifact], root: &'a Path, scope: &'a Scope<'a>) -> Self {
        Self {
            artifacts,
            root,
            scope,
        }
    }
}
