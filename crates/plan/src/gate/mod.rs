//! Load tests: whether a result is good enough to roll out what was tested.
//!
//! ```text
//! criterion {measure: ttft, stat: p95, pass_below: 500ms, fail_above: 800ms}
//!   430ms → Pass, 620ms → Degraded, 900ms → Fail, none → NotMeasured
//! ```
//!
//! Nothing that is not known passes: a percentile passes when the whole bucket that holds it does, and a test that did not
//! put the load it claims is not measured.

mod load;
mod measured;
mod pages;
mod result;

pub use measured::{Measured, Origin, Unmeasured};
pub use pages::Difference;
pub use result::{ReadError, Results, read};

use crate::plan::runbook::{Criterion, Limit, LoadTests};
use slosmith_spec::spec::Measure;
use slosmith_text::units::{Unit, float, shown_measured};

/// The result of a criterion, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Pass,
    /// Neither good enough nor bad enough.
    Degraded,
    NotMeasured,
    Fail,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::NotMeasured => "not measured",
            Verdict::Degraded => "degraded",
            Verdict::Fail => "fail",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub result: Option<Results>,
    pub pages: Option<Difference>,
    pub given: Vec<(Measure, f64)>,
}

#[derive(Clone, Debug)]
pub struct Judged {
    pub name: String,
    pub what: String,
    pub value: Option<String>,
    pub origin: Option<Origin>,
    pub bounds: String,
    pub verdict: Verdict,
    pub note: Option<String>,
    /// How far the value is from the limit that it misses: `100ms above 800ms`.
    pub missed: Option<String>,
}

/// Judges a test by the load it put and by every criterion that holds for the scenario; without one, by those that hold for
/// all.
pub fn judge(tests: &LoadTests, scenario: Option<&str>, evidence: &Evidence) -> Vec<Judged> {
    let applies = |c: &&Criterion| match &c.scenario {
        None => true,
        Some(own) => scenario == Some(own.as_str()),
    };
    let criteria = tests.criteria.iter().filter(applies);
    let of = scenario.and_then(|name| tests.scenarios.iter().find(|s| s.name == name));
    let put = evidence
        .result
        .as_ref()
        .map(|result| load::judge(of, result));
    let judged = criteria.map(|c| one(c, evidence));
    put.into_iter().chain(judged).collect()
}

pub fn worst(judged: &[Judged]) -> Verdict {
    let verdicts = judged.iter().map(|j| j.verdict);
    verdicts.max().unwrap_or(Verdict::NotMeasured)
}

fn one(c: &Criterion, evidence: &Evidence) -> Judged {
    let judged = Judged {
        name: c.name.clone(),
        what: c.words(),
        value: None,
        origin: None,
        bounds: bounds(c),
        verdict: Verdict::NotMeasured,
        note: None,
        missed: None,
    };
    match find(c, evidence) {
        Err(why) => Judged {
            note: Some(why.to_string()),
            ..judged
        },
        Ok((measured, origin)) => {
            let (verdict, note) = verdict(c, measured);
            Judged {
                value: Some(printed(c.measure, measured.value)),
                origin: Some(origin),
                missed: missed(c, measured.value, verdict),
                verdict,
                note,
                ..judged
            }
        }
    }
}

fn find(c: &Criterion, evidence: &Evidence) -> Result<(Measured, Origin), Unmeasured> {
    let given = evidence.given.iter().rev();
    if let Some((_, value)) = given.clone().find(|(known, _)| *known == c.measure) {
        return Ok((Measured::exactly(*value), Origin::Given));
    }
    let by_result = evidence.result.as_ref().and_then(|result| {
        let value = result.get(c.measure, c.quantile)?;
        Some((Measured::exactly(value), result.origin()))
    });
    let Some(pages) = evidence.pages.as_ref().filter(|_| c.measure.is_on_pages()) else {
        return by_result.ok_or_else(|| missing(c.measure, evidence));
    };
    load::same_requests(pages, evidence.result.as_ref())?;
    let by_pages = pages.get(c.measure, c.quantile)?;
    Ok((by_pages, Origin::Pages))
}

fn missing(measure: Measure, evidence: &Evidence) -> Unmeasured {
    let k6 = evidence.result.as_ref().map(Results::origin) == Some(Origin::K6);
    match measure {
        Measure::OomEvents => Unmeasured::ByHand,
        Measure::PrefixCacheHitRate => Unmeasured::NeedsPagesOrHand,
        _ if k6 && measure.is_on_pages() => Unmeasured::NeedsPages,
        _ => Unmeasured::NotThere,
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

fn verdict(c: &Criterion, measured: Measured) -> (Verdict, Option<String>) {
    let Some((low, high)) = measured.between else {
        return (at(c, measured.value, false), None);
    };
    let print = |value| printed(c.measure, value);
    let range = match high.is_finite() {
        true => format!("between {} and {}", print(low), print(high)),
        false => format!("above {}, the histogram's last bucket", print(low)),
    };
    let estimate = at(c, measured.value, true);
    let sure = [low, high]
        .iter()
        .all(|end| at(c, *end, true) == Verdict::Pass);
    match estimate {
        Verdict::Pass if !sure => {
            let note =
                format!("{range}; the limit is inside this bucket, so the estimate does not pass");
            (Verdict::Degraded, Some(note))
        }
        verdict => (verdict, Some(range)),
    }
}

fn at(c: &Criterion, value: f64, inclusive: bool) -> Verdict {
    let beyond = |limit: &Limit, inclusive: bool| {
        let bound = float(limit.value);
        let beyond = if limit.above {
            value > bound
        } else {
            value < bound
        };
        beyond || (inclusive && value == bound)
    };
    match (&c.pass, &c.fail) {
        (_, Some(fail)) if beyond(fail, false) => Verdict::Fail,
        (Some(pass), _) if beyond(pass, inclusive) => Verdict::Pass,
        (None, _) => Verdict::Pass,
        (Some(_), Some(_)) => Verdict::Degraded,
        (Some(_), None) => Verdict::Fail,
    }
}

/// How far a value is on the wrong side of the limit of its verdict.
fn missed(c: &Criterion, value: f64, verdict: Verdict) -> Option<String> {
    let limit = match verdict {
        Verdict::Fail => c.fail.as_ref().or(c.pass.as_ref()),
        Verdict::Degraded => c.pass.as_ref(),
        Verdict::Pass | Verdict::NotMeasured => None,
    }?;
    let away = value - float(limit.value);
    let side = if away < 0.0 { "below" } else { "above" };
    let away = printed(c.measure, away.abs());
    // A difference of percentages is no percentage of anything.
    let points = if away == "1%" {
        " percentage point"
    } else {
        " percentage points"
    };
    let away = away.replace('%', points);
    Some(format!("{away} {side} {}", limit.text))
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
