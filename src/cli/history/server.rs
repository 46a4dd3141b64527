//! A server with the query API of Prometheus.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;

use super::answers::Answers;
use crate::cli::page::{self, Client, HttpArgs, Reply, Unanswered};
use crate::cli::progress::Progress;
use slosmith_backtest::{Answer, Failure, Range, Server};
use slosmith_lint::lint::live::Vector;
use slosmith_render::output::Digest;

/// Time limits for the answer to a query: servers stop queries after two minutes by default.
const RANGE: Duration = Duration::from_secs(150);
const INSTANT: Duration = Duration::from_secs(30);

/// The same for when the server started.
const STATUS: Duration = Duration::from_secs(5);

/// Shorter waits are not told.
const SHORT: Duration = Duration::from_secs(5);

/// How a server is reached.
#[derive(Debug, Args)]
pub(in crate::cli) struct ServerArgs {
    /// HTTP header of each request, such as `X-Scope-OrgID: team`. For secrets, use `--bearer-token-file` or `--http-config`
    #[arg(
        long,
        value_name = "HEADER",
        value_parser = header,
        requires = "prometheus",
        help_heading = "Options for http:// and https:// URLs"
    )]
    header: Vec<(String, String)>,
    #[command(flatten)]
    http: HttpArgs,
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) => page::header(name.trim(), value.trim()),
        None => Err("expected NAME: VALUE".to_owned()),
    }
}

pub(in crate::cli) struct Prometheus<'a> {
    client: Client<'a>,
    url: String,
    /// Of earlier runs.
    answers: Option<Answers>,
    /// Most samples of answers in a second.
    limit: Option<u32>,
    progress: Progress,
    /// True once the server has answered.
    is_there: AtomicBool,
    /// True once the server is no longer the one of the begin.
    is_other: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// For which queries were on their way.
    seconds: f64,
    /// Answers of earlier runs.
    kept: u64,
    warnings: BTreeSet<String>,
    /// When the next query may be sent.
    next: Instant,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    data: Option<Data>,
    #[serde(default)]
    error: Option<String>,
    /// Also of series that a part of a server could not read.
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(default, rename = "isPartial")]
    is_partial: bool,
}

