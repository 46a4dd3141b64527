//! The health of one server, from its `/metrics` page: which of a spec's conditions hold right now.
//!
//! A condition without a history is judged on one page; rates and percentiles need two. What cannot be judged so
//! (a comparison with last week, PromQL of the author's) is said to be unknown, never taken for healthy.

mod condition;
mod index;
mod quantile;
mod value;

pub use quantile::quantile;

use crate::catalog::exposition::Page;
use crate::plan::alert::Links;
use crate::plan::{Condition, Plan, SloKind};

/// Pages of one server.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    /// The newest.
    pub now: &'a Page,
    /// An earlier one, and the seconds between the two.
    pub since: Option<(&'a Page, f64)>,
}

/// What a condition says of the pages.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds, for these groups.
    Holds(Vec<String>),
    /// It does not hold.
    Clear,
    /// It cannot be judged: why.
    Unknown(String),
}

/// One alert, judged.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its name.
    pub alert: String,
    /// Its severity.
    pub severity: String,
    /// One line.
    pub summary: String,
    /// What to do first.
    pub action: Option<String>,
    /// What to do about it.
    pub runbook: String,
    /// Whether its condition holds; how long it must is not asked.
    pub verdict: Verdict,
    /// What was measured, in words.
    pub measured: Vec<String>,
    /// How many signals its condition takes together: patterns of several say more than one bound.
    pub parts: usize,
}

/// Judges every alert of a plan that rests on a condition; the likeliest explanations come first: patterns of
/// several signals, in the order of the spec.
pub fn judge(plan: &Plan, pages: Pages<'_>) -> Vec<Finding> {
    let pages = index::Indexed::new(pages);
    let mut found = Vec::new();
    let mut judged = |alert: &str,
                      severity: &str,
                      summary: String,
                      action: Option<String>,
                      links: &Links,
                      condition: &Condition| {
        let (verdict, measured) = condition::judge(condition, &pages);
        found.push(Finding {
            alert: alert.to_owned(),
            severity: severity.to_owned(),
            summary,
            action,
            runbook: links.runbook.clone(),
            verdict,
            measured,
            parts: condition::parts(condition),
        });
    };
    for slo in &plan.slos {
        if let SloKind::Percentile(p) = &slo.kind
            && let Some(alert) = &p.alert
        {
            let summary = format!("{}: the objective is missed", slo.title);
            judged(
                &slo.alert_name,
                &alert.severity,
                summary,
                None,
                &slo.links,
                &alert.condition,
            );
        }
    }
    for alert in &plan.alerts {
        let (summary, action) = (alert.summary.clone(), alert.action.clone());
        judged(
            &alert.name,
            &alert.severity,
            summary,
            action,
            &alert.links,
            &alert.condition,
        );
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.parts));
    found
}
