//! One dashboard, with everything that rules need.

use crate::artifact::{Artifact, Dashboard};

/// One dashboard.
#[derive(Clone, Copy, Debug)]
pub struct DashboardCx<'a> {
    /// The file it is in.
    pub artifact: &'a Artifact,
    /// The text of that file.
    pub file_text: &'a str,
    /// The dashboard.
    pub dashboard: &'a Dashboard,
}
