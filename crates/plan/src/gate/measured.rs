//! A value of a load test: where it is from, how exactly it is known, or why it is not.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// In base units; the best estimate.
    pub value: f64,
    /// What the value surely lies between; `None` when it is exact.
    pub between: Option<(f64, f64)>,
}

impl Measured {
    pub fn exactly(value: f64) -> Self {
        Self {
            value,
            between: None,
        }
    }

    pub fn between(value: f64, between: (f64, f64)) -> Self {
        Self {
            value,
            between: Some(between),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Given,
    Pages,
    /// `vllm bench serve`, from streams.
    Benchmark,
    /// k6, from whole responses.
    K6,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Given => "--given",
            Origin::Pages => "server metrics",
            Origin::Benchmark => "vllm bench serve",
            Origin::K6 => "k6",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmeasured {
    #[error("the result does not contain this measure")]
    NotThere,
    #[error(
        "k6 does not measure single tokens: pass the server's `/metrics` output with `--before` and `--after`"
    )]
    NeedsPages,
    #[error(
        "the result does not contain this measure: pass the server's `/metrics` output with `--before` and `--after`, or the value with `--given`"
    )]
    NeedsPagesOrHand,
    #[error("the result does not contain this measure: pass the value with `--given`")]
    ByHand,
    /// The server has no such family, or had none.
    #[error("`{0}` is not in the `/metrics` output {1} the test")]
    NotOnPage(String, &'static str),
    #[error("the server restarted during the test: the process start time changed")]
    Restarted,
    #[error("the server restarted during the test, or `--before` and `--after` are swapped: {0}")]
    Fell(String),
    #[error("`--before` and `--after` come from different servers: `--after` has no series {0}")]
    OtherServer(String),
    #[error("no request was counted during the test: `{0}` did not grow")]
    NothingObserved(String),
    #[error("`{0}` has values that are not numbers")]
    NoNumber(String),
    /// Pages of one replica of several, or of another server.
    #[error(
        "the server counted {pages} requests, the load generator {result}: take both `/metrics` snapshots from the tested server, test one replica, and stop other traffic"
    )]
    OtherRequests {
        pages: String,
        /// Ended at the load generator.
        result: String,
    },
}
