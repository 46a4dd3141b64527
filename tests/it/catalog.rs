//! The catalog against its recordings.

mod cli;
mod detect;
mod index;
mod lineage;
mod queries;
mod recordings;
mod transitions;
