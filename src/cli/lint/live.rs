//! The server of `--prometheus`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;

use crate::cli::history::{Prometheus, ServerArgs};
use slosmith_backtest::{Failure, patiently};
use slosmith_lint::lint::live::{Refused, Server, Vector};

#[derive(Debug, Args)]
pub(super) struct LiveArgs {
    /// URL of a server with the query API of Prometheus: also check which series exist there, and whether it can evaluate the queries
    #[arg(long, value_name = "URL")]
    prometheus: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
}

impl LiveArgs {
    pub(super) fn server(&self) -> Result<Option<Online<'_>>> {
        let Some(url) = &self.prometheus else {
            return Ok(None);
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let server = Prometheus::new(url, &self.server)?;
        Ok(Some(Online {
            now: i64::try_from(now)?,
            state: Mutex::new(State {
                server,
                answers: HashMap::new(),
                failed: None,
            }),
        }))
    }
}

/// A server that is sent each query once, all of them at the same time of evaluation.
pub(super) struct Online<'a> {
    now: i64,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    server: Prometheus<'a>,
    answers: HashMap<String, Result<Vector, Refused>>,
    /// Why it did not answer.
    failed: Option<String>,
}

impl Online<'_> {
    /// Why the server did not answer a query; it is sent no other one then.
    pub(super) fn failed(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.clone()
    }

    /// What a reader of the findings must know of the server.
    pub(super) fn notes(&self) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let warnings = state.server.warnings().into_iter();
        let mut notes: Vec<_> = warnings
            .map(|why| format!("the server warned: {why}"))
            .collect();
        let answers = || state.answers.values();
        let has_any = |answer: &Result<Vector, Refused>| {
            answer
                .as_ref()
                .is_ok_and(|vector| !vector.elements.is_empty())
        };
        if answers().any(Result::is_ok) && !answers().any(has_any) {
            notes.push("the server has no series of any query: check the URL, and the tenant in `--header`".to_owned());
        }
        notes
    }
}

impl Server for Online<'_> {
    fn instant(&self, query: &str) -> Result<Vector, Refused> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.answers.get(query) {
            return known.clone();
        }
        if state.failed.is_some() {
            return Err(Refused::Unanswered);
        }
        let send = || state.server.instant(query, self.now);
        let answer = patiently(std::thread::sleep, send).map_err(|why| match why {
            Failure::TooMuch(why) | Failure::Invalid(why) => Refused::Query(why),
            // It answers others.
            Failure::Busy(why, _) if state.answers.values().any(Result::is_ok) => {
                Refused::Query(why)
            }
            Failure::Busy(why, _) | Failure::Refused(why) => {
                state.failed = Some(format!("{why}; the query was `{query}`"));
                Refused::Unanswered
            }
        });
        state.answers.insert(query.to_owned(), answer.clone());
        answer
    }
}
