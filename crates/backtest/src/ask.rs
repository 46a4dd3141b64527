//! Range queries, in pieces that a server accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use slosmith_promql::sampled::{Labels, Row};
use slosmith_text::diag::caught;

/// Steps of one query: Prometheus refuses more than 11,000.
const STEPS: i64 = 10_000;

/// Fewer are not asked for: a query that fails with so few is too expensive.
const FEWEST: i64 = 60;

/// How many queries a server is sent at the same time.
const SENDERS: usize = 2;

/// How many answers are kept until they are needed.
const AHEAD: usize = 3;

/// How often a query is sent to a busy server.
const ATTEMPTS: u32 = 6;

/// The longest wait for a busy server.
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

impl Failure {
    pub fn why(self) -> String {
        match self {
            Self::TooMuch(why) | Self::Busy(why, _) | Self::Invalid(why) | Self::Refused(why) => {
                why
            }
        }
    }
}

/// The query endpoints of a server.
pub trait Server: Sync {
    /// # Errors
    ///
    /// If the server does not answer with all series.
    fn range(&self, query: &str, range: Range) -> Result<Vec<Answer>, Failure>;

    /// The time until which the history does not change any more: a query for earlier times ends there.
    fn settled(&self) -> i64 {
        i64::MAX
    }

    /// Called with the number of queries that are answered, and of all queries of a service.
    fn progress(&self, _answered: usize, _of: usize) {}

    /// How many answers were those of earlier runs, so that nothing was sent.
    fn kept(&self) -> u64 {
        0
    }

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
    /// Requests to the server.
    pub count: u64,
    /// Answers of earlier runs.
    pub kept: u64,
    /// Samples in all answers.
    pub samples: u64,
    pub seconds: f64,
}

/// Sends a query until a server is no longer busy, at most six times.
///
/// # Errors
///
/// The last answer, if it is none.
pub fn patiently<T>(
    wait: impl Fn(Duration),
    mut send: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut pause = Duration::from_secs(1);
    for _ in 1..ATTEMPTS {
        match send() {
            Err(Failure::Busy(_, wanted)) => {
                wait(wanted.unwrap_or(pause).min(LONGEST_WAIT));
                pause *= 2;
            }
            answer => return answer,
        }
    }
    send()
}

/// The pieces of a range, with so many steps at most. They begin at whole multiples of this length, so that those of
/// another day are the same.
fn next_piece(range: Range, from: i64, steps: i64, settled: i64) -> Range {
    let Range { end, step, .. } = range;
    let length = steps * step;
    let mut last = from - from.rem_euclid(length) + length - step;
    if from <= settled {
        last = last.min(from + settled.saturating_sub(from) / step * step);
    }
    Range {
        start: from,
        end: last.min(end),
        step,
    }
}

/// How many requests one query takes that is not divided further.
pub(crate) fn pieces(range: Range) -> u64 {
    let first = |from: &i64| *from <= range.end;
    let next = |from: &i64| Some(next_piece(range, *from, STEPS, i64::MAX).end + range.step);
    let begins = std::iter::successors(Some(range.start), next);
    begins.take_while(first).count() as u64
}

/// The queries of a service to a server. Two are sent at a time, in the order in which the answers are needed, and some before they are needed.
pub(crate) struct Asker<'a> {
    server: &'a dyn Server,
    range: Range,
    queries: &'a [String],
    /// Of services before this one.
    kept: u64,
    seconds: f64,
    state: Mutex<State>,
    changed: Condvar,
}

type Rows = Result<Vec<Row>, String>;

struct State {
    /// Steps of the next query.
    at_once: i64,
    /// The next query to send.
    next: usize,
    /// The query whose answer was needed last.
    needed: usize,
    answers: BTreeMap<usize, Rows>,
    /// True once no other answer is needed.
    is_over: bool,
    senders: usize,
    cost: Queries,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(server: &'a dyn Server, range: Range, queries: &'a [String]) -> Self {
        Self {
            server,
            range,
            queries,
            kept: server.kept(),
            seconds: server.seconds(),
            state: Mutex::new(State {
                at_once: STEPS,
                next: 0,
                needed: 0,
                answers: BTreeMap::new(),
                is_over: false,
                senders: 0,
                cost: Queries::default(),
            }),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn start(&self) -> i64 {
        self.range.start
    }

    pub(crate) fn step(&self) -> i64 {
        self.range.step
    }

    pub(crate) fn cost(&self) -> Queries {
        let cost = self.state().cost;
        let kept = self.server.kept() - self.kept;
        Queries {
            count: cost.count - kept,
            kept,
            samples: cost.samples,
            seconds: self.server.seconds() - self.seconds,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'b>(&self, state: MutexGuard<'b, State>) -> MutexGuard<'b, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends queries for as long as the work takes that needs the answers.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            let _over = Over(self);
            for _ in 0..SENDERS {
                let started = thread::Builder::new().spawn_scoped(scope, || self.send_ahead());
                self.state().senders += usize::from(started.is_ok());
            }
            work()
        })
    }

