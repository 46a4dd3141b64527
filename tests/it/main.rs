//! The one integration test binary.

#![allow(clippy::unwrap_used)]

mod promql;
