//! Violations: what is wrong with a request, and where.
//!
//! `{pointer: "/Metrics/2/Expression", message: "no entry has the id `total`", fault: UndefinedId}`

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the field, or to what lacks one.
    pub pointer: String,
    pub message: String,
    pub fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Limit,
    UndefinedId,
}
