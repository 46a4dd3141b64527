//! Compiles one SLO spec into Prometheus rules, judged against recorded vLLM metrics.

pub mod diag;
pub mod promql;
pub mod source;
pub mod spec;
pub mod units;
pub mod yaml;
