//! The one integration test binary.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and talk"
)]

mod alarms;
mod build;
mod bundled;
mod catalog;
mod cloudwatch;
mod compat;
mod coverage;
mod docs;
mod fuzz;
