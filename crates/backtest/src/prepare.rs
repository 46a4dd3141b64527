//! What a backtest is going to send: which rules are needed, in which order, and which queries they read.

use std::collections::BTreeSet;

use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo, slo_series};
use slosmith_promql::ast::Selector;
use slosmith_render::target::prometheus::{Timed, timed};
use slosmith_spec::naming;
use slosmith_text::units::Duration;

use crate::ask::{self, Range};
use crate::error::Error;
use crate::needs;
use crate::readers::queries;

pub(crate) struct Prepared {
    pub(crate) rules: Vec<Timed>,
    /// The rules that are evaluated, each behind those that it reads.
    pub(crate) order: Vec<usize>,
    /// Those that count the events of SLOs.
    pub(crate) counted: Vec<usize>,
    /// The begin of the report.
    pub(crate) from: i64,
    /// With the time before the begin that windows read.
    pub(crate) range: Range,
    /// The first one finds out when there is data, if there is one for it.
    pub(crate) queries: Vec<String>,
}

impl Prepared {
    pub(crate) fn new(plan: &Plan, from: i64, to: i64) -> Result<Self, Error> {
        let rules = timed(plan);
        let step = rules.iter().map(|rule| seconds(rule.every));
        let step = step.reduce(common).unwrap_or(60).max(1);
        let (from, to) = (from - from.rem_euclid(step), to - to.rem_euclid(step));
        if from >= to {
            let why =
                format!("less than one evaluation ({step}s) between the beginning and the end");
            return Err(Error::Time(why));
        }
        let alerts = (0..rules.len()).filter(|rule| rules[*rule].is_alert);
        let counted = of_objectives(plan, &rules);
        let wanted: Vec<usize> = alerts.chain(counted.iter().copied()).collect();
        let order = needs::order(&rules, wanted.iter().copied());
        let lead = wanted.iter().map(|rule| lead(&rules, *rule, false)).max();
        // Subqueries are evaluated at whole multiples of their step.
        let start = (from - lead.unwrap_or(0)).div_euclid(86_400) * 86_400;
        let read = order
            .iter()
            .flat_map(|rule| queries(&rules, &rules[*rule].expr));
        let mut seen = BTreeSet::new();
        let all = needs::any_series(&rules).into_iter().chain(read);
        let queries = all.filter(|query| seen.insert(query.clone())).collect();
        Ok(Self {
            order,
            counted,
            from,
            range: Range {
                start,
                end: to,
                step,
            },
            queries,
            rules,
        })
    }

    /// Evaluations, both ends included.
    pub(crate) fn steps(&self) -> usize {
        let Range { start, end, step } = self.range;
        usize::try_from((end - start) / step + 1).unwrap_or_default()
    }
}

/// The queries that a backtest of a plan sends, and for how many evaluations each.
///
/// # Errors
///
/// If there is no evaluation between the two times.
pub fn planned(plan: &Plan, from: i64, to: i64) -> Result<Planned, Error> {
    let prepared = Prepared::new(plan, from, to)?;
    let steps = prepared.steps() as u64;
    Ok(Planned {
        requests: ask::pieces(prepared.range) * prepared.queries.len() as u64,
        queries: prepared.queries,
        steps,
    })
}

/// What a backtest is going to send.
pub struct Planned {
    pub queries: Vec<String>,
    /// Requests for these, if none is divided.
    pub requests: u64,
    /// Evaluations of each query.
    pub steps: u64,
}

pub(crate) fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// The greatest common divisor.
pub(crate) fn common(one: i64, other: i64) -> i64 {
    if other == 0 {
        one
    } else {
        common(other, one % other)
    }
}

/// Seconds before a moment that decide what an alert does: of evaluations, or with `scraped` of history.
pub(crate) fn lead(rules: &[Timed], rule: usize, scraped: bool) -> i64 {
    needs::reach(rules, rule, scraped) + seconds(rules[rule].hold)
}

/// The recording rules that count the events of objectives.
pub(crate) fn of_objectives(plan: &Plan, rules: &[Timed]) -> Vec<usize> {
    let selectors = plan.slos.iter().flat_map(|slo| {
        let counted = [naming::ALL_EVENTS, slo.events.sli.part_events()];
        let window = plan.evaluation.to_string();
        let counted = counted.map(|name| series(plan, slo, name, &window));
        counted.into_iter().chain([base_ratio(plan, slo)])
    });
    let read = selectors.flat_map(|selector| needs::read_by(rules, &selector));
    read.map(|(rule, _)| rule).collect()
}

pub(crate) fn series(plan: &Plan, slo: &Slo, name: &str, window: &str) -> Selector {
    slo_series(name, &plan.service.name, &slo.name, window)
}

pub(crate) fn base_ratio(plan: &Plan, slo: &Slo) -> Selector {
    let window = BASE_WINDOW.to_string();
    series(plan, slo, naming::ERROR_RATIO, &window)
}
