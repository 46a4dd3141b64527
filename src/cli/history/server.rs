//! A server with the query API of Prometheus.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::cli::page::{self, HttpArgs, Reply, Unanswered};
use slosmith_backtest::{Answer, Failure, Range, Server};
use slosmith_lint::lint::live::Vector;

/// Time limits for the answer to a query: servers stop queries after two minutes by default.
const RANGE: Duration = Duration::from_secs(150);
const INSTANT: Duration = Duration::from_secs(30);

pub(in crate::cli) struct Prometheus<'a> {
    url: String,
    headers: Vec<(&'a str, &'a str)>,
    http: &'a HttpArgs,
    /// True once the server has answered.
    is_there: Cell<bool>,
    /// For which queries were on their way.
    seconds: Cell<f64>,
    warnings: RefCell<Vec<String>>,
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
    pub(in crate::cli) fn new(
        url: &str,
        headers: &'a [String],
        http: &'a HttpArgs,
    ) -> Result<Self> {
        let mut pairs = Vec::new();
        for header in headers {
            match header.split_once(':') {
                Some((name, value)) if !name.trim().is_empty() => {
                    pairs.push((name.trim(), value.trim()));
                }
                _ => bail!("`--header {header}`: expected NAME: VALUE"),
            }
        }
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            headers: pairs,
            http,
            is_there: Cell::new(false),
            seconds: Cell::new(0.0),
            warnings: RefCell::default(),
        })
    }

    /// The result of a query at a time in seconds since 1970.
    pub(in crate::cli) fn instant(&self, query: &str, time: i64) -> Result<Vector, Failure> {
        let time = time.to_string();
        let form = [("query", query), ("time", time.as_str()), ("stats", "all")];
        let asked = Instant::now();
        let data = self.send("query", &form, INSTANT)?;
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

    /// What the server answers to a form.
    fn send(&self, path: &str, form: &[(&str, &str)], patience: Duration) -> Result<Data, Failure> {
        let url = format!("{}/api/v1/{path}", self.url);
        let asked = Instant::now();
        let reply = page::post(&url, form, &self.headers, (self.http, patience));
        self.seconds
            .set(self.seconds.get() + asked.elapsed().as_secs_f64());
        let reply = reply.map_err(|why| match why {
            Unanswered::Late(why) => Failure::TooMuch(why),
            Unanswered::Lost(why) if self.is_there.get() => Failure::Busy(why, None),
            Unanswered::Lost(why) | Unanswered::Never(why) => Failure::Refused(why),
        })?;
        self.is_there.set(true);
        data(reply, &mut self.warnings.borrow_mut())
    }

    /// What the server warned of, each once.
    pub(in crate::cli) fn warnings(&self) -> BTreeSet<String> {
        self.warnings.take().into_iter().collect()
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
        let data = self.send("query_range", &form, RANGE)?;
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

    fn seconds(&self) -> f64 {
        self.seconds.get()
    }
}

/// The data of an answer; adds its warnings.
fn data(reply: Reply, warnings: &mut Vec<String>) -> Result<Data, Failure> {
    let Reply {
        status,
        retry_after,
        body,
    } = reply;
    let read: Result<Response, _> = serde_json::from_slice(&body);
    let is_query = read.as_ref().is_ok_and(|response| response.error.is_some());
    let said = match &read {
        Ok(Response {
            error: Some(error), ..
        }) => format!("HTTP status {status}: {error}"),
        _ => format!("HTTP status {status}"),
    };
    match status {
        200 => {
            let mut response = read.ok();
            if response
                .as_ref()
                .is_some_and(|response| response.is_partial)
            {
                let why = "the answer has a part of the series";
                return Err(Failure::Busy(why.into(), None));
            }
            if let Some(response) = &mut response {
                warnings.append(&mut response.warnings);
            }
            let data = response.and_then(|response| response.data);
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
            "{said}: pass `--bearer-token-file`, `--cert` or `--header`"
        ))),
        404 => Err(Failure::Refused(format!(
            "{said}: expected the URL of a Prometheus, such as http://localhost:9090"
        ))),
        _ => Err(Failure::Refused(said)),
    }
}
