//! The one integration test binary.

// Helpers of tests are tests, too: they fail by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::use_debug
)]

mod build;
mod bundled;
mod catalog;
mod compat;
mod docs;
mod layers;
mod library;
mod mutation;
mod promql;
mod promtool;
mod ranges;
mod schema;
mod update;
mod wrong;
