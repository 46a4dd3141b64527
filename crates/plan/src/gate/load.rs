//! Whether a test put the load that it claims, and whether pages and result are of the same test.

use super::measured::Unmeasured;
use super::pages::Difference;
use super::result::Results;
use super::{Judged, Verdict};
use crate::plan::runbook::Scenario;

/// Part of a scenario's requests that may be missing: rates are met to a request at either end.
const MISSING: f64 = 0.01;

/// Allowed difference between the requests that server and load generator counted: some were in flight, or cancelled.
const OTHERS: f64 = 0.1;

pub(super) fn judge(scenario: Option<&Scenario>, result: &Results) -> Judged {
    let (sent, dropped) = (result.sent(), result.dropped());
    let wanted = scenario.map(|s| wanted(s, result));
    let note = match (sent, wanted) {
        _ if dropped > 0.0 => Some(format!(
            "dropped iterations: {dropped} (no virtual user was free); the load was lower than the scenario requires"
        )),
        (None, _) => Some("the result does not contain the number of sent requests".to_owned()),
        (Some(sent), Some(wanted)) if sent < wanted * (1.0 - MISSING) => {
            Some("the test ended early, or the result belongs to another scenario".to_owned())
        }
        _ => None,
    };
    let all = wanted.unwrap_or_else(|| sent.unwrap_or(0.0) + dropped);
    let unit = match result.in_conversations() {
        true => "iterations",
        false => "requests",
    };
    Judged {
        name: "load".to_owned(),
        what: format!("{unit} sent"),
        value: sent.map(|sent| sent.to_string()),
        origin: Some(result.origin()),
        bounds: format!("all {all}"),
        verdict: match note {
            Some(_) => Verdict::NotMeasured,
            None => Verdict::Pass,
        },
        note,
        missed: None,
    }
}

fn wanted(scenario: &Scenario, result: &Results) -> f64 {
    let each = match result.in_conversations() {
        true => u64::from(scenario.turns),
        false => 1,
    };
    scenario.requests.div_ceil(each) as f64
}

/// Checks that the server counted the requests that the load generator sent.
pub(super) fn same_requests(
    pages: &Difference,
    result: Option<&Results>,
) -> Result<(), Unmeasured> {
    let Some(answered) = result.and_then(Results::answered) else {
        return Ok(());
    };
    let ended = pages.requests()?;
    if (ended - answered).abs() <= (answered * OTHERS).max(1.0) {
        return Ok(());
    }
    Err(Unmeasured::OtherRequests {
        pages: ended.to_string(),
        result: answered.to_string(),
    })
}
