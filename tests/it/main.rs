//! The one integration test binary.

mod bundled;
mod catalog;
mod mutation;
mod promql;
mod promtool;
mod update;
