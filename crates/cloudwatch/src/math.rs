//! Metric math: what an expression refers to, what it gives, and whether it can be read at all.
//!
//! `FILL(bad, 0) / all` uses the ids `bad` and `all` and gives a series; `SUM(bad)` gives a number, which no alarm can
//! watch; `bad /` lacks a value at its end.

mod functions;
mod parser;
mod types;

pub(super) use functions::unsupported;
pub(super) use parser::{Expr, read};
pub(super) use types::{Fault, Shape, shape};
