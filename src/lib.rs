//! Compiles one SLO spec into Prometheus rules, judged against recorded vLLM metrics.

pub mod artifact;
pub mod catalog;
pub mod cli;
pub mod cloudwatch;
pub mod diag;
pub mod gate;
pub mod health;
pub mod input;
pub mod library;
pub mod lint;
pub mod naming;
pub mod output;
pub mod parity;
pub mod plan;
pub mod promql;
pub mod query;
pub mod resolve;
pub mod source;
pub mod spec;
pub mod target;
pub mod template;
pub mod units;
pub mod yaml;
