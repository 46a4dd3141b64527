//! What the templates see.

use serde_json::{Value, json};

use super::chart;
use crate::naming;
use crate::plan::Plan;
use crate::plan::runbook::{
    Advice, AlertNote, Check, Command, Fix, Lead, Page, Query, Step, Table, Triage,
};

pub(super) fn page(plan: &Plan, page: &Page) -> Value {
    let anchor = |step: usize| format!("step-{step}");
    let steps: Vec<_> = page
        .steps
        .iter()
        .enumerate()
        .map(|(i, step)| self::step(page, i + 1, step, &anchor))
        .collect();
    json!({
        "service": plan.service.name,
        "service_title": plan.service.title,
        "title": page.title,
        "meaning": page.meaning,
        "impact": page.impact,
        "symptoms": page.symptoms,
        "alerts": page.alerts.iter().map(alert).collect::<Vec<_>>(),
        "steps": steps,
        "chart": chart::flow(page),
        "fixes": page.fixes.iter().map(fix).collect::<Vec<_>>(),
        "commands": page.commands.iter().map(command).collect::<Vec<_>>(),
        "escalation": page.escalation,
        "related": page.related.iter().map(|(n, t)| json!({"name": n, "title": t})).collect::<Vec<_>>(),
        "versions": page.versions,
        "releases": plan.runtime.as_ref().map(|runtime| &runtime.releases),
    })
}

fn alert(note: &AlertNote) -> Value {
    json!({
        "name": note.name,
        "severity": note.severity,
        "summary": note.summary,
        "when": note.when,
        "action": note.action,
        "queries": note.queries.iter().map(query).collect::<Vec<_>>(),
        "dashboard": note.dashboard,
        "alarms": note.alarms,
    })
}

fn query(query: &Query) -> Value {
    json!({"title": query.title, "text": query.text, "explore": query.explore})
}

fn step(page: &Page, number: usize, step: &Step, anchor: &dyn Fn(usize) -> String) -> Value {
    let (check, run, ask) = match &step.check {
        Check::Signal {
            words,
            query: q,
            cloudwatch,
        } => {
            let console = cloudwatch.as_ref().map(|found| match found {
                Ok(text) => text.clone(),
                Err(why) => format!("not there: {why}"),
            });
            let check = json!({"words": words, "query": query(q), "cloudwatch": console});
            (check, Value::Null, Value::Null)
        }
        Check::Command(run, ask) => (Value::Null, json!(run), json!(ask)),
        Check::Question(ask) => (Value::Null, Value::Null, json!(ask)),
    };
    let lead = |lead: &Lead| match lead {
        Lead::Step(n) => {
            let title = page.steps.get(n - 1).map_or("", |step| &step.title);
            json!({"text": format!("step {n}: {title}"), "link": anchor(*n)})
        }
        Lead::Fix(name) => {
            let fix = page.fixes.iter().find(|fix| fix.name == *name);
            let title = fix.map_or(name, |fix| &fix.title);
            json!({"text": title, "link": naming::fix_anchor(name)})
        }
        Lead::End => Value::Null,
    };
    json!({
        "number": number,
        "anchor": anchor(number),
        "title": step.title,
        "check": check,
        "run": run,
        "ask": ask,
        "cause": step.cause,
        "verify": step.verify,
        "yes": lead(&step.yes),
        "no": lead(&step.no),
        "same": step.yes == step.no,
    })
}

fn fix(fix: &Fix) -> Value {
    json!({
        "anchor": naming::fix_anchor(&fix.name),
        "title": fix.title,
        "actions": fix.actions,
        "risk": fix.risk,
    })
}

pub(super) fn command(command: &Command) -> Value {
    json!({"title": command.title, "run": command.run})
}

pub(super) fn index(plan: &Plan) -> Value {
    let guide = &plan.guide;
    let pages: Vec<_> = guide
        .pages
        .iter()
        .map(|page| {
            let alerts: Vec<_> = page.alerts.iter().map(|a| a.name.clone()).collect();
            json!({"name": page.name, "title": page.title, "impact": page.impact, "alerts": alerts})
        })
        .collect();
    let named = |(name, what): &(String, String)| json!({"name": name, "what": what});
    let traces = guide.traces.as_ref().map(|t| {
        let attributes: Vec<_> = t.attributes.iter().map(named).collect();
        json!({"span": t.span, "tool": t.tool, "attributes": attributes})
    });
    let lists = guide.checklists.iter();
    let lists: Vec<_> = lists
        .map(|(name, items)| json!({"title": heading(name), "items": items}))
        .collect();
    json!({
        "service": plan.service.name,
        "title": plan.service.title,
        "owner": plan.service.owner,
        "pages": pages,
        "alerts": guide.alerts.iter().map(alert).collect::<Vec<_>>(),
        "triage": guide.triage.iter().map(triage).collect::<Vec<_>>(),
        "traces": traces,
        "load_tests": guide.load_tests.is_some(),
        "advice": guide.advice.iter().map(advice).collect::<Vec<_>>(),
        "checklists": lists,
        "tables": guide.tables.iter().map(table).collect::<Vec<_>>(),
        "commands": guide.commands.iter().map(command).collect::<Vec<_>>(),
    })
}

/// `final-checklist` → `Final checklist`.
fn heading(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn triage(triage: &Triage) -> Value {
    let rows: Vec<_> = triage
        .rows
        .iter()
        .map(|row| {
            let runbook = row.runbook.as_ref();
            let runbook = runbook.map(|(n, t)| json!({"name": n, "title": t}));
            json!({"pattern": row.pattern, "likely": row.likely, "runbook": runbook})
        })
        .collect();
    json!({"title": triage.title, "note": triage.note, "signals": triage.signals, "rows": rows})
}

fn advice(advice: &Advice) -> Value {
    let settings = advice.settings.iter();
    let settings: Vec<_> = settings
        .map(|(name, value, note)| json!({"name": name, "value": value, "note": note}))
        .collect();
    let formulas = advice.formulas.iter().map(|formula| {
        let inputs = formula.inputs.iter();
        let inputs: Vec<_> = inputs
            .map(|(name, note, example, q)| {
                json!({"name": name, "note": note, "example": example, "query": q.as_ref().map(query)})
            })
            .collect();
        json!({
            "name": formula.name,
            "expr": formula.expr,
            "gives": formula.gives,
            "inputs": inputs,
            "result": formula.result,
        })
    });
    json!({
        "title": advice.title,
        "text": advice.text,
        "settings": settings,
        "formulas": formulas.collect::<Vec<_>>(),
    })
}

fn table(table: &Table) -> Value {
    json!({"title": table.title, "columns": table.columns, "rows": table.rows})
}
