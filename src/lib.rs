//! Compiles one SLO spec into Prometheus rules, judged against recorded vLLM metrics.

pub mod promql;
pub mod source;
