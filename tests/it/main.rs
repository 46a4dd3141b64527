//! The one integration test binary.

mod catalog;
mod library;
mod promql;
mod ranges;
mod update;
mod wrong;
