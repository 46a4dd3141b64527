//! `slosmith lint`, `drift`, `explain` and `catalog record` as a person runs them.

mod baseline;
mod bundled;
mod data;
mod drift;
mod fixing;
mod formats;
mod options;
mod own;
mod runs;
mod servers;

pub(crate) use crate::project::alerts as rules;
