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

pub mod cli;

#[cfg(feature = "aws")]
pub use slosmith_aws as aws;
pub use slosmith_backtest as backtest;
pub use slosmith_catalog as catalog;
pub use slosmith_cloudwatch as cloudwatch;
pub use slosmith_import as import;
pub use slosmith_lint::{artifact, lint};
pub use slosmith_plan::{gate, health, inventory, parity, plan, query};
pub use slosmith_promql as promql;
pub use slosmith_render::{output, starter, target, template};
pub use slosmith_resolve as resolve;
pub use slosmith_spec::{config, kubernetes, library, naming, spec};
pub use slosmith_text::{diag, input, source, units, yaml};
