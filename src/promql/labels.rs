//! Which labels the result of a query surely has, may have and cannot have.
//!
//! Certainty is on both ends: a label outside [`Flow::possible`] is never there, in no data, and a label
//! in [`Flow::sure`] is on every series of the result. What is known of the selected series comes from a
//! [`Leaf`]. The metric name is a label that may be there until something other than it is asked for.

mod binary;
mod call;
mod expr;
mod flow;
mod join;
mod set;

pub use expr::{kept_labels, label_flow};
pub use flow::{AnySeries, Flow, Leaf, Presence};
pub use join::{UnmatchedJoin, unmatched_joins};
pub use set::{Kept, Labels};

#[cfg(test)]
mod tests;
