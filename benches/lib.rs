//! Benchmarks: `cargo bench --package slosmith-benches`. README.md describes each.