    fn send_ahead(&self) {
        let mut state = self.state();
        while !state.is_over && state.next < self.queries.len() {
            if state.next > state.needed + AHEAD {
                state = self.wait(state);
                continue;
            }
            let query = state.next;
            state.next += 1;
            drop(state);
            // A panic here must not leave the work waiting for an answer.
            let answer = caught(|| self.ask(&self.queries[query])).unwrap_or_else(Err);
            state = self.state();
            state.answers.insert(query, answer);
            self.changed.notify_all();
        }
    }

    /// The values of a query at all steps, without the names of series.
    pub(crate) fn rows(&self, query: &str) -> Rows {
        let place = self.queries.iter().position(|own| own == query);
        let place = place.filter(|place| *place >= self.state().needed);
        let mut state = self.state();
        let Some(place) = place.filter(|_| state.senders > 0) else {
            drop(state);
            return self.ask(query);
        };
        self.server.progress(place, self.queries.len());
        state.needed = place;
        self.changed.notify_all();
        loop {
            if let Some(answer) = state.answers.remove(&place) {
                return answer;
            }
            state = self.wait(state);
        }
    }

    fn ask(&self, query: &str) -> Rows {
        let Range { start, end, step } = self.range;
        let steps = usize::try_from((end - start) / step + 1).unwrap_or_default();
        let mut rows: BTreeMap<Labels, Vec<Option<f64>>> = BTreeMap::new();
        let mut from = start;
        while from <= end {
            let at_once = self.state().at_once;
            let piece = next_piece(self.range, from, at_once, self.server.settled());
            let Some(answers) = self.piece(query, piece, at_once)? else {
                continue;
            };
            let mut seen = BTreeSet::new();
            for mut answer in answers {
                answer.labels.remove("__name__");
                if !seen.insert(answer.labels.clone()) {
                    return Err("two series of the answer differ in their names alone".into());
                }
                self.state().cost.samples += answer.samples.len() as u64;
                let row = rows.entry(answer.labels);
                let row = row.or_insert_with(|| vec![None; steps]);
                for (time, value) in answer.samples {
                    let at = usize::try_from((time - start) / step).ok();
                    if let Some(sample) = at.and_then(|at| row.get_mut(at)) {
                        *sample = Some(value);
                    }
                }
            }
            from = piece.end + step;
        }
        Ok(rows.into_iter().collect())
    }

    /// One query; `None` where a shorter one must be sent instead.
    fn piece(
        &self,
        query: &str,
        piece: Range,
        at_once: i64,
    ) -> Result<Option<Vec<Answer>>, String> {
        let send = || {
            let mut state = self.state();
            if state.is_over {
                return Err(Failure::Refused("no answer is needed".into()));
            }
            state.cost.count += 1;
            drop(state);
            let answer = self.server.range(query, piece);
            answer.map_err(|failure| match failure {
                // It cannot be divided, but others may have taken what it needed.
                Failure::TooMuch(why) if at_once <= FEWEST => {
                    Failure::Busy(why, Some(Duration::ZERO))
                }
                failure => failure,
            })
        };
        match patiently(|time| self.server.wait(time), send) {
            Ok(answers) => Ok(Some(answers)),
            Err(Failure::TooMuch(_)) => {
                let mut state = self.state();
                state.at_once = state.at_once.min((at_once / 2).max(FEWEST));
                Ok(None)
            }
            Err(failure) => Err(failure.why()),
        }
    }
}

/// Ends the senders, also where the work panics.
struct Over<'a>(&'a Asker<'a>);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken;

    impl Server for Broken {
        fn range(&self, _: &str, _: Range) -> Result<Vec<Answer>, Failure> {
            panic!("a fault of its own")
        }
    }

    #[test]
    fn a_panic_of_a_sender_is_an_answer() {
        let range = Range {
            start: 0,
            end: 60,
            step: 60,
        };
        let queries = ["up".to_owned()];
        let asker = Asker::new(&Broken, range, &queries);
        let why = asker.during(|| asker.rows("up")).expect_err("no rows");
        assert!(why.contains("a fault of its own"), "{why}");
    }

    #[test]
    fn pieces_of_another_day_are_the_same() {
        let pieces = |start: i64, settled: i64| {
            let range = Range {
                start,
                end: 1_000_000,
                step: 60,
            };
            let next = |last: &Range| {
                let from = last.end + 60;
                (from <= range.end).then(|| next_piece(range, from, 5_000, settled))
            };
            let first = next_piece(range, start, 5_000, settled);
            let all = std::iter::successors(Some(first), next);
            all.map(|piece| (piece.start, piece.end))
                .collect::<Vec<_>>()
        };
        let all = pieces(60_000, i64::MAX);
        assert_eq!(
            all,
            [
                (60_000, 299_940),
                (300_000, 599_940),
                (600_000, 899_940),
                (900_000, 1_000_000)
            ]
        );
        assert_eq!(pieces(120_000, i64::MAX)[1..], all[1..]);
        // What may still change is a piece of its own.
        let settled = pieces(60_000, 950_000);
        assert_eq!(settled[..3], all[..3]);
        assert_eq!(settled[3..], [(900_000, 949_980), (950_040, 1_000_000)]);
    }
}
