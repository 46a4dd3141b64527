//! The one integration test binary.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and talk"
)]

mod bundled;
mod catalog;
mod compat;
mod library;
mod mutation;
mod promql;
mod promtool;
mod ranges;
mod schemas;
mod update;
mod wrong;
