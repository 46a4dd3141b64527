//! One dashboard, with everything that rules need.

use crate::artifact::{Artifact, Dashboard};

#[derive(Clone, Copy, Debug)]
pub struct DashboardCx<'a> {
    pub artifact: &'a Artifact,
    pub file_text: &'a str,
    pub dashboard: &'a Dashboard,
}
