//! Which labels the result of a query can have.
//!
//! The answer is an upper bound: a label outside it is never there, in no data. A label inside it may
//! be missing. The metric name is not looked at.

mod flow;
mod set;

pub use flow::kept_labels;
pub use set::Kept;

#[cfg(test)]
mod tests;
