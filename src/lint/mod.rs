//! Judging queries, and deciding which judgements count.

pub mod config;
pub mod dashboard;
pub mod date;
mod delivery;
pub mod drift;
mod file;
mod gone;
mod mend;
mod panel_schemas;
pub mod project;
mod quantity;
pub mod query;
pub mod resource;
pub mod rule;
pub mod rules;
mod run;
pub mod scope;
mod spec;
pub mod subject;
pub mod suppress;

pub use rule::{Check, Findings, Rule};
pub use run::{Settings, run};
pub use scope::{Product, Scope};
