//! One dashboard, with everything that rules need.

use super::scope::Scope;
use crate::artifact::{Artifact, Dashboard};

/// One dashboard.
#[derive(Clone, Copy, Debug)]
pub struct DashboardCx<'a> {
    /// The releases, profiles and labels that its queries are checked against.
    pub scope: &'a Scope<'a>,
    /// The file it is in.
    pub artifact: &'a Artifact,
    /// The text of that file.
    pub file_text: &'a str,
    /// The dashboard.
    pub dashboard: &'a Dashboard,
}