#[derive(Deserialize)]
struct Data {
    result: Found,
    #[serde(default)]
    stats: Stats,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Data {
    fn samples(&self) -> usize {
        let Found::Series(all) = &self.result else {
            return 1;
        };
        all.iter().map(|series| series.values.len()).sum()
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Found {
    /// A time and a number.
    Scalar(f64, String),
    Series(Vec<Series>),
}

impl Found {
    fn series(self) -> Vec<Series> {
        match self {
            Self::Series(all) => all,
            // A rule takes a scalar for one element without labels.
            Self::Scalar(time, value) => vec![Series {
                metric: BTreeMap::new(),
                values: Vec::new(),
                value: Some((time, value)),
            }],
        }
    }
}

#[derive(Default, Deserialize)]
struct Stats {
    #[serde(default)]
    samples: Option<Samples>,
}

#[derive(Deserialize)]
struct Samples {
    #[serde(rename = "totalQueryableSamples")]
    total: u64,
}

#[derive(Deserialize)]
struct Series {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
    /// Of an instant query.
    #[serde(default)]
    value: Option<(f64, String)>,
}

impl<'a> Prometheus<'a> {
    pub(in crate::cli) fn new(url: &str, args: &'a ServerArgs) -> Result<Self> {
        Ok(Self {
            client: Client::new(url, &args.header, &args.http)?,
            url: url.to_owned(),
            answers: None,
            limit: None,
            progress: Progress::new(true),
            is_there: AtomicBool::new(false),
            is_other: AtomicBool::new(false),
            state: Mutex::new(State {
                seconds: 0.0,
                kept: 0,
                warnings: BTreeSet::new(),
                next: Instant::now(),
            }),
        })
    }

    /// The same that uses answers of earlier runs, and waits where answers have more samples in a second than the limit.
    pub(super) fn with(mut self, now: i64, cache: bool, limit: Option<u32>) -> Result<Self> {
        if cache && let Some(began) = self.began() {
            let mut identity = self.client.identity()?;
            identity.extend([self.url.clone(), began.clone()]);
            self.answers = Answers::of(&identity, began, now);
        }
        self.limit = limit;
        Ok(self)
    }

    /// When the server started, which tells it from another one at the same URL. Empty where it does not tell but is proven by its
    /// certificate; `None` where nothing tells.
    fn began(&self) -> Option<String> {
        let path = "/api/v1/status/runtimeinfo";
        let reply = self.client.send(path, None, STATUS).ok()?;
        self.is_there.store(true, Ordering::Relaxed);
        let read: Option<Value> = serde_json::from_slice(&reply.body).ok();
        let time = read.and_then(|read| Some(read["data"]["startTime"].as_str()?.to_owned()));
        match reply.status {
            200 => time,
            400..500 => self.client.is_proven().then(String::new),
            _ => None,
        }
    }

    /// Keeps an answer, if the server that gave it is still the one whose answers are kept.
    fn keep(&self, answers: &Answers, key: &Digest, body: &[u8]) {
        if self.is_other.load(Ordering::Relaxed) {
            return;
        }
        match self.began() {
            Some(began) if began == answers.began() => answers.keep(key, body),
            Some(_) if !self.is_other.swap(true, Ordering::Relaxed) => {
                let told = "the server was started again, or another one is at its URL now: its answers are no longer kept, and the report may have data of both";
                self.progress.tell(told);
            }
            // It does not tell now.
            _ => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a query at a time in seconds since 1970.
    pub(in crate::cli) fn instant(&self, query: &str, time: i64) -> Result<Vector, Failure> {
        let time = time.to_string();
        let form = [("query", query), ("time", time.as_str()), ("stats", "all")];
        let asked = Instant::now();
        let (data, _) = self.send("query", &form, INSTANT)?;
        self.state().warnings.extend(data.warnings);
        let element = |series: Series| {
            let (_, value) = series.value?;
            Some((series.metric, value.parse().ok()?))
        };
        Ok(Vector {
            elements: data
                .result
                .series()
                .into_iter()
                .filter_map(element)
                .collect(),
            seconds: asked.elapsed().as_secs_f64(),
            samples: data.stats.samples.map(|samples| samples.total),
        })
    }

    /// What the server answers to a form, and the text of the answer.
    fn send(
        &self,
        path: &str,
        form: &[(&str, &str)],
        patience: Duration,
    ) -> Result<(Data, Vec<u8>), Failure> {
        let wait = self.state().next.saturating_duration_since(Instant::now());
        std::thread::sleep(wait);
        let asked = Instant::now();
        let reply = self
            .client
            .send(&format!("/api/v1/{path}"), Some(form), patience);
        self.state().seconds += asked.elapsed().as_secs_f64();
        let is_there = self.is_there.load(Ordering::Relaxed);
        let reply = reply.map_err(|why| match why {
            Unanswered::Late(why) => Failure::TooMuch(why),
            Unanswered::Cut(why) => Failure::Busy(why, None),
            Unanswered::Lost(why) if is_there => Failure::Busy(why, None),
            Unanswered::Lost(why) | Unanswered::Never(why) => Failure::Refused(why),
        })?;
        self.is_there.store(true, Ordering::Relaxed);
        let data = data(&reply)?;
        Ok((data, reply.body))
    }

    /// What the server warned of, each once. Nothing is sent after this.
    pub(in crate::cli) fn warnings(&self) -> BTreeSet<String> {
        self.progress.clear();
        std::mem::take(&mut self.state().warnings)
    }

    /// Waits before the next query for as long as these samples take.
    fn pace(&self, samples: usize) {
        let Some(limit) = self.limit else {
            return;
        };
        let mut state = self.state();
        let seconds = samples as f64 / f64::from(limit);
        state.next = state.next.max(Instant::now()) + Duration::from_secs_f64(seconds);
    }

    /// The URL without user and password.
    pub(in crate::cli) fn shown(&self) -> String {
        page::without_user(&self.url)
    }
}

impl Server for Prometheus<'_> {
    fn range(&self, query: &str, range: Range) -> Result<Vec<Answer>, Failure> {
        let Range { start, end, step } = range;
        let [start, end, step] = [start, end, step].map(|time| time.to_string());
        let form = [
            ("query", query),
            ("start", start.as_str()),
            ("end", end.as_str()),
            ("step", step.as_str()),
            // Thanos and VictoriaMetrics: an error rather than a part of the series.
            ("partial_response", "false"),
            ("deny_partial_response", "1"),
        ];
        let key = Answers::key(&form);
        let known = self.answers.as_ref().and_then(|answers| answers.get(&key));
        let known = known.and_then(|body| data(&Reply::ok(body)).ok());
        let data = match known {
            Some(data) => {
                self.state().kept += 1;
                data
            }
            None => {
                let (data, body) = self.send("query_range", &form, RANGE)?;
                // Warnings are shown at each run.
                if let Some(answers) = &self.answers
                    && data.warnings.is_empty()
                    && range.end <= answers.settled()
                {
                    self.keep(answers, &key, &body);
                }
                self.pace(data.samples());
                data
            }
        };
        self.state().warnings.extend(data.warnings);
        let answer = |series: Series| {
            let value =
                |(time, value): (f64, String)| Some((time.round() as i64, value.parse().ok()?));
            Answer {
                labels: series.metric,
                samples: series.values.into_iter().filter_map(value).collect(),
            }
        };
        Ok(data.result.series().into_iter().map(answer).collect())
    }

    fn settled(&self) -> i64 {
        self.answers.as_ref().map_or(i64::MAX, Answers::settled)
    }

    fn wait(&self, time: Duration) {
        if time >= SHORT {
            let warning = format!("the server is busy: waiting {} s", time.as_secs());
            self.progress.tell(&warning);
        }
        std::thread::sleep(time);
    }

    fn progress(&self, answered: usize, of: usize) {
        self.progress.at("sending", "queries", (answered, of));
    }

    fn kept(&self) -> u64 {
        self.state().kept
    }

    fn seconds(&self) -> f64 {
        self.state().seconds
    }
}

/// The data of an answer, with its warnings.
fn data(reply: &Reply) -> Result<Data, Failure> {
    let Reply {
        status,
        retry_after,
        body,
    } = reply;
    let read: Result<Response, _> = serde_json::from_slice(body);
    let is_query = read.as_ref().is_ok_and(|response| response.error.is_some());
    let said = match &read {
        Ok(Response {
            error: Some(error), ..
        }) => format!("HTTP status {status}: {error}"),
        _ => format!("HTTP status {status}"),
    };
    match status {
        200 => {
            let response = read.ok();
            if response.as_ref().is_some_and(|all| all.is_partial) {
                let why = "the answer has a part of the series";
                return Err(Failure::Busy(why.into(), None));
            }
            let data = response.and_then(|response| {
                let warnings = response.warnings;
                let data = response.data?;
                Some(Data { warnings, ..data })
            });
            data.ok_or_else(|| Failure::Refused("the answer is not of a Prometheus".into()))
        }
        // Execution failed: too many samples or series, or too late.
        413 | 422 => Err(Failure::TooMuch(said)),
        400 if said.contains("exceeded maximum resolution") => Err(Failure::TooMuch(said)),
        400 if is_query => Err(Failure::Invalid(said)),
        503 if said.contains("timed out") => Err(Failure::TooMuch(said)),
        429 | 500 | 502 | 503 | 504 => {
            Err(Failure::Busy(said, retry_after.map(Duration::from_secs)))
        }
        401 | 403 => Err(Failure::Refused(format!(
            "{said}: pass `--bearer-token-file`, `--http-config`, `--cert` or `--header`"
        ))),
        404 => Err(Failure::Refused(format!(
            "{said}: expected the URL of a Prometheus, such as http://localhost:9090"
        ))),
        _ => Err(Failure::Refused(said)),
    }
}
