//! The one integration test binary.

mod catalog;
mod promql;
mod update;
