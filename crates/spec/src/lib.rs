//! What users write, read into types: the spec language ([`spec`]), `slosmith.toml` ([`config`]) and the built-in signals
//! ([`library`]); the grammars of Kubernetes names ([`kubernetes`]), and every name that follows from a spec ([`naming`]).

pub mod config;
pub mod kubernetes;
pub mod library;
pub mod naming;
pub mod spec;
