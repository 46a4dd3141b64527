//! Load tests: whether a result is good enough to roll out what was tested.
//!
//! ```text
//! criterion {measure: ttft, stat: p95, pass_below: 500ms, fail_above: 800ms}
//!   result of 430ms → Pass, 620ms → Degraded, 900ms → Fail, none → NotMeasured
//! ```

mod result;

pub use result::{ReadError, Results, read};

use crate::plan::runbook::{Criterion, Limit, LoadTests};
use crate::spec::Measure;
use crate::units::{Unit, float, shown_measured};

/// What a criterion says, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Good enough.
    Pass,
    /// The result does not say.
    NotMeasured,
    /// Neither good enough nor bad enough.
    Degraded,
    /// Not good enough.
    Fail,
}

impl Verdict {
    /// The word for people and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::NotMeasured => "not measured",
            Verdict::Degraded => "degraded",
            Verdict::Fail => "fail",
        }
    }
}

/// One criterion, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its name.
    pub name: String,
    /// What it measures, in words.
    pub what: String,
    /// The measured value in its unit.
    pub value: Option<String>,
    /// What it is measured by: `pass below 200ms, fail above 300ms`.
    pub bounds: String,
    /// What that says.
    pub verdict: Verdict,
}

/// Judges a result by every criterion that holds for the scenario; without one, by those that hold for all.
pub fn judge(tests: &LoadTests, scenario: Option<&str>, results: &Results) -> Vec<Judged> {
    let applies = |c: &&Criterion| match &c.scenario {
        None => true,
        Some(own) => scenario == Some(own.as_str()),
    };
    let criteria = tests.criteria.iter().filter(applies);
    criteria.map(|c| one(c, results)).collect()
}

/// The worst of all.
pub fn worst(judged: &[Judged]) -> Verdict {
    let verdicts = judged.iter().map(|j| j.verdict);
    verdicts.max().unwrap_or(Verdict::NotMeasured)
}

fn one(c: &Criterion, results: &Results) -> Judged {
    let value = results.get(c.measure, c.quantile);
    Judged {
        name: c.name.clone(),
        what: c.words(),
        value: value.map(|value| printed(c.measure, value)),
        bounds: bounds(c),
        verdict: value.map_or(Verdict::NotMeasured, |value| verdict(c, value)),
    }
}

fn bounds(c: &Criterion) -> String {
    let words = |limit: &Limit, what: &str| {
        let side = if limit.above { "above" } else { "below" };
        format!("{what} {side} {}", limit.text)
    };
    let pass = c.pass.as_ref().map(|limit| words(limit, "pass"));
    let fail = c.fail.as_ref().map(|limit| words(limit, "fail"));
    let both: Vec<_> = pass.into_iter().chain(fail).collect();
    both.join(", ")
}

fn verdict(c: &Criterion, value: f64) -> Verdict {
    let beyond = |limit: &Limit| {
        let bound = float(limit.value);
        if limit.above {
            value > bound
        } else {
            value < bound
        }
    };
    match (&c.pass, &c.fail) {
        (_, Some(fail)) if beyond(fail) => Verdict::Fail,
        (Some(pass), _) if beyond(pass) => Verdict::Pass,
        (None, _) => Verdict::Pass,
        (Some(_), Some(_)) => Verdict::Degraded,
        (Some(_), None) => Verdict::Fail,
    }
}

fn printed(measure: Measure, value: f64) -> String {
    let unit = match measure {
        _ if measure.is_latency() => Unit::Seconds,
        Measure::ErrorRate | Measure::PrefixCacheHitRate => Unit::Ratio,
        _ => Unit::Count,
    };
    let per = match measure {
        Measure::RequestThroughput | Measure::OutputThroughput => "/s",
        _ => "",
    };
    format!("{}{per}", shown_measured(value, unit))
}
