//! The one integration test binary.

mod bundled;
mod catalog;
mod compat;
mod mutation;
mod promql;
mod promtool;
mod update;
