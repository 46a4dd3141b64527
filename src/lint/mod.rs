//! Judging queries, and deciding which judgements count.

pub mod config;
pub mod date;
pub mod suppress;
