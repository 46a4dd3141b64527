//! The one integration test binary.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test may panic and talk, and makes its files"
)]

mod alarms;
#[cfg(feature = "aws")]
mod aws;
mod backtest;
mod boards;
mod build;
#[allow(dead_code, reason = "the other test binary uses the rest")]
mod bundled;
mod catalog;
mod ci;
mod cloudwatch;
mod codes;
mod commands;
mod compat;
mod coverage;
mod docs;
mod fuzz;
mod gate;
mod grafana;
mod growth;
mod guides;
mod health;
mod hostile;
mod import;
mod incidents;
mod inhibition;
mod inputs;
mod inventory;
mod layers;
mod library;
mod linear;
mod lint;
mod lsp;
mod marked;
mod marks;
mod mathematics;
mod migrate;
mod needs;
mod pages;
mod pictures;
mod planted;
mod preview;
#[allow(dead_code, reason = "the other test binary uses the rest")]
mod project;
mod promql;
mod provision;
mod ranges;
mod read_back;
mod recall;
mod reference;
mod runbooks;
mod scale;
mod schema;
mod searches;
mod sentences;
mod servers;
mod start;
mod style;
mod suggest;
mod targets;
mod update;
mod variables;
#[allow(dead_code, reason = "the other test binary uses the rest")]
mod walk;
mod watch;
mod words;
mod wrong;
