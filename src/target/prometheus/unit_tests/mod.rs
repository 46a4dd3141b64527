//! Unit tests for promtool.
use super::view::{Named, TestFile};
pub(super) struct Tests {
    pub(super) files: Vec<Named<TestFile>>,
    pub(super) notes: Vec<String>,
}
pub(super) fn files(_: &crate::plan::Plan) -> Tests {
    Tests {
        files: vec![],
        notes: vec![],
    }
}
