//! The one integration test binary.

// Helpers of tests are tests, too: they fail by panicking.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::use_debug)]

mod build;
mod bundled;
mod catalog;
mod docs;
mod layers;
mod mutation;
mod promql;
mod schema;
mod update;
