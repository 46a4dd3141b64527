//! PromQL against other parsers, and the laws that parser and printer keep together.

mod conformance;
mod differential;
mod laws;
mod trees;
