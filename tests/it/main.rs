//! The one integration test binary.

mod bundled;
mod catalog;
mod compat;
mod library;
mod mutation;
mod promql;
mod promtool;
mod ranges;
mod update;
mod wrong;
