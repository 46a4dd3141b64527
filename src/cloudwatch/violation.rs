//! Violations: what is wrong with a request, and where.
//!
//! `{pointer: "/Metrics/2/Expression", message: "no entry has the id `total`", fault: UndefinedId}`

/// Something that CloudWatch would reject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the field, or to what lacks one.
    pub pointer: String,
    /// What is wrong, with the limit.
    pub message: String,
    /// What sort of fault it is.
    pub fault: Fault,
}

/// Sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A limit or a rule of the API.
    Limit,
    /// An expression names an id that no entry has.
    UndefinedId,
}
