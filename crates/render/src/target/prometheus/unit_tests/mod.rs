//! Unit tests for `promtool test rules`: each alert fires under its fault, at the right minute, stays silent
//! just below its threshold, at zero traffic and without an error series, and resets.
//!
//! Every input has one label set, so a test loads few samples; promtool 2.42 rejects more than about 10,000
//! a query. Checks are at times where Prometheus 2 and 3 agree: a window of the former holds one sample more.

mod absence;
mod agreed;
mod burn;
mod condition;
mod course;
mod data;
mod distribution;
mod drive;
mod given;
mod labels;
mod left_out;
mod level;
mod lever;
mod onset;
mod own;
mod part;
mod period;
mod places;
mod replicas;
mod scenario;
mod search;
mod subject;
mod swing;
mod time;
mod together;
mod values;
mod windows;

use super::rules;
use super::view::{ExprCheck, Named, Sample, TestFile};
use crate::target::Untested;
use slosmith_plan::plan::{EventSli, Plan, Slo, Tier, WindowRatio, recorded};
use slosmith_promql::ast::{Expr, MatchOp};
use slosmith_promql::{build, visit};
use slosmith_spec::naming::{self, TIER};
use slosmith_text::units::{Duration, Number, decimal};

/// All test files of a plan.
#[derive(Default)]
pub(super) struct Tests {
    pub(super) files: Vec<Named<TestFile>>,
    /// Alerts that rest on their author's PromQL, or on windows too short for a test.
    pub(super) notes: Vec<String>,
    /// Alerts under whose condition no input was found that makes them fire.
    pub(super) untested: Vec<Untested>,
}

/// Samples of one query that promtool 2.42 surely loads.
const SAMPLES: u64 = 8_000;

/// Minutes from evaluation to evaluation where a test waits for the end of a memory of hours: promtool pays for each.
const SELDOM: u64 = 5;

/// The test of the second part of an `unless`.
const EXCUSED: &str = "silent while the `unless` condition holds";

/// A memory that a test waits for the end of.
const SHORT_MEMORY: Duration = Duration::from_secs(86_400 - 1);

/// Makes the tests of a plan.
pub(super) fn files(plan: &Plan) -> Tests {
    let mut tests = Tests::default();
    for slo in &plan.slos {
        let events = &slo.events;
        // No series can be given that the rules record themselves.
        let is_recorded = |ratio: &WindowRatio| visit::needs_no_series(&ratio.expr);
        if events.ratios.iter().any(is_recorded) {
            let name = &slo.alert_name;
            tests.notes.push(format!(
                "no unit test for `{name}`: its PromQL has a value without any series"
            ));
            continue;
        }
        let (files, is_whole) = match &events.sli {
            EventSli::Ratio { .. } | EventSli::Latency { .. } => counted_files(plan, slo),
            EventSli::Time(time) => (time::files(plan, slo, time), true),
            EventSli::Own(_) | EventSli::OwnRatio(_) => given::files(plan, slo),
        };
        if !is_whole {
            tests.untested.push(Untested {
                alert: slo.alert_name.clone(),
                why: "no error ratios were found just above and just below the threshold of a tier"
                    .into(),
            });
        }
        tests.files.extend(files);
        tests.files.extend(period::file(plan, slo));
    }
    for alert in &plan.alerts {
        let subject = subject::Subject::of_alert(plan, alert);
        condition::file(plan, &subject, &mut tests);
    }
    tests
}

/// The files of an objective on events that are counted, and whether they test each threshold.
fn counted_files(plan: &Plan, slo: &Slo) -> (Vec<Named<TestFile>>, bool) {
    let mut files = burn::files(plan, slo).unwrap_or_default();
    let windows = windows::file(plan, slo);
    let mut is_whole = windows.as_ref().is_some_and(|(_, whole)| *whole);
    files.extend(windows.map(|(file, _)| file));
    // Ratios alone do not show whether there are enough events.
    if !is_whole && slo.events.min_events == 0 {
        files.extend(given::thresholds(plan, slo));
        is_whole = true;
    }
    (files, is_whole || slo.events.tiers.is_empty())
}

