//! PromQL against other parsers, and the laws that parser and printer keep together.

mod conformance;
mod corpus;
mod differential;
mod laws;
mod placeholders;
mod recovery;
mod trees;
