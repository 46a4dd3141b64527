//! Rules over queries, alerts, dashboards and alarms; levels, suppressions and a baseline decide which findings are shown.
//!
//! ```
//! use std::path::Path;
//! use slosmith_catalog::Catalog;
//! use slosmith_spec::config::Config;
//! use slosmith_catalog::Product;
//! use slosmith_lint::lint::{Scope, Settings, run};
//! use slosmith_text::source::{SourceFile, Sources};
//! use slosmith_lint::artifact;
//!
//! let text = "groups: [{name: a, rules: [{record: b, expr: 'rate(vllm:num_requests_running[5m])'}]}]";
//! let mut sources = Sources::default();
//! let file = sources.add(SourceFile::new("rules.yaml", text));
//! let rules = artifact::read(file, Path::new("rules.yaml"), text).expect("YAML");
//!
//! let catalog = Catalog::vllm();
//! let vllm = Product {
//!     key: "vllm".to_owned(),
//!     name: "vLLM".to_owned(),
//!     is_guess: false,
//!     catalog,
//!     selection: catalog.select_all(),
//!     profiles: Vec::new(),
//! };
//! let scope = Scope::new(vec![vllm]);
//! let settings = Settings {
//!     scope: &scope,
//!     config: &Config::default(),
//!     vllm: None,
//!     today: "2026-11-21".parse().expect("a date"),
//!     root: Path::new("."),
//! };
//! let found = run(&[rules], &sources, &settings);
//! assert_eq!(found[0].code, "rate-of-gauge");
//! assert_eq!(&text[found[0].span.range()], "vllm:num_requests_running");
//! ```
//!
//! A rule is a file in [`rules`]; it checks one query ([`query::QueryCx`]), one dashboard, one CloudWatch resource or
//! all files of the run.

pub mod date;
mod delivery;
pub mod drift;
mod file;
mod fixes;
mod levels;
mod listing;
pub mod live;
mod missing_metric;
mod panel_schemas;
pub mod pins;
mod quantity;
pub mod query;
pub mod rule;
pub mod rules;
mod run;
pub mod scope;
mod spec;
pub mod subject;
pub mod suppress;

pub use rule::{Check, Findings, Rule};
pub use run::{Settings, check_spec, declared, run, run_telling};
pub use scope::Scope;
