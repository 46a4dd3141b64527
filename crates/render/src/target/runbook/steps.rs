//! Steps of a decision tree: the check of each step, and where its outcomes lead.

use std::borrow::Cow;

use serde::Serialize;

use super::query::{self, Query};
use crate::target::cloudwatch::console;
use slosmith_plan::plan::runbook::{Check, Lead, Page, Step};
use slosmith_plan::plan::{Condition, Plan, is_stored, words};
use slosmith_spec::naming;

pub(super) fn title(step: &Step) -> Cow<'_, str> {
    match (&step.title, &step.check) {
        (Some(title), _) => title.into(),
        (None, Check::Condition { condition, .. }) => {
            format!("{}?", words::capital(&words::condition(condition))).into()
        }
        (None, Check::Command(_, Some(ask)) | Check::Question(ask)) => ask.into(),
        (None, Check::Command(run, None)) => format!("Run `{run}`").into(),
    }
}

#[derive(Serialize)]
pub(super) struct StepView<'p> {
    number: usize,
    anchor: String,
    title: Cow<'p, str>,
    alert: Option<&'p str>,
    check: Option<CheckView>,
    run: Option<&'p str>,
    ask: Option<&'p str>,
    cause: Option<&'p str>,
    verify: &'p [String],
    yes: Option<LeadView<'p>>,
    no: Option<LeadView<'p>>,
    /// True when both lead to the same place.
    same: bool,
}

#[derive(Serialize)]
struct CheckView {
    /// The condition, where the query itself does not contain it.
    words: Option<String>,
    query: Option<Query>,
    cloudwatch: Option<String>,
}

#[derive(Serialize)]
struct LeadView<'p> {
    word: &'static str,
    text: Cow<'p, str>,
    link: String,
}

pub(super) fn view<'p>(plan: &Plan, page: &'p Page) -> Vec<StepView<'p>> {
    let numbered = page.steps.iter().zip(1..);
    numbered
        .map(|(step, number)| one(plan, page, number, step))
        .collect()
}

fn anchor(step: usize) -> String {
    format!("step-{step}")
}

fn one<'p>(plan: &Plan, page: &'p Page, number: usize, step: &'p Step) -> StepView<'p> {
    let (check, run, ask) = match &step.check {
        Check::Condition {
            condition,
            cloudwatch,
        } => {
            let value = cloudwatch.as_ref().and_then(|found| found.as_ref().ok());
            // PromQL from the spec contains its own threshold.
            let told = !matches!(**condition, Condition::Raw(ref raw) if raw.words.is_none());
            let check = CheckView {
                words: told.then(|| words::condition(condition)),
                query: is_stored(&condition.query().expr)
                    .then(|| query::plain(plan, condition.value())),
                cloudwatch: value.map(|value| console(value)),
            };
            (Some(check), None, None)
        }
        Check::Command(run, ask) => (None, Some(run.as_str()), ask.as_deref()),
        Check::Question(ask) => (None, None, Some(ask.as_str())),
    };
    StepView {
        number,
        anchor: anchor(number),
        title: title(step),
        alert: step.alert.as_deref(),
        check,
        run,
        ask,
        cause: step.cause.as_deref(),
        verify: &step.verify,
        yes: lead(page, &step.yes),
        no: lead(page, &step.no),
        same: step.yes == step.no,
    }
}

fn lead<'p>(page: &'p Page, lead: &'p Lead) -> Option<LeadView<'p>> {
    match lead {
        Lead::Step(n) => {
            let title = page.steps.get(n - 1).map(title).unwrap_or_default();
            Some(LeadView {
                word: "Next",
                text: format!("step {n}: {title}").into(),
                link: anchor(*n),
            })
        }
        Lead::Fix(name) => {
            let fix = page.fixes.iter().find(|fix| fix.name == *name);
            Some(LeadView {
                word: "Fix",
                text: fix.map_or(name, |fix| &fix.title).into(),
                link: naming::fix_anchor(name),
            })
        }
        Lead::End => None,
    }
}
