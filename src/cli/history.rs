//! What the commands that read the history of a Prometheus server have in common.

mod server;
mod times;

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::build::BuildArgs;
use super::terminal::Terminal;
use super::{findings, page};
use slosmith_backtest::{Error, Incident};

pub(super) use server::Prometheus;
pub(super) use times::shown;

/// Days of history without another option.
const DAYS: u32 = 28;

/// Most days of history: a query asks for 10,000 minutes.
const MOST: i64 = 1_000;

#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// Specs, or folders with specs. Default: the specs of the project
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// URL of a server with the query API of Prometheus, such as Prometheus, Mimir, Thanos or VictoriaMetrics
    #[arg(long, value_name = "URL")]
    prometheus: String,
    /// Number of days before the end
    #[arg(long, value_name = "NUMBER", default_value_t = DAYS, value_parser = clap::value_parser!(u32).range(1..=MOST), conflicts_with = "from")]
    days: u32,
    /// Begin of the history (RFC 3339), such as 2026-11-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// End of the history (RFC 3339). Default: now
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// YAML file with incidents: a list of `title`, `start` and `end`. The report shows which of them the alerts found
    #[arg(long, value_name = "FILE")]
    incidents: Option<PathBuf>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// HTTP header of each request, such as `X-Scope-OrgID: team`. For secrets, use `--bearer-token-file`
    #[arg(
        long,
        value_name = "HEADER",
        help_heading = "Options for http:// and https:// URLs"
    )]
    header: Vec<String>,
    #[command(flatten)]
    http: page::HttpArgs,
}

impl HistoryArgs {
    pub(super) fn build(&self) -> BuildArgs {
        BuildArgs::of(&self.specs, self.config.as_deref())
    }

    pub(super) fn specs(&self) -> &[PathBuf] {
        &self.specs
    }

    pub(super) fn server(&self) -> Result<Prometheus<'_>> {
        Prometheus::new(&self.prometheus, &self.header, &self.http)
    }

    /// The begin and the end, in seconds since 1970.
    pub(super) fn range(&self) -> Result<(i64, i64)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let to = match &self.to {
            None => i64::try_from(now)?,
            Some(time) => times::read(time).with_context(|| format!("`--to {time}`"))?,
        };
        let from = match &self.from {
            None => to - i64::from(self.days) * 86_400,
            Some(time) => times::read(time).with_context(|| format!("`--from {time}`"))?,
        };
        if from >= to {
            bail!("the history is empty: its begin must be before its end");
        }
        if to - from > MOST * 86_400 {
            bail!("the history has more than {MOST} days");
        }
        Ok((from, to))
    }

    /// The incidents of the file, none without one; `None` if the file has errors, which are then shown.
    pub(super) fn incidents(&self) -> Result<Option<Vec<Incident>>> {
        let Some(path) = &self.incidents else {
            return Ok(Some(Vec::new()));
        };
        match times::incidents(path)? {
            Ok(incidents) => Ok(Some(incidents)),
            Err((findings, sources)) => {
                findings::show(&mut Terminal::stderr(), findings, &sources)?;
                Ok(None)
            }
        }
    }

    pub(super) fn has_incidents(&self) -> bool {
        self.incidents.is_some()
    }
}

/// What was found for a service; `None` if the server has nothing of it: others may have a history.
pub(super) fn of_service<T>(
    name: &str,
    found: impl FnOnce() -> Result<T, Error>,
) -> Result<Option<T>> {
    let mut err = Terminal::stderr();
    writeln!(err, "{name}: sending queries")?;
    match found() {
        Ok(found) => Ok(Some(found)),
        Err(error @ (Error::Empty(_) | Error::Short { .. })) => {
            writeln!(err, "{error}")?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn show_warnings(server: &Prometheus<'_>) -> Result<()> {
    let mut err = Terminal::stderr();
    for warning in server.warnings() {
        writeln!(err, "the server warned: {warning}")?;
    }
    Ok(())
}
