//! What the commands that read the history of a Prometheus server have in common.

mod answers;
mod cost;
mod server;
mod times;

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::build::BuildArgs;
use super::findings;
use super::terminal::Terminal;
use slosmith_backtest::{Error, Incident, Server};
use slosmith_plan::plan::Plan;

pub(super) use server::{Prometheus, ServerArgs};
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
    /// Show how many queries the run would send and how many samples they read, from four evaluations of each; nothing else
    #[arg(long)]
    dry_run: bool,
    /// Send every query again. By default, answers about times that are over are kept for 30 days in the cache folder of the user
    #[arg(long)]
    no_cache: bool,
    /// Wait before the next query where the answers have more samples in a second
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_samples_per_second: Option<u32>,
    #[command(flatten)]
    server: ServerArgs,
}

impl HistoryArgs {
    pub(super) fn build(&self) -> BuildArgs {
        BuildArgs::of(&self.specs, self.config.as_deref())
    }

    pub(super) fn specs(&self) -> &[PathBuf] {
        &self.specs
    }

    pub(super) fn server(&self) -> Result<Prometheus<'_>> {
        let server = Prometheus::new(&self.prometheus, &self.server)?;
        server.with(now()?, !self.no_cache, self.max_samples_per_second)
    }

    /// Writes what a run would cost, if that is all that is wanted.
    pub(super) fn is_dry_run(
        &self,
        plans: &[&Plan],
        server: &Prometheus<'_>,
        json: bool,
        out: &mut dyn Write,
    ) -> Result<bool> {
        if self.dry_run {
            let costs = cost::of(plans, server, self.range()?)?;
            cost::write(out, &costs, json)?;
        }
        Ok(self.dry_run)
    }

    /// The begin and the end, in seconds since 1970.
    pub(super) fn range(&self) -> Result<(i64, i64)> {
        let to = match &self.to {
            None => now()?,
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

fn now() -> Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_secs())?)
}

/// What was found for a service; `None` if the server has nothing of it: others may have a history.
pub(super) fn of_service<T>(
    name: &str,
    server: &Prometheus<'_>,
    found: impl FnOnce() -> Result<T, Error>,
) -> Result<Option<T>> {
    let mut err = Terminal::stderr();
    writeln!(err, "{name}: sending queries")?;
    match found() {
        Ok(found) => Ok(Some(found)),
        Err(error @ (Error::Empty(_) | Error::Short { .. })) => {
            writeln!(err, "{error}")?;
            if Server::kept(server) > 0 {
                writeln!(
                    err,
                    "some answers are of earlier runs; `--no-cache` sends every query again"
                )?;
            }
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
