//! What a run would cost.

use std::io::Write;

use anyhow::{Result, anyhow};
use serde::Serialize;

use super::Prometheus;
use crate::cli::table::Table;
use slosmith_backtest::{Failure, Server, patiently, planned};
use slosmith_plan::plan::Plan;

/// For so many times of the history, each query is sent once.
const PARTS: i64 = 4;

/// The queries of a service. Samples are those of an evaluation at four times of the history, for each evaluation.
#[derive(Serialize)]
pub(super) struct Cost {
    service: String,
    queries: usize,
    /// Requests for the queries, if none is divided.
    requests: u64,
    /// Samples in the answers.
    answered: u64,
    /// Samples that the server reads; `None` if it does not tell.
    read: Option<u64>,
}

pub(super) fn of(
    plans: &[&Plan],
    server: &Prometheus<'_>,
    (from, to): (i64, i64),
) -> Result<Vec<Cost>> {
    let one = |plan: &&Plan| {
        let planned = planned(plan, from, to)?;
        let (mut answered, mut read) = (0, Some(0));
        for query in &planned.queries {
            // In the middle of each part.
            for part in 0..PARTS {
                let time = from + (to - from) * (2 * part + 1) / (2 * PARTS);
                let send = || server.instant(query, time);
                let found = patiently(|time| server.wait(time), send);
                let found = found.map_err(|why: Failure| anyhow!("{}", why.why()))?;
                answered += found.elements.len() as u64 * planned.steps;
                read = read
                    .zip(found.samples)
                    .map(|(all, own)| all + own * planned.steps);
            }
        }
        let parts = PARTS.unsigned_abs();
        (answered, read) = (answered / parts, read.map(|read| read / parts));
        Ok(Cost {
            service: plan.service.name.clone(),
            queries: planned.queries.len(),
            requests: planned.requests,
            answered,
            read,
        })
    };
    plans.iter().map(one).collect()
}

pub(super) fn write(out: &mut dyn Write, costs: &[Cost], json: bool) -> Result<()> {
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(costs)?)?;
        return Ok(());
    }
    let mut table = Table::right_aligned(&[1, 2, 3, 4]);
    table.row([
        "service",
        "queries",
        "requests",
        "samples in answers",
        "samples read",
    ]);
    for cost in costs {
        let read = cost.read.map_or_else(|| "unknown".to_owned(), rounded);
        table.row([
            &cost.service,
            &cost.queries.to_string(),
            &cost.requests.to_string(),
            &rounded(cost.answered),
            &read,
        ]);
    }
    write!(out, "{}", table.text(""))?;
    for cost in costs.iter().filter(|cost| cost.answered == 0) {
        let name = &cost.service;
        writeln!(
            out,
            "{name}: no series at the times of the estimate; the cost is not known"
        )?;
    }
    Ok(())
}

/// With two digits: four evaluations tell no more of all.
fn rounded(number: u64) -> String {
    let number = number as f64;
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    match units.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) if number / unit < 10.0 => format!("{:.1}{name}", number / unit),
        Some((unit, name)) => format!("{:.0}{name}", number / unit),
        None => number.to_string(),
    }
}
