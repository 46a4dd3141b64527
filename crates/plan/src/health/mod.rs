//! The health of one server, from its `/metrics` output: which conditions of a spec hold right now.
//!
//! A condition without a history needs one snapshot; rates and percentiles need two. With one snapshot, the burn rate of an
//! error budget covers the time since the server started; with two, the time between them. A condition that cannot be checked
//! (a comparison with last week, the author's PromQL) is reported as unknown, never as healthy.

mod condition;
mod headline;
mod index;
mod objective;
mod quantile;
mod value;

pub use condition::evaluate;
pub use headline::{HEADLINES, Headline, Shown, headlines};
pub use quantile::quantile;

use crate::plan::Alert;
use crate::plan::Plan;
use slosmith_catalog::exposition::Page;

#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    pub now: &'a Page,
    /// An earlier one, and the seconds between the two.
    pub since: Option<(&'a Page, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Holds(Vec<String>),
    Clear,
    Unknown(Unknown),
}

impl Verdict {
    /// From the label sets under which a condition holds, and a reason why it is unknown under some others.
    fn of(holds: Vec<String>, why: Option<Unknown>) -> Self {
        match why {
            _ if !holds.is_empty() => Verdict::Holds(holds),
            Some(why) => Verdict::Unknown(why),
            None => Verdict::Clear,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    #[error("PromQL from the spec runs only in Prometheus")]
    OwnPromQl,
    #[error("needs earlier `/metrics` output: `--since`")]
    OnePage,
    #[error("`{0}` is not in the `/metrics` output")]
    NotOnPage(String),
    #[error("`{0}` has no series with `{1}` in the `/metrics` output")]
    NotSelected(String, String),
    #[error("nothing was observed between the two snapshots")]
    NothingObserved,
    #[error("no events were counted")]
    NoEvents,
    #[error("fewer than {0} events were counted")]
    FewEvents(u32),
    #[error("needs the history in Prometheus: compares with past values")]
    ComparesWithPast,
    #[error("needs the history in Prometheus: measures a share of time")]
    ShareOfTime,
    #[error("needs the history in Prometheus: measures a correlation")]
    NeedsHistory,
}

impl Unknown {
    /// True where a server may show the series later: when the first such event occurs.
    pub fn has_no_series(&self) -> bool {
        matches!(self, Self::NotOnPage(_) | Self::NotSelected(..))
    }
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub alert: String,
    pub severity: String,
    pub summary: String,
    pub action: Option<String>,
    pub runbook: String,
    pub verdict: Verdict,
    pub measured: Vec<String>,
    /// Number of signals in its condition: a pattern of several signals explains more than one threshold.
    pub parts: usize,
}

/// Checks every alert of a plan. The likeliest explanations come first: patterns of several signals, in the order of the
/// spec. Error budgets come last: they show that something is wrong, but not the cause.
pub fn judge(plan: &Plan, pages: Pages<'_>) -> Vec<Finding> {
    let since_start = index::Indexed::or_since_start(pages);
    let pages = index::Indexed::new(pages);
    // A page shows whether its SLOs have data.
    let alerts = plan.alerts.iter();
    let alerts = alerts.filter(|alert| alert.condition.slo_data().is_none());
    let mut found: Vec<_> = alerts.map(|alert| finding(alert, &pages)).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.parts));
    found.extend(objective::judge(plan, &since_start));
    found
}

fn finding(alert: &Alert, pages: &index::Indexed<'_>) -> Finding {
    let (verdict, measured) = condition::judge(&alert.condition, pages);
    Finding {
        alert: alert.name.clone(),
        severity: alert.severity.clone(),
        summary: alert.summary.clone(),
        action: alert.action.clone(),
        runbook: alert.links.runbook.clone(),
        verdict,
        measured,
        parts: condition::parts(&alert.condition),
    }
}
