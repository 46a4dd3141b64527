//! What rules ask of a running Prometheus.

use std::fmt;

use slosmith_promql::sampled::Labels;

/// The result of a query.
#[derive(Clone, Debug, Default)]
pub struct Vector {
    pub elements: Vec<(Labels, f64)>,
    /// For how long the server worked on it.
    pub seconds: f64,
    /// Samples that it read; `None` of a server that does not count them.
    pub samples: Option<u64>,
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub enum Refused {
    /// The server cannot evaluate the query.
    Query(String),
    /// The server does not answer; the run says so, and fails.
    Unanswered,
}

/// A running server with the query API of Prometheus.
pub trait Server: Sync {
    /// The result of a query now.
    ///
    /// # Errors
    ///
    /// If the server has no result.
    fn instant(&self, query: &str) -> Result<Vector, Refused>;
}

/// The server that `lint --prometheus` names.
#[derive(Clone, Copy)]
pub struct Live<'c>(pub &'c dyn Server);

impl fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Live")
    }
}
