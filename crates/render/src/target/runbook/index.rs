//! The data of the index template.

use serde_json::{Value, json};

use super::alerts::AlertView;
use super::query;
use slosmith_plan::plan::runbook::{Advice, Command, Page, Table, Triage};
use slosmith_plan::plan::{Plan, words};
use slosmith_spec::naming;

pub(super) fn view(
    plan: &Plan,
    led: &[(&Page, Vec<AlertView<'_>>)],
    others: &[AlertView<'_>],
) -> Value {
    let runbooks = &plan.runbooks;
    let pages: Vec<_> = led
        .iter()
        .map(|(page, alerts)| {
            let link = |name| format!("[{name}]({}.md#{})", page.name, naming::anchor(name));
            let alerts: Vec<_> = alerts.iter().map(|alert| link(alert.name)).collect();
            json!({"name": page.name, "title": page.title, "impact": page.impact, "alerts": alerts})
        })
        .collect();
    let named = |(name, what): &(String, String)| json!({"name": name, "what": what});
    let traces = runbooks.traces.as_ref().map(|t| {
        let attributes: Vec<_> = t.attributes.iter().map(named).collect();
        json!({"span": t.span, "tool": t.tool, "attributes": attributes})
    });
    let lists = runbooks.checklists.iter();
    let lists: Vec<_> = lists
        .map(|(name, items)| json!({"title": heading(name), "items": items}))
        .collect();
    json!({
        "service": plan.service.name,
        "title": plan.service.title,
        "owner": plan.service.owner,
        "pages": pages,
        "alerts": alerts(others),
        "triage": runbooks.triage.iter().map(triage).collect::<Vec<_>>(),
        "traces": traces,
        "load_tests": runbooks.load_tests.is_some(),
        "advice": runbooks.advice.iter().map(|a| advice(plan, a)).collect::<Vec<_>>(),
        "checklists": lists,
        "tables": runbooks.tables.iter().map(table).collect::<Vec<_>>(),
        "commands": runbooks.commands.iter().map(command).collect::<Vec<_>>(),
    })
}

/// The alerts that no runbook leads, by their kind.
fn alerts(others: &[AlertView<'_>]) -> Vec<Value> {
    let (on_data, own): (Vec<_>, Vec<_>) = others.iter().partition(|alert| alert.is_on_data);
    let title = match own.iter().any(|alert| alert.is_elsewhere()) {
        true => "Alerts with other runbooks or without a runbook",
        false => "Alerts without a runbook",
    };
    let groups = [(title, own), ("SLOs without data", on_data)];
    let groups = groups.iter().filter(|(_, alerts)| !alerts.is_empty());
    groups
        .map(|(title, alerts)| json!({"title": title, "alerts": alerts}))
        .collect()
}

/// `final-checklist` → `Final checklist`.
fn heading(name: &str) -> String {
    words::capital(&name.replace(['-', '_'], " "))
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

fn advice(plan: &Plan, advice: &Advice) -> Value {
    let settings = advice.settings.iter();
    let settings: Vec<_> = settings
        .map(|(name, value, note)| json!({"name": name, "value": value, "note": note}))
        .collect();
    let formulas = advice.formulas.iter().map(|formula| {
        let inputs = formula.inputs.iter();
        let inputs: Vec<_> = inputs
            .map(|(name, note, example, expr)| {
                let query = expr.as_ref().map(|expr| query::plain(plan, expr));
                json!({"name": name, "note": note, "example": example, "query": query})
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

fn command(command: &Command) -> Value {
    json!({"title": command.title, "run": command.run})
}

fn table(table: &Table) -> Value {
    json!({"title": table.title, "columns": table.columns, "rows": table.rows})
}
