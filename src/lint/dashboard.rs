//! One dashboard with everything that rules ask of it.

use super::scope::Scope;
use crate::artifact::{Artifact, Dashboard};

/// One dashboard.
#[derive(Clone, Copy, Debug)]
pub struct DashboardCx<'a> {
    /// What it is judged against.
    pub scope: &'a Scope<'a>,
    /// The file it is in.
    pub artifact: &'a Artifact,
    /// The text of that file.
    pub file_text: &'a str,
    /// The dashboard.
    pub dashboard: &'a Dashboard,
}
