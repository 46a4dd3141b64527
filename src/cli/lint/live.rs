//! The server of `--prometheus`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;

use crate::cli::history::Prometheus;
use crate::cli::page::HttpArgs;
use slosmith_backtest::Failure;
use slosmith_lint::lint::live::{Refused, Server, Vector};

/// How often a query is sent to a busy server.
const ATTEMPTS: u32 = 4;

#[derive(Debug, Args)]
pub(super) struct LiveArgs {
    /// URL of a server with the query API of Prometheus: also check which series exist there, and whether it can evaluate the queries
    #[arg(long, value_name = "URL")]
    prometheus: Option<String>,
    /// HTTP header of each request to it, such as `X-Scope-OrgID: team`
    #[arg(
        long,
        value_name = "HEADER",
        requires = "prometheus",
        help_heading = "Options for http:// and https:// URLs"
    )]
    header: Vec<String>,
    #[command(flatten)]
    http: HttpArgs,
}

impl LiveArgs {
    pub(super) fn server(&self) -> Result<Option<Online<'_>>> {
        let Some(url) = &self.prometheus else {
            return Ok(None);
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let server = Prometheus::new(url, &self.header, &self.http)?;
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
    answers: HashMap<(String, u64), Result<Vector, Refused>>,
    /// Why it did not answer.
    failed: Option<String>,
}

impl Online<'_> {
    /// Why the server did not answer a query; it is sent no other one then.
    pub(super) fn failed(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.clone()
    }
}

impl Server for Online<'_> {
    fn instant(&self, query: &str, ago: u64) -> Result<Vector, Refused> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (query.to_owned(), ago);
        if let Some(known) = state.answers.get(&key) {
            return known.clone();
        }
        if state.failed.is_some() {
            return Err(Refused::Unanswered);
        }
        let time = self.now.saturating_sub_unsigned(ago);
        let answer = ask(&state.server, query, time).map_err(|why| match why {
            Failure::TooMuch(why) | Failure::Invalid(why) => Refused::Query(why),
            Failure::Busy(why, _) | Failure::Refused(why) => {
                state.failed = Some(why);
                Refused::Unanswered
            }
        });
        state.answers.insert(key, answer.clone());
        answer
    }
}

fn ask(server: &Prometheus<'_>, query: &str, time: i64) -> Result<Vector, Failure> {
    let mut attempt = 1;
    loop {
        match server.instant(query, time) {
            Err(Failure::Busy(_, wait)) if attempt < ATTEMPTS => {
                std::thread::sleep(wait.unwrap_or(std::time::Duration::from_secs(1)));
                attempt += 1;
            }
            answer => return answer,
        }
    }
}
