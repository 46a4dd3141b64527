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
mod faults;
mod fuzz;
mod gate;
mod grafana;
mod health;
mod hostile;
mod inputs;
mod layers;
mod library;
mod linear;
mod lint;
mod marked;
mod mutation;
mod pages;
mod preview;
mod project;
mod promql;
mod promtool;
mod ranges;
mod read_back;
mod rules;
mod runbooks;
mod schema;
mod searches;
mod update;
mod words;
mod wrong;