/// Name and title of the file that tests what an alert remembers.
fn of_memory(file: &str, alert: &str) -> (String, String) {
    (format!("{file}-memory"), format!("{alert}, its memory."))
}

/// A test file that loads rule files by name.
fn test_file(
    name: String,
    title: String,
    rules: &[String],
    step: u64,
    mut tests: Vec<super::view::Test>,
) -> Named<TestFile> {
    for input in tests.iter_mut().flat_map(|test| &mut test.input_series) {
        input.values = values::joined(&input.values);
    }
    Named {
        name,
        title,
        file: TestFile {
            rule_files: rules.iter().map(|r| format!("../rules/{r}.yaml")).collect(),
            evaluation_interval: minutes(step),
            tests,
        },
    }
}

/// Steps that keep a query of `series` series over `range` within what promtool loads, in minutes.
fn step_for(range: Duration, series: u64) -> u64 {
    (range.mins_up() * series).div_ceil(SAMPLES).max(1)
}

fn minutes(n: u64) -> String {
    Duration::from_mins(n).to_string()
}

/// `expr` has this one value without labels, or no value at all.
fn value_is(expr: String, at: u64, value: Option<i64>) -> ExprCheck {
    ExprCheck {
        expr,
        eval_time: minutes(at),
        exp_samples: value.map(|value| Sample { value }).into_iter().collect(),
    }
}

/// `expr` has one value, so near to this one.
fn near(expr: &str, value: Number, hair: Number, at: u64) -> ExprCheck {
    let (value, hair) = (decimal(value), decimal(hair));
    value_is(
        match value.starts_with('-') {
            true => format!("count(abs({expr} - ({value})) < {hair})"),
            false => format!("count(abs({expr} - {value}) < {hair})"),
        },
        at,
        Some(1),
    )
}

/// What an objective promises, and its error budget, as they are recorded. Other tools may have series of the same names.
fn promised(service: &str, slo: &Slo, at: u64) -> [ExprCheck; 2] {
    rules::constants(service, slo).map(|of| {
        let series = Expr::from(recorded(of.series, &of.labels)).to_string();
        near(&series, of.value, of.value / 1_000_000, at)
    })
}

/// Whether an alert of a name is firing at a time.
fn firing(alert: &str, more: &[(&str, &str)], at: u64, fires: bool) -> ExprCheck {
    number_firing(alert, more, at, u64::from(fires))
}

/// How many alerts of a name are firing at a time.
fn number_firing(alert: &str, more: &[(&str, &str)], at: u64, number: u64) -> ExprCheck {
    let more: String = more.iter().map(|(k, v)| format!(", {k}=\"{v}\"")).collect();
    let alerts = format!("ALERTS{{alertname=\"{alert}\", alertstate=\"firing\"{more}}}");
    match i64::try_from(number) {
        Ok(number) if number > 0 => value_is(format!("count({alerts})"), at, Some(number)),
        _ => value_is(alerts, at, None),
    }
}

/// One check in the place of several that find an alert silent: of the whole time until then.
fn throughout(silent: &ExprCheck, until: u64) -> ExprCheck {
    let until = minutes(until);
    ExprCheck {
        expr: format!("count_over_time({}[{until}])", silent.expr),
        eval_time: until,
        ..silent.clone()
    }
}

/// Whether a tier's alert is firing at a time: it is never pending. A test file reads the rules of one SLO.
fn burns(tier: &Tier, at: u64, fires: bool) -> ExprCheck {
    let expr = format!("count(ALERTS{{{TIER}=\"{}\"}})", tier.name);
    value_is(expr, at, fires.then_some(1))
}

/// A share of a threshold, and not more than halfway to everything.
fn share_of(threshold: Number, share: Number) -> Number {
    (threshold * share).min((threshold + 1) / 2)
}

/// A series of the only SLO of a test file, over a window.
fn of_window(series: &str, window: Duration) -> Expr {
    let series = build::metric(series);
    series
        .matcher(naming::WINDOW, MatchOp::Equal, &window.to_string())
        .into()
}

/// Name of the test file of an alert.
fn alert_test_name(alert: &str) -> String {
    naming::alert_file(alert)
}
