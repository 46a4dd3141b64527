//! Compiles one SLO spec into Prometheus rules, judged against recorded vLLM metrics.

pub mod catalog;
pub mod cli;
pub mod diag;
pub mod promql;
pub mod source;
pub mod yaml;
