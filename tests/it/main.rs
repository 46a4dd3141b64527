//! The one integration test binary.

mod catalog;
mod update;
