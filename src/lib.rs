//! Compiles SLO specs into Prometheus rules, dashboards, alarms and runbooks, and checks queries against recorded
//! vLLM metrics.
//!
//! ```
//! use slosmith::{resolve, source::FileId, spec, target, template::Templates};
//!
//! let text = r#"
//! apiVersion: slosmith/v1
//! service: {name: chat, owner: ml}
//! runtime: {vllm: ">=0.20, <0.34"}
//! links: {runbooks: "https://git.example/runbooks", grafana: "https://grafana.example"}
//! alerts:
//!   QueueOverflow:
//!     severity: critical
//!     when: {signal: vllm.requests_waiting, above: 80}
//!     for: 2m
//! "#;
//! let document = spec::read(FileId(0), text).expect("a spec");
//! let (plan, warnings) = resolve::resolve(&document, resolve::Options::default()).expect("a plan");
//! assert!(!warnings.has_errors());
//!
//! let templates = Templates::load(None).expect("the built-in templates");
//! let options = target::Options::all(&templates);
//! let rendered = target::render(&plan, target::Target::Prometheus, options).expect("rules");
//! assert!(rendered.files.iter().any(|file| file.text.contains("vllm:num_requests_waiting")));
//! ```
//!
//! `ARCHITECTURE.md` lists the modules in the order in which they use each other.

pub mod artifact;
#[cfg(feature = "aws")]
pub mod aws;
pub mod catalog;
pub mod cli;
pub mod cloudwatch;
pub mod config;
pub mod diag;
pub mod gate;
pub mod health;
pub mod import;
pub mod input;
pub mod inventory;
pub mod kubernetes;
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
pub mod starter;
pub mod target;
pub mod template;
pub mod units;
pub mod yaml;
