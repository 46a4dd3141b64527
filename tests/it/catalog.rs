//! The catalog against its recordings.

mod cli;
mod index;
mod lineage;
mod queries;
mod recordings;
mod transitions;
