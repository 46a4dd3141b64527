//! Files of which nothing can be read.

use crate::diag::Diagnostic;
use crate::yaml::Filler;

/// Why nothing of a file is read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// What is wrong, at its place.
    pub fault: Diagnostic,
    /// The program that fills in the file, when it has to be rendered first.
    pub template: Option<Filler>,
}

impl From<Diagnostic> for Unread {
    fn from(fault: Diagnostic) -> Self {
        Self {
            fault,
            template: None,
        }
    }
}
