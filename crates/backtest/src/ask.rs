//! Range queries, in pieces that a server accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use slosmith_promql::sampled::{Labels, Row};

/// Steps of one query: Prometheus refuses more than 11,000.
const STEPS: i64 = 10_000;

/// Fewer are not asked for: a query that fails with so few is too expensive.
const FEWEST: i64 = 60;

/// How often a query is sent to a busy server.
const ATTEMPTS: u32 = 6;

/// The longest wait for a server that does not say how long.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Times of evaluation, in seconds since 1970, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: i64,
    pub end: i64,
    pub step: i64,
}

/// One series of an answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub labels: Labels,
    pub samples: Vec<(i64, f64)>,
}

/// Why a server has no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The query asks for too much at once.
    TooMuch(String),
    /// The server cannot answer now; it may say for how long.
    Busy(String, Option<Duration>),
    /// The server does not understand the query.
    Invalid(String),
    /// The server will not answer.
    Refused(String),
}

/// The query endpoints of a server.
pub trait Server {
    /// # Errors
    ///
    /// If the server does not answer with all series.
    fn range(&self, query: &str, range: Range) -> Result<Vec<Answer>, Failure>;

    /// Seconds for which the server was busy with queries.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// Waits; tests do not.
    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// What the server was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Queries {
    pub count: u64,
    /// Samples in the answers.
    pub samples: u64,
    pub seconds: f64,
}

/// A server, and steps at which it is asked.
pub(crate) struct Asker<'a> {
    server: &'a dyn Server,
    range: Range,
    /// Steps of the next query.
    at_once: i64,
    pub(crate) queries: Queries,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(server: &'a dyn Server, range: Range) -> Self {
        Self {
            server,
            range,
            at_once: STEPS,
            queries: Queries::default(),
        }
    }

    pub(crate) fn start(&self) -> i64 {
        self.range.start
    }

    pub(crate) fn step(&self) -> i64 {
        self.range.step
    }

    /// The values of an expression at all steps, without the names of series.
    pub(crate) fn ask(&mut self, query: &str) -> Result<Vec<Row>, String> {
        let Range { start, end, step } = self.range;
        let steps = usize::try_from((end - start) / step + 1).unwrap_or_default();
        let mut rows: BTreeMap<Labels, Vec<Option<f64>>> = BTreeMap::new();
        let mut from = start;
        while from <= end {
            let to = end.min(from + (self.at_once - 1) * step);
            let piece = Range {
                start: from,
                end: to,
                step,
            };
            let Some(answers) = self.piece(query, piece)? else {
                continue;
            };
            let mut seen = BTreeSet::new();
            for mut answer in answers {
                answer.labels.remove("__name__");
                if !seen.insert(answer.labels.clone()) {
                    return Err("two series of the answer differ in their names alone".into());
                }
                self.queries.samples += answer.samples.len() as u64;
                let row = rows.entry(answer.labels);
                let row = row.or_insert_with(|| vec![None; steps]);
                for (time, value) in answer.samples {
                    let at = usize::try_from((time - start) / step).ok();
                    if let Some(sample) = at.and_then(|at| row.get_mut(at)) {
                        *sample = Some(value);
                    }
                }
            }
            from = to + step;
        }
        Ok(rows.into_iter().collect())
    }

    /// One query; `None` where a shorter one must be sent instead.
    fn piece(&mut self, query: &str, piece: Range) -> Result<Option<Vec<Answer>>, String> {
        let mut wait = Duration::from_secs(1);
        for attempt in 1.. {
            let answer = self.server.range(query, piece);
            self.queries.count += 1;
            self.queries.seconds = self.server.seconds();
            match answer {
                Ok(answers) => return Ok(Some(answers)),
                Err(Failure::TooMuch(_)) if self.at_once > FEWEST => {
                    self.at_once = (self.at_once / 2).max(FEWEST);
                    return Ok(None);
                }
                Err(Failure::Busy(_, wanted)) if attempt < ATTEMPTS => {
                    self.server.wait(wanted.unwrap_or(wait).min(LONGEST_WAIT));
                    wait *= 2;
                }
                Err(
                    Failure::TooMuch(why)
                    | Failure::Busy(why, _)
                    | Failure::Invalid(why)
                    | Failure::Refused(why),
                ) => {
                    return Err(why);
                }
            }
        }
        Ok(None)
    }
}
