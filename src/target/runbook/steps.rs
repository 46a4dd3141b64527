//! Steps of a decision tree: what each looks at, and where its outcomes lead.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::query;
use crate::naming;
use crate::plan::runbook::{Check, Lead, Page, Step};
use crate::plan::{Condition, Plan, words};
use crate::target::cloudwatch::console;

/// The title of a step: the author's, else what is looked at.
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

/// The steps of a page, as the template sees them.
pub(super) fn view(plan: &Plan, page: &Page) -> Vec<Value> {
    let numbered = page.steps.iter().zip(1..);
    numbered
        .map(|(step, number)| one(plan, page, number, step))
        .collect()
}

fn anchor(step: usize) -> String {
    format!("step-{step}")
}

fn one(plan: &Plan, page: &Page, number: usize, step: &Step) -> Value {
    let (check, run, ask) = match &step.check {
        Check::Condition {
            condition,
            cloudwatch,
        } => {
            let value = cloudwatch.as_ref().and_then(|found| found.as_ref().ok());
            let console = value.map(|value| console(value));
            // A query of the author's says itself when it holds.
            let told = !matches!(**condition, Condition::Raw(ref raw) if raw.words.is_none());
            let check = json!({
                "words": told.then(|| words::condition(condition)),
                "query": query::plain(plan, condition.value()),
                "cloudwatch": console,
            });
            (check, Value::Null, Value::Null)
        }
        Check::Command(run, ask) => (Value::Null, json!(run), json!(ask)),
        Check::Question(ask) => (Value::Null, Value::Null, json!(ask)),
    };
    json!({
        "number": number,
        "anchor": anchor(number),
        "title": title(step),
        "check": check,
        "run": run,
        "ask": ask,
        "cause": step.cause,
        "verify": step.verify,
        "yes": lead(page, &step.yes),
        "no": lead(page, &step.no),
        "same": step.yes == step.no,
    })
}

fn lead(page: &Page, lead: &Lead) -> Value {
    match lead {
        Lead::Step(n) => {
            let title = page.steps.get(n - 1).map(title).unwrap_or_default();
            json!({"word": "Next", "text": format!("step {n}: {title}"), "link": anchor(*n)})
        }
        Lead::Fix(name) => {
            let fix = page.fixes.iter().find(|fix| fix.name == *name);
            let title = fix.map_or(name, |fix| &fix.title);
            json!({"word": "Fix", "text": title, "link": naming::fix_anchor(name)})
        }
        Lead::End => Value::Null,
    }
}
